import type { JsonNode } from '../core/json.ts'
import { isRefusal } from '../core/refusal.ts'
import type { Refusal } from '../core/refusal.ts'
import type { Decoded } from '../ports/source.ts'
import type { Message, MessageFormat } from './message.ts'

/**
 * Turns the bytes of a key or a value into a tree: JSON, or Avro and the like by a schema.
 *
 * Leaves are values with their types, as far as a schema gives them: decimals, bytes and
 * timestamps come tagged. What the bytes do not say stays as it is written.
 */
export interface Codec {
  /** See {@link MessageFormat}. */
  prepare?(messages: readonly Message[]): Promise<void>

  /** @returns the tree, `UNDECODABLE` for bytes that are none; null for nothing, as in `{"schema": null, "payload": null}` */
  decode(
    part: 'key' | 'value',
    bytes: Buffer,
    message: Message,
  ): { readonly node: JsonNode } | Refusal
}

/** A message whose value has been decoded; its key is on demand, for many records do without. */
export type Opened = {
  readonly message: Message
  /** Null for a message without a value, or whose value says so itself. */
  readonly value: JsonNode
  /** Null for a message without a key. */
  readonly key: () => JsonNode | Refusal
}

/** Understands the records of one kind of change feed, however they are encoded. */
export interface Envelope {
  read(opened: Opened): Decoded
}

/** A codec and an envelope together. */
export class EnvelopeFormat implements MessageFormat {
  readonly #codec: Codec
  readonly #envelope: Envelope

  constructor(codec: Codec, envelope: Envelope) {
    this.#codec = codec
    this.#envelope = envelope
  }

  async prepare(messages: readonly Message[]): Promise<void> {
    await this.#codec.prepare?.(messages)
  }

  decode(message: Message): Decoded {
    const value = this.#open('value', message.value, message)
    if (isRefusal(value)) return value
    return this.#envelope.read({
      message,
      value,
      key: () => this.#open('key', message.key, message),
    })
  }

  #open(part: 'key' | 'value', bytes: Buffer | null, message: Message): JsonNode | Refusal {
    if (bytes === null) return null
    const decoded = this.#codec.decode(part, bytes, message)
    return isRefusal(decoded) ? decoded : decoded.node
  }
}
