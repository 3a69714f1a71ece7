import type { Stream } from '../core/change.ts'
import type { Key } from '../core/key.ts'
import type { StreamTail } from '../ports/store.ts'

type Tail = Pick<StreamTail, 'read' | 'deleted'>

/**
 * How far each stream of a flow has been read, and which key the last of its records deleted, so
 * that a message without a value that stands right behind is known to be the mark of that deletion,
 * and one that is read again is not taken for news.
 */
export class StreamTails {
  private readonly tails: Map<Stream, Tail>

  constructor(tails: ReadonlyMap<Stream, Tail> = new Map()) {
    this.tails = new Map(tails)
  }

  /** As a flow's record keeps them. */
  static of(kept: readonly StreamTail[], streamOf: (tail: StreamTail) => Stream): StreamTails {
    return new StreamTails(new Map(kept.map((tail) => [streamOf(tail), tail])))
  }

  /** For the flow's record, in order of their streams' numbers. */
  kept(): readonly StreamTail[] {
    return [...this.tails]
      .toSorted(([a], [b]) => a.id - b.id)
      .map(([{ name, partition }, { read, deleted }]) => ({ name, partition, read, deleted }))
  }

  /** To go on from without changing these. */
  copy(): StreamTails {
    return new StreamTails(this.tails)
  }

  /** Whether a record was read before. */
  hasRead(stream: Stream, number: number): boolean {
    return number <= (this.tails.get(stream)?.read ?? -1)
  }

  /** Whether the last record of a stream deleted this key. */
  endsInDeletionOf(key: Key, stream: Stream): boolean {
    return this.tails.get(stream)?.deleted === key
  }

  /** Goes past a record; `deleted` is the key that it deleted, undefined where it said nothing of any key. */
  pass(stream: Stream, number: number, deleted: Key | null | undefined): void {
    const before = this.tails.get(stream)
    if (before !== undefined && number <= before.read) return
    const last = deleted === undefined ? (before?.deleted ?? null) : deleted
    this.tails.set(stream, { read: number, deleted: last })
  }
}
