import { TidemarkError } from '../../core/errors.ts'
import { withoutPassword } from '../../core/secret.ts'

/** Classes of PostgreSQL's own codes after which trying again can help: connection, resources, shutdown, rollback, system. */
const PASSING = /^(08|40|53|57|58)/

/** What Node says where a server cannot be reached or goes away. */
const NETWORK = /^E(CONN|PIPE|TIMEDOUT|HOST|NET|AI_|NOTFOUND|NOENT)/

/** What went wrong with a PostgreSQL server, without the password. */
export function postgresFault(
  error: unknown,
  { url, flow }: { readonly url: string; readonly flow: string },
): TidemarkError {
  if (error instanceof TidemarkError) return error
  const code = codeOf(error)
  const reason = withoutPassword(error instanceof Error ? error.message : String(error), url)
  const isServers = /^[0-9A-Z]{5}$/.test(code) && !NETWORK.test(code)
  const isPassing = isServers
    ? PASSING.test(code)
    : NETWORK.test(code) || /terminated|timeout|not queryable/i.test(reason)
  const what = isPassing ? 'PostgreSQL cannot be read now' : 'PostgreSQL refuses'
  return new TidemarkError(
    isPassing ? 'SOURCE_UNAVAILABLE' : 'SOURCE_REFUSED',
    `flow "${flow}": ${what}: ${reason === '' ? code : reason}`,
    { flow, reason: code },
  )
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return ''
  return typeof error.code === 'string' ? error.code : ''
}
