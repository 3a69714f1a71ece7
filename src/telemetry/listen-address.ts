import { TidemarkError } from '../core/errors.ts'

/** Where a server listens. */
export type ListenAddress = { readonly host: string; readonly port: number }

/** Who is not told otherwise serves its own machine only. */
const LOOPBACK = '127.0.0.1'

/**
 * Reads `HOST:PORT`, `[::1]:PORT`, `:PORT` or `PORT`; without a host it is 127.0.0.1. Port 0 is any
 * free one.
 *
 * @throws TidemarkError `USAGE`
 */
export function listenAddress(text: string): ListenAddress {
  const { v6, host, port = '' } = FORM.exec(text)?.groups ?? {}
  const number = Number(port)
  if (port === '' || number > 65_535) {
    throw new TidemarkError(
      'USAGE',
      `${JSON.stringify(text)} is no address to listen on; give HOST:PORT, or PORT for ${LOOPBACK}`,
    )
  }
  return { host: v6 ?? host ?? LOOPBACK, port: number }
}

/** An address as a URL has it. */
export function addressText({ host, port }: ListenAddress): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

const FORM = /^(?:(?:\[(?<v6>[\da-f:.%]+)\]|(?<host>[\w.-]+))?:)?(?<port>\d{1,5})$/i
