/**
 * What we use of the inside of kafkajs 2.2.4, which is pinned for that reason, and of packages
 * without types. Only `connection.ts` imports the modules of kafkajs.
 */
declare module 'kafkajs/src/broker/index.js' {
  import type { ConnectionPool } from 'kafkajs/src/cluster/connectionPoolBuilder.js'
  import type { InternalLogger } from 'kafkajs/src/loggers/index.js'

  type VersionRange = { readonly minVersion: number; readonly maxVersion: number }

  type GroupJoined = {
    readonly generationId: number
    readonly groupProtocol: string
    readonly leaderId: string
    readonly memberId: string
    readonly members: readonly { readonly memberId: string; readonly memberMetadata: Buffer }[]
  }

  class Broker {
    constructor(options: {
      readonly connectionPool: ConnectionPool
      readonly logger: InternalLogger
      readonly authenticationTimeout: number
      readonly allowAutoTopicCreation: false
    })
    readonly connectionPool: ConnectionPool
    /** By number of the API; null before the first connection. */
    readonly versions: Readonly<Record<number, VersionRange>> | null
    connect(): Promise<void>
    disconnect(): Promise<void>
    findGroupCoordinator(options: {
      readonly groupId: string
      readonly coordinatorType: 0
    }): Promise<{ readonly coordinator: { readonly host: string; readonly port: number } }>
    joinGroup(options: {
      readonly groupId: string
      readonly sessionTimeout: number
      readonly rebalanceTimeout: number
      readonly memberId: string
      readonly groupProtocols: readonly { readonly name: string; readonly metadata: Buffer }[]
    }): Promise<GroupJoined>
    syncGroup(options: {
      readonly groupId: string
      readonly generationId: number
      readonly memberId: string
      readonly groupAssignment: readonly {
        readonly memberId: string
        readonly memberAssignment: Buffer
      }[]
    }): Promise<{ readonly memberAssignment: Buffer }>
    heartbeat(options: {
      readonly groupId: string
      readonly groupGenerationId: number
      readonly memberId: string
    }): Promise<unknown>
    leaveGroup(options: { readonly groupId: string; readonly memberId: string }): Promise<unknown>
  }
  export = Broker
}

declare module 'kafkajs/src/cluster/connectionPoolBuilder.js' {
  import type { Socket } from 'node:net'
  import type { ConnectionOptions as TlsOptions } from 'node:tls'
  import type Encoder from 'kafkajs/src/protocol/encoder.js'
  import type { InternalLogger } from 'kafkajs/src/loggers/index.js'

  namespace connectionPoolBuilder {
    /** A connection of the pool. */
    type Connection = { isConnected(): boolean }

    /** The connections to one broker. */
    type ConnectionPool = {
      readonly pool: readonly Connection[]
      getConnection(index: number): Promise<Connection>
      send<D extends { readonly clientSideThrottleTime: number }, T>(protocol: {
        readonly request: {
          readonly apiKey: number
          readonly apiVersion: number
          readonly apiName: string
          readonly encode: () => Promise<Encoder>
        }
        readonly response: {
          readonly decode: (payload: Buffer) => Promise<D>
          readonly parse: (decoded: D) => Promise<T>
        }
        readonly requestTimeout: number
        readonly logResponseError: boolean
      }): Promise<T>
    }

    /** What a socket is made for. */
    type SocketOptions = {
      readonly host: string
      readonly port: number
      readonly ssl: TlsOptions | null
      readonly onConnect: () => void
    }

    /** `null` is not allowed where kafkajs has a default. */
    type Options = {
      readonly brokers: readonly string[]
      readonly clientId: string
      readonly ssl: TlsOptions | null
      readonly sasl: object | null
      readonly socketFactory: (options: SocketOptions) => Socket
      readonly connectionTimeout: number
      readonly requestTimeout: number
      readonly enforceRequestTimeout: true
      readonly logger: InternalLogger
    }
  }

  function connectionPoolBuilder(options: connectionPoolBuilder.Options): {
    build(address: {
      readonly host: string
      readonly port: number
    }): Promise<connectionPoolBuilder.ConnectionPool>
  }
  export = connectionPoolBuilder
}

declare module 'kafkajs/src/loggers/index.js' {
  namespace loggers {
    /** A logger as kafkajs hands it on. */
    type InternalLogger = { namespace(name: string): InternalLogger }
  }
  const loggers: {
    createLogger(options: {
      readonly level: 0
      readonly logCreator: () => () => void
    }): loggers.InternalLogger
  }
  export = loggers
}

declare module 'kafkajs/src/protocol/encoder.js' {
  class Encoder {
    constructor(initialSize?: number)
    writeBufferInternal(bytes: Buffer): void
  }
  export = Encoder
}

declare module 'kafkajs-snappy' {
  function snappy(): { decompress(packed: Buffer): Promise<Buffer> }
  export = snappy
}

declare module 'lz4js' {
  const lz4: { decompress(packed: Uint8Array): Uint8Array }
  export = lz4
}
