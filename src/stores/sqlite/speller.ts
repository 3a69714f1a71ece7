import { BugError } from '../../core/errors.ts'
import { systemTypeOf } from '../../core/target.ts'
import { Axis } from './axis.ts'
import { cellText } from './cell-text.ts'
import type { SqlValue } from './connection.ts'
import { keyCell, keyOfCell } from './key-cell.ts'
import { RowCodec } from './row-codec.ts'
import { optionalSequence } from './stamp-codec.ts'
import { stampFaults } from './stamp-faults.ts'
import { parseTags, type Tags } from './tags.ts'
import type { StoredTarget } from './target.ts'
import { SYSTEM_CELLS } from './view.ts'

/**
 * Checks rows of one table of a target: reads what cells mean, spells it as the store does when it
 * writes, and compares. Learns nothing, and writes nothing.
 */
export class Speller {
  private readonly target: StoredTarget
  private readonly columns: readonly string[]
  private readonly valid: Axis
  private readonly system: Axis
  private readonly own: RowCodec
  private readonly times: RowCodec

  /** `columns` are those of the rows, `k` the first. */
  constructor(target: StoredTarget, columns: readonly string[]) {
    const { facts, valid, system, codec, times } = target
    this.target = target
    this.columns = columns
    this.valid = new Axis(facts.sequenceType, valid.digits, tooManyDigits)
    this.system = new Axis(systemTypeOf(facts), system.digits, tooManyDigits)
    this.own = copyOf(codec)
    this.times = copyOf(times)
  }

  /** What is spelled otherwise in a row, or cannot be read. */
  faults(cells: readonly SqlValue[]): string[] {
    const { columns, target } = this
    const { facts } = target
    const k = cells[0] ?? null
    try {
      return [
        ...difference('its key', k, keyCell(keyOfCell(k, facts.keys.length))),
        ...(columns.includes('a') ? this.bounds(cells, this.valid, VALID) : []),
        ...(columns.includes('since') ? this.bounds(cells, this.system, SYSTEM) : []),
        ...stampFaults(target, columns, cells),
        ...this.respelled(cells, this.times, { tags: 'wtags', names: TIMES }),
        ...this.respelled(cells, this.own, { tags: 'tags', names: facts.columns }),
      ]
    } catch (error) {
      if (error instanceof BugError || error instanceof SyntaxError) return [error.message]
      throw error
    }
  }

  /** Natural bounds are those of the sequences beside them. */
  private bounds(cells: readonly SqlValue[], axis: Axis, ends: Ends): string[] {
    const at = (column = ''): SqlValue => cells[this.columns.indexOf(column)] ?? null
    const [start, end] = ends.natural
    const [from, to] = axis.naturals(
      optionalSequence(at(ends.encoded[0])),
      optionalSequence(at(ends.encoded[1])),
    )
    return [
      ...difference(start, at(SYSTEM_CELLS[start]), from),
      ...difference(end, at(SYSTEM_CELLS[end]), to),
    ]
  }

  /** The cells of a row after its tags, where the table has them. */
  private respelled(
    cells: readonly SqlValue[],
    codec: RowCodec,
    { tags, names }: Spelled,
  ): string[] {
    const from = this.columns.indexOf(tags)
    if (from < 0) return []
    const out: SqlValue[] = []
    codec.encode(codec.decode(cells, from), out)
    const has = tagsIn(cells[from])
    const needs = tagsIn(out[0])
    return out.slice(1).flatMap((should, ordinal) => {
      const is = cells[from + 1 + ordinal] ?? null
      const name = JSON.stringify(names[ordinal] ?? ordinal)
      // A cell that was emptied for good, its column being excluded, may have kept its tag.
      if (is !== null && has.get(ordinal) !== needs.get(ordinal)) {
        return [`${name} is ${cellText(is)} under a tag that the store does not give it`]
      }
      return difference(name, is, should)
    })
  }
}

type Spelled = { readonly tags: string; readonly names: readonly string[] }

const TIMES = ['__START_TIME', '__END_TIME']

/** The columns of an interval: as sequences, and as readers see it. */
type Ends = {
  readonly encoded: readonly [from: string, to: string]
  readonly natural: readonly [start: string, end: string]
}

const VALID: Ends = { encoded: ['a', 'z'], natural: ['__START_AT', '__END_AT'] }

const SYSTEM: Ends = {
  encoded: ['since', 'until'],
  natural: ['__SYSTEM_START_AT', '__SYSTEM_END_AT'],
}

function tagsIn(cell: SqlValue | undefined): Tags {
  return typeof cell === 'string' ? parseTags(cell) : new Map()
}

function difference(what: string, is: SqlValue, should: SqlValue): string[] {
  const isSame =
    Buffer.isBuffer(is) && Buffer.isBuffer(should) ? is.equals(should) : Object.is(is, should)
  return isSame ? [] : [`${what} is ${cellText(is)}, where the store writes ${cellText(should)}`]
}

function copyOf({ shapes }: RowCodec): RowCodec {
  return new RowCodec(
    shapes.map((shape) => ({ ...shape })),
    tooManyDigits,
  )
}

function tooManyDigits(): never {
  throw new BugError('a time has more digits than its column is spelled with')
}
