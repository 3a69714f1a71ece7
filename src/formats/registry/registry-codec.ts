import type { JsonNode } from '../../core/json.ts'
import { isRefusal, refuse } from '../../core/refusal.ts'
import type { Refusal } from '../../core/refusal.ts'
import type { SchemaId, SchemaSource, SchemaText } from '../../ports/schema-source.ts'
import type { Codec } from '../envelope.ts'
import type { Message } from '../message.ts'
import type { ConnectTypes } from './connect-types.ts'
import { frameOf } from './frame.ts'
import type { IdBytes } from './frame.ts'
import { Malformed } from './malformed.ts'
import type { PayloadDecoder } from './payload-decoder.ts'

/** How the messages of a topic are encoded. */
export type RegistryCodecOptions = {
  readonly source: SchemaSource
  /** What the schemas of values have to be; keys may have others. */
  readonly kind: SchemaText['kind']
  /** See {@link IdBytes}; 4 unless said otherwise. */
  readonly idBytes?: IdBytes
  readonly connectTypes: ConnectTypes
  /** Reads the keys where no registry knows them: text, JSON and the like. Absent: keys are framed as values are. */
  readonly keys?: Codec
}

/** Schemas are asked for this many at a time. */
const FETCHES_AT_ONCE = 8

/**
 * Reads keys and values that name their schema in a registry: Avro, Protobuf and JSON Schema.
 *
 * A schema is fetched and worked out once. One that the registry does not know is asked for
 * again with the next batch; until it is there, records that name it are refused.
 */
export class RegistryCodec implements Codec {
  readonly #options: RegistryCodecOptions
  readonly #idBytes: IdBytes
  readonly #known = new Map<string, Known>()

  constructor(options: RegistryCodecOptions) {
    this.#options = options
    this.#idBytes = options.idBytes ?? 4
  }

  /** @throws TidemarkError `SCHEMA_UNAVAILABLE` */
  async prepare(messages: readonly Message[]): Promise<void> {
    await this.#options.keys?.prepare?.(messages)
    const wanted = new Map<string, SchemaId>()
    for (const message of messages) {
      this.#want(wanted, 'value', message.value, message)
      if (this.#options.keys === undefined) this.#want(wanted, 'key', message.key, message)
    }
    const ids = [...wanted.values()]
    for (let at = 0; at < ids.length; at += FETCHES_AT_ONCE) {
      const some = ids.slice(at, at + FETCHES_AT_ONCE)
      await Promise.all(some.map(async (id) => this.#learn(id)))
    }
  }

  decode(
    part: 'key' | 'value',
    bytes: Buffer,
    message: Message,
  ): { readonly node: JsonNode } | Refusal {
    const { keys, kind } = this.#options
    if (part === 'key' && keys !== undefined) return keys.decode(part, bytes, message)
    const frame = frameOf(part, bytes, message, this.#idBytes)
    if (isRefusal(frame)) return frame

    const name = nameOf(frame.id)
    const known = this.#known.get(name)
    if (known === undefined) {
      return refuse('UNDECODABLE', `the ${part} names ${name}, which the registry does not have`)
    }
    if ('fault' in known) return refuse('UNDECODABLE', `${name} cannot be used: ${known.fault}`)
    if (part === 'value' && known.kind !== kind) {
      return refuse('UNDECODABLE', `the value names ${name}, which is ${known.kind}, not ${kind}`)
    }
    const decoded = attempt(() => known.decoder(frame.payload, frame.afterId))
    if ('fault' in decoded) {
      return refuse('UNDECODABLE', `the ${part} does not fit ${name}: ${decoded.fault}`)
    }
    return { node: decoded.result }
  }

  #want(
    wanted: Map<string, SchemaId>,
    part: 'key' | 'value',
    bytes: Buffer | null,
    message: Message,
  ): void {
    if (bytes === null) return
    const frame = frameOf(part, bytes, message, this.#idBytes)
    if (isRefusal(frame)) return
    const name = nameOf(frame.id)
    if (!this.#known.has(name)) wanted.set(name, frame.id)
  }

  async #learn(id: SchemaId): Promise<void> {
    const schema = await this.#options.source.fetch(id)
    if (schema === null) return
    // Most flows have no registry, and are not to wait for what reads its schemas.
    const { schemaDecoder } = await import('./schema-decoder.ts')
    const made = attempt(() => schemaDecoder(schema, this.#options.connectTypes))
    this.#known.set(
      nameOf(id),
      'fault' in made ? made : { kind: schema.kind, decoder: made.result },
    )
  }
}

/** What became of a schema: its decoder, or why there is none. */
type Known = { readonly kind: SchemaText['kind']; readonly decoder: PayloadDecoder } | Fault

type Fault = { readonly fault: string }

function nameOf({ by, text }: SchemaId): string {
  return by === 'id' ? `schema ${text}` : `schema GUID ${text}`
}

function attempt<T>(make: () => T): { readonly result: T } | Fault {
  try {
    return { result: make() }
  } catch (error) {
    if (error instanceof Malformed) return { fault: error.message }
    throw error
  }
}
