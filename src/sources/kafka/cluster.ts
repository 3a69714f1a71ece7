import { Connection } from './connection.ts'
import type { ConnectionOptions } from './connection.ts'
import type { Api } from './api.ts'
import { isTransient, Transient } from './kafka-faults.ts'
import { LookAhead } from './look-ahead.ts'
import { METADATA } from './metadata-api.ts'
import type { BrokerAddress, Metadata, TopicMetadata } from './metadata-api.ts'

/** The brokers of a cluster, each connected when it is first needed, and anew after it broke. */
export class Cluster implements AsyncDisposable {
  readonly #options: ConnectionOptions
  readonly #connections = new Map<string, Promise<Connection>>()
  #brokers: readonly BrokerAddress[] = []
  #isClosed = false
  /** For readers that share it. */
  readonly ahead = new LookAhead()

  constructor(options: ConnectionOptions) {
    this.#options = options
  }

  /**
   * What any broker that answers knows of topics by name, or of all; those that are expected to be
   * wanted next are asked for too.
   */
  async metadata(topics: readonly string[] | null): Promise<readonly TopicMetadata[]> {
    if (topics === null) return (await this.#metadata(null)).topics
    const known = this.ahead.takeTopics(topics)
    if (known !== null) return known
    const wanted = new Set(topics)
    const all = new Set([...topics, ...this.ahead.takeExpected()])
    const { topics: found } = await this.#metadata([...all])
    this.ahead.keepTopics(found.filter(({ name }) => !wanted.has(name)))
    return found.filter(({ name }) => wanted.has(name))
  }

  /** Asks one broker after the other until one answers. Remembers the brokers that it names. */
  async #metadata(topics: readonly string[] | null): Promise<Metadata> {
    const addresses = [
      ...shuffled(this.#brokers),
      ...shuffled(this.#options.brokers.map(addressOf)),
    ]
    let failure: Error = new Transient('no brokers are given')
    for (const address of addresses) {
      try {
        const metadata = await this.#send(address, METADATA, { topics })
        if (metadata.brokers.length > 0) this.#brokers = metadata.brokers
        return metadata
      } catch (error) {
        if (!isTransient(error)) throw error
        failure = error
      }
    }
    throw failure
  }

  /** Sends a request to one broker. */
  async send<Request, Response>(
    nodeId: number,
    api: Api<Request, Response>,
    request: Request,
  ): Promise<Response> {
    return this.#send(this.#addressOf(nodeId), api, request)
  }

  /** A broker's coordinator of a group, over a connection that is the caller's to close. */
  async openCoordinator(groupId: string): Promise<Connection> {
    const [any] = shuffled(this.#brokers)
    if (any === undefined) throw new Transient('no broker is known yet')
    const { broker } = await this.#connection(any)
    const { coordinator } = await broker.findGroupCoordinator({ groupId, coordinatorType: 0 })
    return Connection.open(this.#options, coordinator)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    const open = await Promise.allSettled(this.#connections.values())
    this.#connections.clear()
    for (const each of open) {
      if (each.status === 'fulfilled') await each.value[Symbol.asyncDispose]()
    }
  }

  #addressOf(nodeId: number): BrokerAddress {
    const address = this.#brokers.find((broker) => broker.nodeId === nodeId)
    if (address === undefined) throw new Transient(`broker ${nodeId} is not known`)
    return address
  }

  async #send<Request, Response>(
    address: Address,
    api: Api<Request, Response>,
    request: Request,
  ): Promise<Response> {
    const connection = await this.#connection(address)
    try {
      return await connection.send(api, request)
    } catch (error) {
      if (isTransient(error)) await this.#drop(address, connection)
      throw error
    }
  }

  async #connection(address: Address): Promise<Connection> {
    if (this.#isClosed) throw new Transient('the source is closed')
    const key = `${address.host}:${address.port}`
    const known = await this.#connections.get(key)
    if (known?.isOpen === true) return known
    if (known !== undefined) await this.#drop(address, known)

    // Somebody else may have opened it meanwhile.
    const opening = this.#connections.get(key) ?? this.#open(key, address)
    return opening
  }

  async #open(key: string, address: Address): Promise<Connection> {
    const opening = Connection.open(this.#options, address)
    this.#connections.set(key, opening)
    try {
      return await opening
    } catch (error) {
      if (this.#connections.get(key) === opening) this.#connections.delete(key)
      throw error
    }
  }

  async #drop({ host, port }: Address, connection: Connection): Promise<void> {
    const key = `${host}:${port}`
    if ((await this.#connections.get(key)) === connection) this.#connections.delete(key)
    await connection[Symbol.asyncDispose]()
  }
}

type Address = { readonly host: string; readonly port: number }

/** Of `host:port`; an IPv6 address stands in brackets. */
function addressOf(broker: string): Address {
  const colon = broker.lastIndexOf(':')
  const host = broker.slice(0, colon).replace(/^\[(.*)\]$/, '$1')
  return { host, port: Number(broker.slice(colon + 1)) }
}

function shuffled<T>(items: readonly T[]): T[] {
  const from = Math.floor(Math.random() * items.length)
  return [...items.slice(from), ...items.slice(0, from)]
}
