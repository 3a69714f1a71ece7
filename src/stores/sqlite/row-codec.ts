import type { Row, Value } from '../../core/value.ts'
import { cell } from '../../core/value.ts'
import {
  fractionDigits,
  isPadded,
  isTimed,
  kindOf,
  padFraction,
  sqlOf,
  trimFraction,
  valueOf,
  type CellKind,
} from './cells.ts'
import type { SqlValue } from './connection.ts'
import { parseTags, spellTags, type Tags } from './tags.ts'

/** What is known of a column: the kind of its cells, and how many fraction digits they are spelled with. */
export type ColumnShape = { kind: CellKind | null; digits: number }

/** Called before the first cell with more fraction digits is written, to spell the stored ones alike. */
export type Widen = (ordinal: number, digits: number) => void

/**
 * Turns rows into cells and back. Learns the kind of a column from its first value, and widens
 * the fraction of a timestamp column where a value needs more digits.
 */
export class RowCodec {
  readonly shapes: ColumnShape[]
  /** Whether something was learnt that is not stored yet. */
  learnt = false
  private readonly widen: Widen

  constructor(shapes: ColumnShape[], widen: Widen) {
    this.shapes = shapes
    this.widen = widen
  }

  /** Appends the tags and then every cell to `out`. */
  encode(row: Row, out: SqlValue[]): void {
    const tagsAt = out.push(null) - 1
    let tags: Map<number, CellKind> | null = null

    for (let ordinal = 0; ordinal < this.shapes.length; ordinal += 1) {
      const value = cell(row, ordinal)
      if (value === null) {
        out.push(null)
        continue
      }
      const kind = kindOf(value)
      if (!this.fits(ordinal, kind)) {
        tags ??= new Map()
        tags.set(ordinal, kind)
        out.push(sqlOf(value))
        continue
      }
      out.push(isPadded(kind) ? this.padded(ordinal, value) : sqlOf(value))
    }
    if (tags !== null) out[tagsAt] = spellTags(tags)
  }

  /** Reads tags at `from` and the cells after it. */
  decode(cells: readonly SqlValue[], from: number): Row {
    const text = cells[from]
    const tags = typeof text === 'string' ? parseTags(text) : null
    return this.shapes.map((shape, ordinal) =>
      this.value(cells[from + 1 + ordinal] ?? null, ordinal, shape, tags),
    )
  }

  private value(sql: SqlValue, ordinal: number, shape: ColumnShape, tags: Tags | null): Value {
    const tagged = tags?.get(ordinal)
    const kind = tagged ?? shape.kind
    if (sql === null || kind === null) return null
    if (tagged !== undefined || !isPadded(kind)) return valueOf(sql, kind)
    return valueOf(typeof sql === 'string' ? trimFraction(sql) : sql, kind)
  }

  private fits(ordinal: number, kind: CellKind): boolean {
    const shape = this.shapes[ordinal]
    if (shape === undefined) return false
    if (shape.kind === null) {
      shape.kind = kind
      this.learnt = true
    }
    return shape.kind === kind
  }

  private padded(ordinal: number, value: Value): SqlValue {
    const shape = this.shapes[ordinal]
    if (shape === undefined || !isTimed(value)) return sqlOf(value)
    const digits = roundedDigits(fractionDigits(value))
    if (digits > shape.digits) {
      this.widen(ordinal, digits)
      shape.digits = digits
      this.learnt = true
    }
    return padFraction(value.text, shape.digits)
  }
}

/** Milliseconds, microseconds, nanoseconds: columns widen in steps, so that they do so rarely. */
export function roundedDigits(digits: number): number {
  return Math.ceil(digits / 3) * 3
}
