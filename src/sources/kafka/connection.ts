import type { Socket } from 'node:net'
import Broker from 'kafkajs/src/broker/index.js'
import connectionPoolBuilder from 'kafkajs/src/cluster/connectionPoolBuilder.js'
import loggers from 'kafkajs/src/loggers/index.js'
import Encoder from 'kafkajs/src/protocol/encoder.js'
import { TidemarkError } from '../../core/errors.ts'
import type { Answer, Api } from './api.ts'
import { Transient } from './kafka-faults.ts'
import type { KafkaOptions } from './options.ts'
import { openSocket, saslOf, tlsOf } from './security.ts'
import { WireReader } from './wire-reader.ts'
import { WireWriter } from './wire-writer.ts'

/** Who connects, and how. */
export type ConnectionOptions = Pick<KafkaOptions, 'brokers' | 'clientId' | 'ssl' | 'sasl'>

const CONNECT_MS = 10_000
const REQUEST_MS = 30_000

/** kafkajs sends fetches over the second connection of a pool, so that nothing waits behind them. */
const FETCHING = 1

/** kafkajs's own log is not wanted: notices and errors say what matters. */
const SILENT = loggers.createLogger({ level: 0, logCreator: () => () => undefined })

/**
 * The way to one broker: TLS, login, versions and the queue of requests are kafkajs's; the
 * requests are ours. Once broken it stays broken: open another.
 */
export class Connection implements AsyncDisposable {
  /** For what is not ours: the requests of a group. */
  readonly broker: Broker
  readonly #sockets: readonly Socket[]

  private constructor(broker: Broker, sockets: readonly Socket[]) {
    this.broker = broker
    this.#sockets = sockets
  }

  /** Connects and logs in. */
  static async open(
    { brokers, clientId, ssl, sasl }: ConnectionOptions,
    address: { readonly host: string; readonly port: number },
  ): Promise<Connection> {
    const sockets: Socket[] = []
    const pools = connectionPoolBuilder({
      brokers,
      clientId,
      ssl: tlsOf(ssl),
      sasl: saslOf(sasl),
      socketFactory: (options) => {
        const socket = openSocket(options)
        sockets.push(socket)
        return socket
      },
      connectionTimeout: CONNECT_MS,
      requestTimeout: REQUEST_MS,
      enforceRequestTimeout: true,
      logger: SILENT,
    })
    const broker = new Broker({
      connectionPool: await pools.build(address),
      logger: SILENT,
      authenticationTimeout: CONNECT_MS,
      allowAutoTopicCreation: false,
    })
    const connection = new Connection(broker, sockets)
    try {
      await broker.connect()
      // Now rather than with the first fetch: two that ask for it at once would open it twice.
      await broker.connectionPool.getConnection(FETCHING)
    } catch (error) {
      await connection[Symbol.asyncDispose]()
      throw error
    }
    return connection
  }

  /** Whether it can still be used, as far as is known. */
  get isOpen(): boolean {
    return this.broker.connectionPool.pool.every((each) => each.isConnected())
  }

  /**
   * Sends a request in the best version that both sides speak, and reads the answer.
   *
   * @throws TidemarkError `CLIENT_CRASH` where there is no such version
   */
  async send<Request, Response>(api: Api<Request, Response>, request: Request): Promise<Response> {
    const version = this.#versionOf(api)
    const isFlexible = version >= api.flexibleFrom
    return this.broker.connectionPool.send({
      request: {
        apiKey: api.key,
        apiName: api.name,
        apiVersion: version,
        encode: () => {
          const body = new WireWriter(isFlexible)
          // The header ends here too, and kafkajs does not know that.
          body.end()
          api.write(body, version, request)
          const encoder = new Encoder()
          encoder.writeBufferInternal(body.bytes)
          return Promise.resolve(encoder)
        },
      },
      response: {
        decode: (payload) => {
          const { throttleMs, response } = read(api, payload, version)
          return Promise.resolve({ clientSideThrottleTime: throttleMs, response })
        },
        parse: ({ response }) => Promise.resolve(response),
      },
      requestTimeout: REQUEST_MS,
      logResponseError: false,
    })
  }

  #versionOf({ key, name, versions }: VersionedApi): number {
    const range = this.broker.versions?.[key]
    const best = versions.find(
      (version) =>
        range !== undefined && range.minVersion <= version && version <= range.maxVersion,
    )
    if (best !== undefined) return best
    throw new TidemarkError(
      'CLIENT_CRASH',
      `the broker speaks no version of ${name} that we do (${versions.join(', ')}); it is too old or too new`,
    )
  }

  /** Whoever still waits for an answer gets an error. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy(new Error('closed'))
    await this.broker.disconnect()
  }
}

type VersionedApi = Pick<Api<never, unknown>, 'key' | 'name' | 'versions'>

function read<Request, Response>(
  api: Api<Request, Response>,
  payload: Buffer,
  version: number,
): Answer<Response> {
  const body = new WireReader(payload, version >= api.flexibleFrom)
  try {
    body.end()
    return api.read(body, version)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new Transient(`the answer to ${api.name} is broken: ${error.message}`, { cause: error })
  }
}
