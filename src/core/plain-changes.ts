import { compareStreams, type Stream } from './change.ts'
import { BugError } from './errors.ts'
import { grown } from './grown.ts'
import { encodeSequence, type Sequence, type SequenceType } from './sequence.ts'
import type { Value } from './value.ts'

/** Values of a row by index. */
export interface CellValues {
  at(index: number): Value | undefined
}

/** What is held of values, for which those that they take the place of may be used. */
export type Hold<V> = (values: V, older: V | null) => V

/** The place of a change that is ordered by an integer and its record alone. */
export type PlainStamp = {
  readonly sequence: number
  readonly stream: Stream
  readonly number: number
}

/**
 * An upsert or a deletion with such a place, before an object is made of it: most changes of a
 * backlog are never written.
 */
export type PlainChange<V> = PlainStamp & {
  /** Null for a deletion. */
  readonly values: V | null
  /** For each column of the target the index of its value, -1 where it is null. */
  readonly order: readonly number[]
}

/** Very many plain changes in little memory, one at most for each slot. */
export class PlainChanges<V extends CellValues> {
  /** By slot, as all others here; not a number where there is no change. */
  #sequences = new Float64Array(0)
  #numbers = new Float64Array(0)
  readonly #streams: Stream[] = []
  readonly #values: (V | null)[] = []
  readonly #orders: (readonly number[])[] = []
  readonly #hold: Hold<V>

  constructor(hold: Hold<V>) {
    this.#hold = hold
  }

  /** Makes room for one more slot. */
  add(change: PlainChange<V> | null): void {
    const slot = this.#values.push(null) - 1
    if (slot >= this.#sequences.length) {
      this.#sequences = grown(this.#sequences, slot + 1)
      this.#numbers = grown(this.#numbers, slot + 1)
    }
    this.#sequences[slot] = Number.NaN
    if (change !== null) this.put(slot, change)
  }

  /** The sequence of a slot's change; not a number where it has none. */
  sequence(slot: number): number {
    return this.#sequences[slot] ?? Number.NaN
  }

  /** Whether a change stands after that of a slot, with which it shares the sequence. */
  isAfter({ stream, number }: PlainChange<V>, slot: number): boolean {
    const other = this.#streams[slot]
    const order = other === undefined ? 0 : compareStreams(stream, other)
    return order === 0 ? number > (this.#numbers[slot] ?? 0) : order > 0
  }

  /** Whether a change is of the same record as that of a slot. */
  isSameRecord({ stream, number }: PlainChange<V>, slot: number): boolean {
    return this.#streams[slot] === stream && this.#numbers[slot] === number
  }

  put(slot: number, { sequence, stream, number, values, order }: PlainChange<V>): void {
    this.#sequences[slot] = sequence
    this.#numbers[slot] = number
    this.#streams[slot] = stream
    this.#orders[slot] = order
    this.#values[slot] = values === null ? null : this.#hold(values, this.#values[slot] ?? null)
  }

  /** The change of a slot, which is no longer held; null where it has none. */
  take(slot: number): PlainChange<V> | null {
    const change = this.at(slot)
    this.#sequences[slot] = Number.NaN
    this.#values[slot] = null
    return change
  }

  /** The change of a slot; null where it has none. */
  at(slot: number): PlainChange<V> | null {
    const sequence = this.sequence(slot)
    const stream = this.#streams[slot]
    if (stream === undefined || Number.isNaN(sequence)) return null
    const number = this.#numbers[slot] ?? 0
    return {
      sequence,
      stream,
      number,
      values: this.#values[slot] ?? null,
      order: this.#orders[slot] ?? [],
    }
  }
}

/** The sequence that a plain change is ordered by. */
export function plainSequence(integer: number): Sequence {
  const sequence = encodeSequence(integer, NUMBER)
  if (sequence === null) throw new BugError(`no sequence: ${integer}`)
  return sequence
}

const NUMBER: SequenceType = { parts: ['number'], list: false }
