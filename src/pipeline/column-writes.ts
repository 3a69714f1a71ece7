import { isObject } from '../core/columns.ts'
import type { Row } from '../core/value.ts'
import type { Writes } from '../core/writes.ts'
import type { FlowSpec } from './flow-spec-type.ts'
import type { TargetDraft } from './target-draft.ts'

/** Of so many columns the ones without a value fit a number. */
const MOST_BITS = 30

/** What decides which columns an upsert writes, taken from the record. */
export type WrittenColumns = {
  /** Columns named by `columns_to_update`; null where the other options hold. */
  readonly named: readonly string[] | null
  readonly unavailable: readonly string[]
  /** Whether columns that the record lacks keep their value, whatever the flow says. */
  readonly isPartial: boolean
  /** Columns whose objects merge into what is there. */
  readonly merge: readonly string[]
}

/** Nothing but the values decides. */
export const PLAIN: WrittenColumns = { named: null, unavailable: [], isPartial: false, merge: [] }

/**
 * Which columns of the target the records of one shape write (semantics 3).
 *
 * In most of them that depends only on which cells are null, and the same ones are null again and
 * again: such records share one object.
 */
export class ColumnWrites {
  private readonly flow: FlowSpec
  private readonly draft: TargetDraft
  private readonly inRecord: ReadonlySet<string>
  /** By the cells that are not null, a bit each; of the target as it was then. */
  private readonly known = new Map<number, Writes>()
  private columns: readonly string[] = []

  /** @param inRecord the columns that the records have */
  constructor(flow: FlowSpec, draft: TargetDraft, inRecord: ReadonlySet<string>) {
    this.flow = flow
    this.draft = draft
    this.inRecord = inRecord
  }

  /** What a record writes of which all cells that it does not write are null. */
  ofAll(row: Row): Writes {
    const { columns } = this.draft.facts
    if (columns !== this.columns) {
      this.known.clear()
      this.columns = columns
    }
    const bits = bitsOf(row)
    if (bits === null) return this.ofSome(row, PLAIN)
    const known = this.known.get(bits)
    if (known !== undefined) return known
    const writes = this.ofSome(row, PLAIN)
    this.known.set(bits, writes)
    return writes
  }

  /** What a record writes that names columns, marks them as unavailable, or leaves them out. */
  ofSome(row: Row, said: WrittenColumns): Writes {
    const { columns, keys } = this.draft.facts
    const absent = new Set(said.unavailable)
    if (said.named !== null) {
      const listed = new Set([...keys, ...said.named].filter((name) => !absent.has(name)))
      const ordinals = [...listed].flatMap((name) => this.draft.ordinal(name) ?? [])
      return { mode: 'only', columns: ordinals, merge: [] }
    }

    const keepsMissing = this.flow.missing_columns === 'keep' || said.isPartial
    const written: number[] = []
    const unwritten: number[] = []
    const merge: number[] = []
    for (const [ordinal, name] of columns.entries()) {
      const value = row[ordinal] ?? null
      const isKey = keys.includes(name)
      const ignores = !isKey && ignoresNull(this.flow, name)
      const isMissing = !isKey && !this.inRecord.has(name)
      const skipped = absent.has(name) || (ignores && value === null) || (keepsMissing && isMissing)
      const merges = ignores || said.merge.includes(name)
      ;(skipped ? unwritten : written).push(ordinal)
      if (!skipped && merges && isObject(value)) merge.push(ordinal)
    }

    // A column that comes to be later is null here: whether that is written decides the mode.
    if (keepsMissing || ignoresLaterColumns(this.flow)) {
      return { mode: 'only', columns: written, merge }
    }
    if (unwritten.length === 0 && merge.length === 0) return 'all'
    return { mode: 'except', columns: unwritten, merge }
  }
}

/** A bit for each cell that is not null; null where there are too many, or objects, which may merge. */
function bitsOf(row: Row): number | null {
  if (row.length > MOST_BITS) return null
  let bits = 0
  for (let i = 0; i < row.length; i += 1) {
    const value = row[i] ?? null
    if (value === null) continue
    if (isObject(value)) return null
    bits |= 1 << i
  }
  return bits
}

function ignoresNull(flow: FlowSpec, name: string): boolean {
  if (flow.ignore_null_updates) return true
  if (flow.ignore_null_updates_column_list !== null) {
    return flow.ignore_null_updates_column_list.includes(name)
  }
  const { ignore_null_updates_except_column_list: except } = flow
  return except !== null && !except.includes(name)
}

function ignoresLaterColumns(flow: FlowSpec): boolean {
  return flow.ignore_null_updates || flow.ignore_null_updates_except_column_list !== null
}
