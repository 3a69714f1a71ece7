import { timestampFromEpoch } from '../../core/temporal.ts'
import type { Value } from '../../core/value.ts'
import type { Message, MessageHeader } from '../../formats/message.ts'
import type { StreamName } from '../../ports/source.ts'
import { BrokenBatch } from './record-batch.ts'
import type { RecordBatch } from './record-batch.ts'

/**
 * The messages of a batch with offsets within `from` and `until` (not included). Keys and
 * values are views of the bytes.
 *
 * @param records the batch's records, unpacked
 * @throws BrokenBatch when they are not what the header promises
 */
export function messagesOf(
  batch: RecordBatch,
  records: Buffer,
  {
    stream,
    from,
    until,
  }: { readonly stream: StreamName; readonly from: number; readonly until: number },
): Message[] {
  const cutting = new RecordCutting(records)
  const messages: Message[] = []
  try {
    for (let i = 0; i < batch.count; i++) {
      const offset = cutting.open(batch.baseOffset)
      if (offset < from || offset >= until) cutting.skip()
      else messages.push(cutting.message(stream, offset, batch))
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new BrokenBatch(`the records of the batch at offset ${batch.baseOffset} are broken`)
  }
  return messages
}

/** Whether the mark of a control batch says that its transaction was given up. */
export function isAbort(records: Buffer): boolean {
  const cutting = new RecordCutting(records)
  cutting.open(0)
  const key = cutting.bytes()
  return key !== null && key.length >= 4 && key.readInt16BE(2) === 0
}

/** A message whose time is spelt out only for those that ask for it: few do. */
class FetchedMessage implements Message {
  readonly stream: StreamName
  readonly offset: number
  readonly key: Buffer | null
  readonly value: Buffer | null
  readonly headers: readonly MessageHeader[]
  readonly #ms: number

  /** @param ms milliseconds since 1970; negative where the record has no time */
  constructor({ stream, offset, key, value, headers }: Omit<Message, 'timestamp'>, ms: number) {
    this.stream = stream
    this.offset = offset
    this.key = key
    this.value = value
    this.headers = headers
    this.#ms = ms
  }

  get timestamp(): Value {
    return this.#ms < 0 ? null : timestampFromEpoch(this.#ms, 'ms')
  }
}

/** Walks over records that lie one behind the other. */
class RecordCutting {
  readonly #bytes: Buffer
  #at = 0
  #end = 0
  #timestampDelta = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** Goes on to the next record; gives its offset. */
  open(baseOffset: number): number {
    const length = this.#varint()
    this.#end = this.#at + length
    if (length < 0 || this.#end > this.#bytes.length) throw new RangeError('length of a record')
    this.#at += 1
    this.#timestampDelta = this.#varint()
    return baseOffset + this.#varint()
  }

  skip(): void {
    this.#at = this.#end
  }

  /** The rest of the record that was opened. */
  message(stream: StreamName, offset: number, batch: RecordBatch): Message {
    const key = this.bytes()
    const value = this.bytes()
    const headers = this.#headers()
    const ms = batch.appendTimestamp ?? batch.baseTimestamp + this.#timestampDelta
    this.#at = this.#end
    return new FetchedMessage({ stream, offset, key, value, headers }, ms)
  }

  bytes(): Buffer | null {
    const length = this.#varint()
    if (length < 0) return null
    const from = this.#at
    this.#at += length
    if (this.#at > this.#end) throw new RangeError('length of a key or value')
    return this.#bytes.subarray(from, this.#at)
  }

  #headers(): readonly MessageHeader[] {
    const count = this.#varint()
    if (count === 0) return NO_HEADERS
    const headers: MessageHeader[] = []
    for (let i = 0; i < count; i++)
      headers.push([this.bytes()?.toString('utf8') ?? '', this.bytes()])
    return headers
  }

  /** Zigzag, up to 64 bits; what we read of it fits 2^53. */
  #varint(): number {
    let raw = 0
    for (let scale = 1; scale < 2 ** 70; scale *= 128) {
      const byte = this.#bytes[this.#at++]
      if (byte === undefined) break
      raw += (byte & 0x7f) * scale
      if (byte < 0x80) return raw % 2 === 0 ? raw / 2 : -(raw + 1) / 2
    }
    throw new RangeError('a number without end')
  }
}

const NO_HEADERS: readonly MessageHeader[] = []
