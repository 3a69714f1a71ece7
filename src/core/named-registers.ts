import { sameStamp, type KeyChange, type Truncate } from './change.ts'
import { contentDigest } from './content-digest.ts'
import { doesDeletionMatter, EMPTY, RegisterFile, stampsOf } from './registers.ts'
import type { Registers } from './registers.ts'
import type { Sequence } from './sequence.ts'
import { sameContent, type Content } from './timeline.ts'

/** An event as far as it is remembered: what it said, or only the digest of that. */
type Known = Content | string

/**
 * Joins the changes of one key where sequences name changes (semantics 1): one that says what was
 * said before at its sequence is left out, whatever became of the columns that it wrote.
 *
 * Of an event whose columns are all still its own, what it said is read off the registers. Of any
 * other one a digest is remembered for as long as its sequence has a say in some column: a
 * repetition at a later position would otherwise win against what came between.
 */
export class NamedRegisters {
  readonly #file: RegisterFile
  readonly #known: Map<Sequence, readonly Known[]>

  constructor(registers: Registers = EMPTY) {
    this.#file = new RegisterFile(registers)
    this.#known = new Map(registers.told ?? legible(registers))
  }

  /** Whether the feed said this before, as far as it still matters. */
  knows(change: KeyChange): boolean {
    return (this.#known.get(change.sequence) ?? []).some((other) => isSame(other, change))
  }

  /**
   * Joins a change unless it is known; says whether it was news. Of equal ones the first to come
   * must have the lowest position.
   */
  tell(change: KeyChange): boolean {
    if (this.knows(change)) return false
    const { sequence } = change
    this.#known.set(sequence, [...(this.#known.get(sequence) ?? []), change])
    this.#file.join(change)
    return true
  }

  /** Joins a truncate, which is no event of the key. */
  truncate(truncate: Truncate): void {
    this.#file.join(truncate)
  }

  /** All that was told. */
  registers(): Registers {
    const { written, deleted, base, columns } = this.#file.registers()
    const registers: Registers = { written, deleted, base, columns }
    const saying = sequencesOf(registers)
    const known = [...this.#known].filter(([sequence]) => saying.has(sequence))
    const isLegible = known.length === 1 && known[0]?.[1].length === 1
    if (known.length === 0 || (isLegible && legible(registers).size > 0)) return registers
    const told = known.map(([sequence, all]) => [sequence, digestsOf(all)] as const)
    return { ...registers, told: new Map(told) }
  }
}

/** The only event that is held, where all that it said can be read off the registers. */
function legible({ written, deleted, base, columns }: Registers): Map<Sequence, readonly Known[]> {
  if (written === null) {
    if (deleted === null || deleted.truncate) return new Map()
    const { sequence, rank } = deleted.stamp
    return new Map([[sequence, [{ op: 'delete', rank }]]])
  }
  if (base === null || columns.size > 0 || !sameStamp(base.stamp, written)) return new Map()
  const { rank, sequence } = written
  return new Map([[sequence, [{ op: 'upsert', rank, row: base.row, writes: 'all' }]]])
}

function sequencesOf(registers: Registers): ReadonlySet<Sequence> {
  const deleted = doesDeletionMatter(registers) ? registers.deleted : null
  return new Set(stampsOf({ ...registers, deleted }).map(({ sequence }) => sequence))
}

function digestsOf(known: readonly Known[]): readonly string[] {
  return known.map((each) => (typeof each === 'string' ? each : contentDigest(each))).toSorted()
}

function isSame(known: Known, change: KeyChange): boolean {
  if (typeof known === 'string') return known === contentDigest(change)
  return sameContent(known, change)
}
