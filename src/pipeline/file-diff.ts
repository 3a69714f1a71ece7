import { compareCodePoints } from '../core/code-points.ts'
import { jsonText } from '../core/display.ts'
import { TidemarkError, type FaultCode } from '../core/errors.ts'
import { keyOf, keyParts, type Key } from '../core/key.ts'
import { placeText } from '../core/place.ts'
import { convert, NOT_CONVERTIBLE, type DeclaredType } from '../core/types.ts'
import { cell, sameValue, type Row, type Value } from '../core/value.ts'
import type { DiffStage, Side, SpelledRow } from '../ports/diff-stage.ts'
import { valuesOf } from '../ports/source.ts'
import type { Image, SourceRecord } from '../ports/source.ts'
import { DiffColumns, type DiffPlan } from './diff-columns.ts'

/** What a comparison found, in figures. Rows that are the same twice count once. */
export type FileDiffSummary = {
  readonly rows: { readonly old: number; readonly new: number }
  /** Rows that are in a file again, equal in all columns. */
  readonly repeated: { readonly old: number; readonly new: number }
  readonly inserted: number
  readonly changed: number
  readonly deleted: number
  readonly unchanged: number
  /** Every column but the keys: which files have it, and in how many of the changed rows it differs. */
  readonly columns: readonly FileDiffColumn[]
}

/** A column of a comparison. */
export type FileDiffColumn = {
  readonly name: string
  readonly within: Side | 'both'
  readonly changed: number
}

/** A key whose rows differ, with the values of all other columns, null where there is no row. */
export type FileChange = {
  readonly op: 'insert' | 'update' | 'delete'
  readonly key: readonly Value[]
  readonly before: readonly Value[] | null
  readonly after: readonly Value[] | null
}

/** How two tables are compared. */
export type FileDiffSpec = {
  readonly keys: readonly string[]
  readonly types: Readonly<Record<string, DeclaredType>>
}

/**
 * The difference of two tables, key by key, by type and content (semantics 7), in bounded memory:
 * read both, then {@link compare}.
 */
export class FileDiff {
  readonly keys: readonly string[]
  private readonly stage: DiffStage
  private readonly table: DiffColumns
  private readonly counts = {
    rows: { old: 0, new: 0 },
    repeated: { old: 0, new: 0 },
    inserted: 0,
    changed: 0,
    deleted: 0,
    unchanged: 0,
  }
  private readonly changed: number[] = []

  constructor({ keys, types }: FileDiffSpec, stage: DiffStage) {
    this.keys = keys
    this.stage = stage
    this.table = new DiffColumns(keys, types)
  }

  /** Every column but the keys, in the order of {@link FileChange}. */
  get columns(): readonly string[] {
    return this.table.names
  }

  get summary(): FileDiffSummary {
    const columns = this.columns.map((name, ordinal) => ({
      name,
      within: this.table.within(name),
      changed: this.changed[ordinal] ?? 0,
    }))
    return { ...this.counts, columns }
  }

  /** Takes the rows of one table. @throws TidemarkError the first fault of a row: `NULL_KEY`, `COLUMN_TYPE`, `UNDECODABLE`… */
  async read(side: Side, batches: AsyncIterable<readonly SourceRecord[]>): Promise<void> {
    for await (const records of batches) {
      for (const record of records) this.add(side, record)
    }
  }

  /** Finds what differs. @throws TidemarkError `DUPLICATE_KEY` where a key has two different rows */
  compare(): void {
    const olds = this.eachKey('old')
    const news = this.eachKey('new')
    try {
      this.compareAll(olds, news)
    } finally {
      // The stage cannot be closed while one of them stands somewhere within it.
      olds.return(null)
      news.return(null)
    }
  }

  private compareAll(olds: Generator<SpelledRow, null>, news: Generator<SpelledRow, null>): void {
    const { stage } = this
    let before = next(olds)
    let after = next(news)
    while (before !== null || after !== null) {
      const order = orderOf(before, after)
      const key = (order <= 0 ? before : after)?.key
      if (key === undefined) break
      const was = order <= 0 ? (before?.text ?? null) : null
      const is = order >= 0 ? (after?.text ?? null) : null
      if (was === is) this.counts.unchanged += 1
      else {
        stage.keep({ key, before: was, after: is })
        this.count(was, is)
      }
      if (order <= 0) before = next(olds)
      if (order >= 0) after = next(news)
    }
  }

