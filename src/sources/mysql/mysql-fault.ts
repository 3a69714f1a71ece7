import { TidemarkError } from '../../core/errors.ts'
import { withoutPassword } from '../../core/secret.ts'

/** The server's own numbers after which trying again can help: too many connections, shutdown, locks, time. */
const PASSING: ReadonlySet<number> = new Set([
  1040, 1053, 1077, 1129, 1158, 1159, 1160, 1161, 1203, 1205, 1213, 1226, 1317, 1927, 1969, 3024,
])

/** What Node and the driver say where a server cannot be reached or goes away. */
const NETWORK = /^(E(CONN|PIPE|TIMEDOUT|HOST|NET|AI_|NOTFOUND|NOENT)|PROTOCOL_)/

/** What went wrong with a MySQL server, without the password. */
export function mysqlFault(
  error: unknown,
  { url, flow }: { readonly url: string; readonly flow: string },
): TidemarkError {
  if (error instanceof TidemarkError) return error
  const { code, errno } = codesOf(error)
  const reason = withoutPassword(error instanceof Error ? error.message : String(error), url)
  const isPassing = errno > 0 ? PASSING.has(errno) : NETWORK.test(code)
  const what = isPassing ? 'MySQL cannot be read now' : 'MySQL refuses'
  return new TidemarkError(
    isPassing ? 'SOURCE_UNAVAILABLE' : 'SOURCE_REFUSED',
    `flow "${flow}": ${what}: ${reason === '' ? code : reason}`,
    { flow, reason: code },
  )
}

/** Numbers of the system are negative, those of the server positive. */
function codesOf(error: unknown): { readonly code: string; readonly errno: number } {
  if (typeof error !== 'object' || error === null) return { code: '', errno: 0 }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const errno = 'errno' in error && typeof error.errno === 'number' ? error.errno : 0
  return { code, errno: NETWORK.test(code) ? 0 : errno }
}
