import { createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiName } from './api-names.ts'
import { APIS } from './broker-apis.ts'
import type { Versions } from './broker-call.ts'
import { BrokerScript } from './broker-script.ts'
import type { TopicScript } from './scripted-topics.ts'
import { WireReader, WireWriter } from './wire-bytes.ts'

/**
 * What a client has asked: `at` holds the group or topic names of the request and, for each partition,
 * `topic:partition@offset` (Fetch, OffsetCommit) or `topic:partition@timestamp` (ListOffsets).
 */
export type Asked = {
  readonly api: ApiName
  readonly clientId: string
  readonly at: readonly string[]
}

type Trigger = { readonly api: ApiName; readonly word: string; readonly action: () => void }

/** How the broker differs from a new one. */
export type BrokerOptions = {
  /** The highest version of requests; `{ Metadata: 6, Fetch: 11 }` is a broker that knows no topic ids. */
  readonly most?: Partial<Record<ApiName, number>>
}

/** A broker of before Kafka 2.8, which has no topic ids. */
export const WITHOUT_TOPIC_IDS: BrokerOptions = { most: { Fetch: 11, Metadata: 6 } }

/**
 * A Kafka broker of one node that serves a script and misbehaves as told, over real TCP on 127.0.0.1.
 *
 *     await using broker = await ScriptedBroker.start({
 *       t: { partitions: [{ log: [data(0, { value: '{"id":1}' }), commit(1, 7)], high: 2n }] },
 *     })
 *     new Kafka({ brokers: [broker.address] })
 *
 * It takes nothing in but offsets that groups commit, and keeps no state beyond its own life.
 */
export class ScriptedBroker implements AsyncDisposable {
  /** What is served, and the ways to change it and to misbehave. */
  readonly script: BrokerScript
  /** All requests so far, in the order in which they were read. */
  readonly requests: Asked[] = []
  readonly #awaited: Trigger[] = []
  readonly #sockets = new Set<Socket>()
  readonly #versions: readonly (readonly [api: number, versions: Versions])[]
  #server: Server
  #port = 0

  private constructor(topics: Readonly<Record<string, TopicScript>>, { most }: BrokerOptions) {
    this.script = new BrokerScript(topics)
    this.#server = this.#unbound()
    this.#versions = APIS.map(({ number, name, versions }) => [
      number,
      [versions[0], most?.[name] ?? versions[1]],
    ])
  }

  /** A running broker, on a free port. */
  static async start(
    topics: Readonly<Record<string, TopicScript>>,
    options: BrokerOptions = {},
  ): Promise<ScriptedBroker> {
    const broker = new ScriptedBroker(topics, options)
    await broker.comeUp()
    return broker
  }

  /** `host:port`, the same over all outages. */
  get address(): string {
    return `127.0.0.1:${this.#port}`
  }

  /** What was asked of one api, each request as its words joined by a blank. */
  asked(api: ApiName): readonly string[] {
    return this.requests.filter((request) => request.api === api).map(({ at }) => at.join(' '))
  }

  /** Breaks all connections and refuses new ones until {@link comeUp}. */
  async goDown(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    this.dropConnections()
    await closed
  }

  /** Listens, again on the same port after {@link goDown}. */
  async comeUp(): Promise<void> {
    this.#server = this.#unbound()
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(this.#port, '127.0.0.1', resolve)
    })
    this.#port = portOf(this.#server.address())
  }

  /** Breaks the connections that are open now; clients may connect again at once. */
  dropConnections(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.script.close()
    await this.goDown()
  }

  /** Resolves when requests of this api have named the word so many times, those so far included. */
  async untilAsked(api: ApiName, word: string, times = 1): Promise<void> {
    const count = (): number =>
      this.requests.filter((request) => request.api === api && request.at.includes(word)).length
    while (count() < times) await new Promise<void>((resolve) => this.after(api, word, resolve))
  }

  /** Acts once, as soon as a request of this api names the word: `after('Fetch', 't:0@5', …)`. */
  after(api: ApiName, word: string, action: () => void): void {
    this.#awaited.push({ api, word, action })
  }

  #log(request: Asked): void {
    this.requests.push(request)
    const due = this.#awaited.filter(
      ({ api, word }) => api === request.api && request.at.includes(word),
    )
    for (const awaited of due) {
      this.#awaited.splice(this.#awaited.indexOf(awaited), 1)
      awaited.action()
    }
  }

  #unbound(): Server {
    return createServer((socket) => {
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
      socket.on('error', () => socket.destroy())
      this.#serve(socket).catch((cause: unknown) => socket.destroy(asError(cause)))
    })
  }

  async #serve(socket: Socket): Promise<void> {
    let rest = Buffer.alloc(0)
    for await (const chunk of socket) {
      rest = Buffer.concat([rest, chunk as Buffer])
      while (rest.length >= 4 && rest.length >= 4 + rest.readInt32BE(0)) {
        const end = 4 + rest.readInt32BE(0)
        await this.#answer(socket, rest.subarray(4, end))
        rest = rest.subarray(end)
      }
    }
  }

  async #answer(socket: Socket, bytes: Buffer): Promise<void> {
    const reader = new WireReader(bytes)
    const number = reader.int16()
    const version = reader.int16()
    const correlation = reader.int32()
    const clientId = reader.nullableString() ?? ''
    const api = APIS.find((known) => known.number === number)
    if (api === undefined) throw new Error(`the request ${number} is not scripted`)

    const dropped = this.script.dropOf(api.name)
    const delayMs = this.script.delayOf(api.name)
    if (delayMs > 0) await sleep(delayMs, undefined, { ref: false })
    if (dropped) {
      socket.destroy()
      return
    }

    const form = version >= (api.flexibleFrom ?? Infinity) ? 'flexible' : 'plain'
    reader.as(form)
    reader.end()
    const body = new WireWriter(form).int32(correlation).end()
    await api.answer({
      reader,
      body,
      version,
      clientId,
      script: this.script,
      host: '127.0.0.1',
      port: this.#port,
      versions: this.#versions,
      asked: (...words) => this.#log({ api: api.name, clientId, at: words }),
    })
    if (!socket.destroyed) socket.write(new WireWriter().blob(body.bytes()).bytes())
  }
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('no TCP address')
  return address.port
}

function asError(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error(String(cause))
}