  /** What differs, in key order. */
  *changes(): Iterable<FileChange> {
    for (const { key, before, after } of this.stage.kept()) {
      yield {
        op: opOf(before, after),
        key: keyParts(key),
        before: before === null ? null : this.cells(before),
        after: after === null ? null : this.cells(after),
      }
    }
  }

  private add(side: Side, record: SourceRecord): void {
    const { decoded } = record
    switch (decoded.kind) {
      case 'refusal':
        throw faultOf(record, decoded.code, decoded.message)
      case 'ignored':
        return
      case 'image':
        this.addImage(side, decoded, record)
        return
      case 'images':
        for (const image of decoded.images) this.addImage(side, image, record)
    }
  }

  private addImage(side: Side, image: Image, record: SourceRecord): void {
    const { shape } = image
    const plan = this.table.plan(side, shape)
    const values = typed(valuesOf(image), plan, (index, value, type) => {
      const name = JSON.stringify(shape.names[index])
      return faultOf(record, 'COLUMN_TYPE', `${name} is ${jsonText(value)}, which is no ${type}`)
    })
    const { keys, others } = plan
    const parts = keys.map((index) => values[index] ?? null)
    const lacking = parts.indexOf(null)
    if (lacking !== -1) {
      const name = this.keys[lacking] ?? ''
      throw faultOf(record, 'NULL_KEY', `the key column "${name}" is null or missing`)
    }
    const row: Value[] = []
    for (const { index, ordinal } of others) {
      while (row.length <= ordinal) row.push(null)
      row[ordinal] = values[index] ?? null
    }
    this.stage.put(side, keyOf(parts), row)
  }

  /** The rows of a side, one for each key. */
  private *eachKey(side: Side): Generator<SpelledRow, null> {
    let last: SpelledRow | null = null
    for (const row of this.stage.sorted(side)) {
      if (last?.key !== row.key) {
        this.counts.rows[side] += 1
        yield row
      } else if (last.text === row.text) this.counts.repeated[side] += 1
      else throw duplicate(side, row.key)
      last = row
    }
    return null
  }

  private count(before: string | null, after: string | null): void {
    if (before === null) this.counts.inserted += 1
    else if (after === null) this.counts.deleted += 1
    else {
      this.counts.changed += 1
      this.countColumns(this.stage.read(before), this.stage.read(after))
    }
  }

  private countColumns(before: Row, after: Row): void {
    const width = Math.max(before.length, after.length)
    for (let column = 0; column < width; column += 1) {
      if (sameValue(cell(before, column), cell(after, column))) continue
      this.changed[column] = (this.changed[column] ?? 0) + 1
    }
  }

  private cells(text: string): readonly Value[] {
    const row = this.stage.read(text)
    return this.columns.map((_, column) => cell(row, column))
  }
}

/** Values of the types that are declared. */
function typed(
  values: readonly Value[],
  { types }: DiffPlan,
  fault: (index: number, value: Value, type: DeclaredType) => TidemarkError,
): readonly Value[] {
  if (types.length === 0) return values
  const out = [...values]
  for (const { index, type } of types) {
    const value = values[index] ?? null
    const converted = convert(value, type)
    if (converted === NOT_CONVERTIBLE) throw fault(index, value, type)
    out[index] = converted
  }
  return out
}

function next(rows: Generator<SpelledRow, null>): SpelledRow | null {
  return rows.next().value
}

function orderOf(before: SpelledRow | null, after: SpelledRow | null): number {
  if (before === null) return 1
  return after === null ? -1 : compareCodePoints(before.key, after.key)
}

function opOf(before: string | null, after: string | null): FileChange['op'] {
  if (before === null) return 'insert'
  return after === null ? 'delete' : 'update'
}

function faultOf({ stream, number }: SourceRecord, code: FaultCode, why: string): TidemarkError {
  const place = placeText(stream, number)
  return new TidemarkError(code, `${why} (${place})`, { place })
}

function duplicate(side: Side, key: Key): TidemarkError {
  const text = keyParts(key).map(jsonText).join(', ')
  const what = `the ${side} file has more than one row of the key ${text}`
  return new TidemarkError('DUPLICATE_KEY', what, { side, key: text })
}
