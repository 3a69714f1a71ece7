import type { BatchLimits, Checkpoint, Source, SourceBatch, StreamLag } from '../ports/source.ts'
import type { Message, MessageFormat } from './message.ts'
import { MessageRecord } from './message-record.ts'

/** A source whose records may be messages, and whose format is prepared for each batch before it is handed on. */
export class PreparedSource implements Source {
  readonly #source: Source
  readonly #format: MessageFormat

  constructor(source: Source, format: MessageFormat) {
    this.#source = source
    this.#format = format
  }

  async *read(
    after: readonly Checkpoint[],
    mode: 'bounded' | 'continuous',
    limits: BatchLimits,
    signal: AbortSignal,
  ): AsyncGenerator<SourceBatch> {
    for await (const batch of this.#source.read(after, mode, limits, signal)) {
      await this.#format.prepare?.(messagesOf(batch))
      yield batch
    }
  }

  lag(after: readonly Checkpoint[]): Promise<readonly StreamLag[]> {
    return this.#source.lag(after)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#source[Symbol.asyncDispose]()
  }
}

function messagesOf({ records }: SourceBatch): Message[] {
  return records.flatMap((record) => (record instanceof MessageRecord ? [record.message] : []))
}
