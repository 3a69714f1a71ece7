import { keyParts } from '../core/key.ts'
import { cell, sameValue, type Row, type Value } from '../core/value.ts'
import type { SnapshotRecord } from '../ports/snapshots.ts'
import type { DiffRow } from './snapshot-diff.ts'

/** What one snapshot would do: counts and verdicts, how often each column would change, and some of the rows. */
export type SnapshotPlan = {
  readonly record: SnapshotRecord
  /** Columns that differ in some row that would be updated, the most often changed first. */
  readonly columns: readonly PlannedColumn[]
  /** Up to five rows of each kind. */
  readonly samples: readonly PlannedRow[]
}

/** How many of the updated rows have another value in a column. */
export type PlannedColumn = { readonly name: string; readonly changed: number }

/** A row that a snapshot would bring, change or delete. */
export type PlannedRow = {
  readonly change: 'insert' | 'update' | 'delete'
  /** The values of the keys, in order. */
  readonly key: readonly Value[]
  /** Of an update the columns that differ, else those that are not null; keys aside. */
  readonly values: readonly PlannedValue[]
}

/** A value before and after; null where there is no row. */
export type PlannedValue = {
  readonly column: string
  readonly before: Value
  readonly after: Value
}

/** Rows of each kind that a plan shows. */
const SAMPLES = 5

/** Gathers what a plan tells of rows, as they are compared. */
export class PlanNotes {
  private readonly changed: number[] = []
  private readonly rows: DiffRow[] = []
  private readonly shown = { insert: 0, update: 0, delete: 0 }

  /** Takes one row that differs. */
  note(row: DiffRow): void {
    if (row.before !== null && row.after !== null) {
      for (const column of differing(row.before, row.after)) {
        this.changed[column] = (this.changed[column] ?? 0) + 1
      }
    }
    if (this.shown[row.change] === SAMPLES) return
    this.shown[row.change] += 1
    this.rows.push(row)
  }

  /** The plan, once all rows were compared; `columns` are those of the target by ordinal. */
  plan(record: SnapshotRecord, columns: readonly string[], keys: readonly string[]): SnapshotPlan {
    return {
      record,
      columns: columns
        .map((name, ordinal) => ({ name, changed: this.changed[ordinal] ?? 0 }))
        .filter(({ changed }) => changed > 0)
        .toSorted((a, b) => b.changed - a.changed),
      samples: this.rows.map(({ change, key, before, after }) => ({
        change,
        key: keyParts(key),
        values: differing(before ?? [], after ?? []).flatMap((ordinal) => {
          const column = columns[ordinal] ?? ''
          if (keys.includes(column)) return []
          return [
            { column, before: cell(before ?? [], ordinal), after: cell(after ?? [], ordinal) },
          ]
        }),
      })),
    }
  }
}

function differing(before: Row, after: Row): number[] {
  const width = Math.max(before.length, after.length)
  return Array.from({ length: width }, (_, column) => column).filter(
    (column) => !sameValue(cell(before, column), cell(after, column)),
  )
}
