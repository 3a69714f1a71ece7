import type { Stamp, Stream } from './change.ts'
import type { Sequence } from './sequence.ts'

/** What most stamps have in common. */
type Rest = Pick<Stamp, 'rank' | 'system' | 'part'>

const PLAIN: Rest = { rank: 0, system: null, part: 0 }

/**
 * Very many stamps in little memory, by number from 1 on: an object each would take twice as much,
 * and all of them would be looked at whenever memory is tidied up.
 */
export class StampTable {
  readonly #sequences: Sequence[] = []
  readonly #streams: Stream[] = []
  readonly #numbers: number[] = []
  readonly #rest = new Map<number, Rest>()

  get size(): number {
    return this.#sequences.length
  }

  /** Adds a stamp; gives its number. */
  add({ sequence, rank, system, stream, number, part }: Stamp): number {
    const index = this.#sequences.push(sequence)
    this.#streams.push(stream)
    this.#numbers.push(number)
    if (rank !== 0 || system !== null || part !== 0) this.#rest.set(index, { rank, system, part })
    return index
  }

  /** The sequence of a stamp; undefined of none. */
  sequence(index: number): Sequence | undefined {
    return this.#sequences[index - 1]
  }

  /** A stamp by its number; undefined of none. */
  at(index: number): Stamp | undefined {
    const sequence = this.#sequences[index - 1]
    const stream = this.#streams[index - 1]
    const number = this.#numbers[index - 1]
    if (sequence === undefined || stream === undefined || number === undefined) return undefined
    const { rank, system, part } = this.#rest.get(index) ?? PLAIN
    return { sequence, rank, system, stream, number, part }
  }
}
