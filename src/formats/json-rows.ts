import type { Decoded } from '../ports/source.ts'
import { EnvelopeFormat } from './envelope.ts'
import { JsonCodec } from './json-codec.ts'
import { JsonRecords } from './json-record.ts'
import type { Message, MessageFormat } from './message.ts'
import { PlainRows } from './plain-rows.ts'

/**
 * Plain rows in JSON. Most are read as lines of files are, without a tree of maps in between;
 * whatever that way cannot read, or is no row, goes the long one, which alone refuses.
 */
export class JsonRows implements MessageFormat {
  readonly #records = new JsonRecords()
  readonly #exact = new EnvelopeFormat(new JsonCodec(), new PlainRows())

  decode(message: Message): Decoded {
    const { value } = message
    if (value === null) return this.#exact.decode(message)
    return this.#records.decodeFast(value, 0, value.length) ?? this.#exact.decode(message)
  }
}
