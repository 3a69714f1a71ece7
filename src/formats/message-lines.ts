import { isRefusal } from '../core/refusal.ts'
import type { Decoded, SourceRecord } from '../ports/source.ts'
import type { Framed, Framing, FramingOptions, OpenEnd, Place } from './framing.ts'
import { Lines } from './lines.ts'
import type { Message, MessageFormat } from './message.ts'
import { MessageRecord } from './message-record.ts'
import { TopicDump } from './topic-dump.ts'

/** What the lines of a file are, where they are messages. */
export type LineMessages = {
  readonly format: MessageFormat
  /** Whether a line is a dumped message with its key, its headers and its place, or only a value. */
  readonly areDumped: boolean
}

/**
 * Lines that are messages. One that was dumped has the place that it had in its topic; the value
 * alone is a message without a key, at the number of its line.
 */
export class MessageLines implements Framing {
  readonly #lines: Lines
  readonly #format: MessageFormat
  readonly #dump: TopicDump | null

  constructor(options: FramingOptions, { format, areDumped }: LineMessages) {
    this.#lines = new Lines(options, WHOLE_LINES)
    this.#format = format
    this.#dump = areDumped ? new TopicDump() : null
  }

  get place(): Place {
    return this.#lines.place
  }

  get heldFrom(): number {
    return this.#lines.heldFrom
  }

  get openEnd(): OpenEnd | null {
    return this.#lines.openEnd
  }

  push(chunk: Buffer): Framed {
    return this.#read(this.#lines.push(chunk))
  }

  finish(): Framed {
    return this.#read(this.#lines.finish())
  }

  #read(framed: Framed): Framed {
    return { ...framed, records: framed.records.map((record) => this.#record(record)) }
  }

  #record(line: SourceRecord): SourceRecord {
    if (isRefusal(line.decoded)) return line
    const bytes = Buffer.from(line.bytes.buffer, line.bytes.byteOffset, line.bytes.byteLength)
    const message = this.#dump === null ? valueOnly(line, bytes) : this.#dump.read(bytes)
    if (isRefusal(message)) {
      return { stream: line.stream, number: line.number, bytes, decoded: message, timestamp: null }
    }
    return new MessageRecord(message, this.#format, line.bytes)
  }
}

/** Lines are not looked into before it is known what they are. */
const WHOLE: Decoded = { kind: 'ignored', reason: 'not read yet' }
const WHOLE_LINES = { decode: (): Decoded => WHOLE }

function valueOnly({ stream, number }: SourceRecord, value: Buffer): Message {
  return { stream, offset: number, key: null, value, headers: [], timestamp: null }
}
