import { dumpLine } from './topic-dump.ts'
import type { Message } from './message.ts'
import type { Decoded, SourceRecord, StreamName } from '../ports/source.ts'
import type { Value } from '../core/value.ts'

/** A message, decoded. Its bytes are its line in a dump, so that one set aside can be replayed. */
export class MessageRecord implements SourceRecord {
  readonly decoded: Decoded
  readonly #message: Message

  constructor(message: Message, decoded: Decoded) {
    this.#message = message
    this.decoded = decoded
  }

  get stream(): StreamName {
    return this.#message.stream
  }

  get number(): number {
    return this.#message.offset
  }

  get timestamp(): Value {
    return this.#message.timestamp
  }

  /** Made only when asked for: few records are set aside. */
  get bytes(): Uint8Array {
    return Buffer.from(dumpLine(this.#message), 'utf8')
  }
}
