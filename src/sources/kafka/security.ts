import { connect, isIP } from 'node:net'
import type { Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { ConnectionOptions as NodeTlsOptions } from 'node:tls'
import type { KafkaOptions } from './options.ts'
import { tokenOf } from './token-command.ts'

const KEEP_ALIVE_MS = 60_000

/** Opens a connection that may be encrypted; null is plain. */
export function openSocket({
  host,
  port,
  ssl,
  onConnect,
}: {
  readonly host: string
  readonly port: number
  readonly ssl: NodeTlsOptions | null
  readonly onConnect: () => void
}): Socket {
  const name = isIP(host) === 0 ? { servername: host } : {}
  const socket =
    ssl === null
      ? connect({ host, port }, onConnect)
      : connectTls({ host, port, ...name, ...ssl }, onConnect)
  return socket.setKeepAlive(true, KEEP_ALIVE_MS).setNoDelay(true)
}

/** TLS as Node takes it; null is none. */
export function tlsOf(ssl: KafkaOptions['ssl']): NodeTlsOptions | null {
  if (ssl === false) return null
  return ssl === true ? {} : ssl
}

/** The login as kafkajs takes it; null is none. */
export function saslOf(sasl: KafkaOptions['sasl']): object | null {
  if (sasl === null) return null
  if (sasl.mechanism !== 'oauthbearer') {
    // A copy: kafkajs keeps what it works out in the object.
    return { mechanism: sasl.mechanism, username: sasl.username, password: sasl.password }
  }
  const { tokenCommand } = sasl
  return {
    mechanism: 'oauthbearer',
    oauthBearerProvider: async () => ({ value: await tokenOf(tokenCommand) }),
  }
}
