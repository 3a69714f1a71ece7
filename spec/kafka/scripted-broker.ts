import { createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { APIS } from './broker-answers.ts'
import type { ApiName } from './broker-script.ts'
import { BrokerScript } from './broker-script.ts'
import type { TopicScript } from './scripted-topics.ts'
import { WireReader, WireWriter } from './wire-bytes.ts'

/** A request that was read, before it was answered. */
type Frame = { readonly api: number; readonly version: number; readonly reader: WireReader }

/**
 * What a client has asked: `at` holds the group or topic names of the request and, for each partition,
 * `topic:partition@offset` (Fetch, OffsetCommit) or `topic:partition@timestamp` (ListOffsets).
 */
export type Asked = {
  readonly api: ApiName
  readonly clientId: string
  readonly at: readonly string[]
}

const FIRST_FLEXIBLE_METADATA = 9

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
  /** All requests so far that were answered, in order; a request waits here for its answer. */
  readonly requests: Asked[] = []
  readonly #sockets = new Set<Socket>()
  #server: Server
  #port = 0

  private constructor(topics: Readonly<Record<string, TopicScript>>) {
    this.script = new BrokerScript(topics)
    this.#server = this.#listenerless()
  }

  /** A running broker, on a free port. */
  static async start(topics: Readonly<Record<string, TopicScript>>): Promise<ScriptedBroker> {
    const broker = new ScriptedBroker(topics)
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
    this.#server = this.#listenerless()
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

  #listenerless(): Server {
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
    const frame: Frame = { api: reader.int16(), version: reader.int16(), reader }
    const correlation = reader.int32()
    const clientId = reader.nullableString() ?? ''
    const api = APIS[frame.api]
    if (api === undefined) throw new Error(`api ${frame.api} is not scripted`)
    if (api.name === 'Metadata' && frame.version >= FIRST_FLEXIBLE_METADATA) reader.skipTags()

    const dropped = this.script.dropOf(api.name)
    const delayMs = this.script.delayOf(api.name)
    if (delayMs > 0) await sleep(delayMs)
    if (dropped) {
      socket.destroy()
      return
    }
    const { script } = this
    const call = { ...frame, clientId, script, host: '127.0.0.1', port: this.#port }
    const { body, asked } = await api.answer(call)
    this.requests.push({ api: api.name, clientId, at: asked })
    if (!socket.destroyed) socket.write(framed(correlation, body))
  }
}

function framed(correlation: number, body: WireWriter): Buffer {
  return new WireWriter()
    .blob(new WireWriter().int32(correlation).raw(body.bytes()).bytes())
    .bytes()
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('no TCP address')
  return address.port
}

function asError(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error(String(cause))
}
