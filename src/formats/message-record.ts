import type { Value } from '../core/value.ts'
import type { Decoded, SourceRecord, StreamName } from '../ports/source.ts'
import type { Message, MessageFormat } from './message.ts'
import { dumpLine } from './topic-dump.ts'

/**
 * A message as a record of its topic, decoded when it is looked at: prepare the format before.
 *
 * Decoded once per look and not kept, for what comes of a message is looked at once, and holds the
 * whole tree of its JSON: kept, a batch would hold all of them.
 */
export class MessageRecord implements SourceRecord {
  readonly message: Message
  readonly #format: MessageFormat
  readonly #bytes: Uint8Array | null

  /** `bytes` are those that the message was made from; without them, its line in a dump. */
  constructor(message: Message, format: MessageFormat, bytes: Uint8Array | null = null) {
    this.message = message
    this.#format = format
    this.#bytes = bytes
  }

  get stream(): StreamName {
    return this.message.stream
  }

  get number(): number {
    return this.message.offset
  }

  get timestamp(): Value {
    return this.message.timestamp
  }

  get decoded(): Decoded {
    return this.#format.decode(this.message)
  }

  /** So that a message set aside can be replayed, key, headers and all. */
  get bytes(): Uint8Array {
    return this.#bytes ?? Buffer.from(dumpLine(this.message), 'utf8')
  }
}
