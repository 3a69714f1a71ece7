import type { Stamp, Stream } from './change.ts'
import { grown } from './grown.ts'
import { plainSequence, type PlainStamp } from './plain-changes.ts'
import type { Sequence } from './sequence.ts'

/** What most stamps have in common. */
type Rest = Pick<Stamp, 'rank' | 'system' | 'part'>

const PLAIN: Rest = { rank: 0, system: null, part: 0 }

/**
 * Very many stamps in little memory, by number from 1 on: an object each would take twice as much,
 * and all of them would be looked at whenever memory is tidied up.
 */
export class StampTable {
  /** Undefined where the sequence is an integer, which takes less memory. */
  readonly #sequences: (Sequence | undefined)[] = []
  /** By the number of a stamp, less one; not a number where the sequence is none. */
  #integers = new Float64Array(0)
  readonly #rest = new Map<number, Rest>()
  readonly #streams: Stream[] = []
  readonly #streamNumbers = new Map<Stream, number>()
  /** By the number of a stamp, less one: its stream as an index, and its number there. */
  #streamOf = new Uint32Array(0)
  #numbers = new Float64Array(0)
  /** The stream of the last one. */
  #last: { readonly stream: Stream | null; readonly number: number } = { stream: null, number: -1 }

  get size(): number {
    return this.#sequences.length
  }

  /** Adds a stamp; gives its number. */
  add({ sequence, rank, system, stream, number, part }: Stamp): number {
    const size = this.#add(stream, number, sequence)
    if (rank !== 0 || system !== null || part !== 0) this.#rest.set(size, { rank, system, part })
    return size
  }

  /** Adds the stamp of a plain change; gives its number. */
  addPlain({ sequence, stream, number }: PlainStamp): number {
    const size = this.#add(stream, number, undefined)
    this.#integers[size - 1] = sequence
    return size
  }

  /** Adds a stamp of another table; gives its number here, 0 for none. */
  addFrom(other: StampTable, index: number): number {
    const sequence = other.integer(index)
    const stream = other.#streams[other.#streamOf[index - 1] ?? -1]
    if (Number.isNaN(sequence) || stream === undefined) {
      const stamp = other.at(index)
      return stamp === undefined ? 0 : this.add(stamp)
    }
    return this.addPlain({ sequence, stream, number: other.#numbers[index - 1] ?? 0 })
  }

  /** The sequence of a stamp that was added as a plain one; not a number for others, and of none. */
  integer(index: number): number {
    return this.#integers[index - 1] ?? Number.NaN
  }

  /** The sequence of a stamp; undefined of none. */
  sequence(index: number): Sequence | undefined {
    const integer = this.integer(index)
    return Number.isNaN(integer) ? this.#sequences[index - 1] : plainSequence(integer)
  }

  /** A stamp by its number; undefined of none. */
  at(index: number): Stamp | undefined {
    const sequence = this.sequence(index)
    const stream = this.#streams[this.#streamOf[index - 1] ?? -1]
    const number = this.#numbers[index - 1]
    if (sequence === undefined || stream === undefined || number === undefined) return undefined
    const { rank, system, part } = this.#rest.size === 0 ? PLAIN : (this.#rest.get(index) ?? PLAIN)
    return { sequence, rank, system, stream, number, part }
  }

  #add(stream: Stream, number: number, sequence: Sequence | undefined): number {
    const size = this.#sequences.push(sequence)
    if (size > this.#numbers.length) {
      this.#numbers = grown(this.#numbers, size)
      this.#integers = grown(this.#integers, size).fill(Number.NaN, size - 1)
      this.#streamOf = grown(this.#streamOf, size)
    }
    this.#numbers[size - 1] = number
    this.#streamOf[size - 1] =
      this.#last.stream === stream ? this.#last.number : this.#streamNumber(stream)
    return size
  }

  #streamNumber(stream: Stream): number {
    const known = this.#streamNumbers.get(stream)
    const number = known ?? this.#streams.push(stream) - 1
    if (known === undefined) this.#streamNumbers.set(stream, number)
    this.#last = { stream, number }
    return number
  }
}
