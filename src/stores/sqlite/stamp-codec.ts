import { storedSequence, type Sequence } from '../../core/sequence.ts'
import type { Stamp, Stream } from '../../core/change.ts'
import { storedJson } from '../../core/stored-json.ts'
import { BugError } from '../../core/errors.ts'
import { keyOf, keyParts, storedKey } from '../../core/key.ts'
import type { Row, Value } from '../../core/value.ts'
import { isWritten, type Writes } from '../../core/writes.ts'
import type { SqlValue } from './connection.ts'

/**
 * Columns of a stamp, the same in every table: `s` the sequence, `r` the rank and `p` the part
 * (null for 0), `y` the system time of the data (null for the engine's), `src` the stream by
 * number, `n` the record.
 */
export const STAMP_COLUMNS = ['s', 'r', 'y', 'src', 'n', 'p'] as const

const INTEGERS: readonly string[] = ['r', 'src', 'n', 'p', 'cm']

/** A column's definition. Our own counts are declared, since the driver binds numbers as REAL; the target's cells are not, so that they stay what they are. */
export function definition(column: string): string {
  return INTEGERS.includes(column) ? `${column} INTEGER` : column
}

/** Appends a stamp's cells. */
export function encodeStamp(stamp: Stamp, out: SqlValue[]): void {
  out.push(
    stamp.sequence,
    stamp.rank === 0 ? null : stamp.rank,
    stamp.system,
    stamp.stream.id,
    stamp.number,
    stamp.part === 0 ? null : stamp.part,
  )
}

/** Reads a stamp from its cells at `from`; `sequence` stands in for a null one. */
export function decodeStamp(
  cells: readonly SqlValue[],
  from: number,
  streamOf: (id: number) => Stream,
  sequence: Sequence | null = null,
): Stamp {
  return {
    sequence: optionalSequence(cells[from]) ?? sequence ?? sequenceOf(null),
    rank: numberOf(cells[from + 1]),
    system: optionalSequence(cells[from + 2]),
    stream: streamOf(numberOf(cells[from + 3])),
    number: numberOf(cells[from + 4]),
    part: numberOf(cells[from + 5]),
  }
}

/** An integer cell that fits a double; null counts as 0. */
export function numberOf(sql: SqlValue | undefined): number {
  if (sql === null || sql === undefined) return 0
  return Number(sql)
}

/** The sequence in a cell. */
export function sequenceOf(sql: SqlValue | undefined): Sequence {
  if (typeof sql !== 'string') throw new BugError(`no sequence: ${String(sql)}`)
  return storedSequence(sql)
}

/** The sequence in a cell, null where there is none. */
export function optionalSequence(sql: SqlValue | undefined): Sequence | null {
  return sql === null || sql === undefined ? null : sequenceOf(sql)
}

/** A value with its type as text, for hidden state that no reader looks at. */
export function typedText(value: Value): string | null {
  return value === null ? null : keyOf([value])
}

/** Takes a value back from {@link typedText}. */
export function ofTypedText(text: SqlValue | undefined): Value {
  return typeof text === 'string' ? (keyParts(storedKey(text))[0] ?? null) : null
}

/** What a partial upsert wrote, as JSON; null where it wrote every column, which the row tells. */
export function encodePatch(row: Row, writes: Writes): string | null {
  if (writes === 'all') return null
  const values = row.flatMap((value, ordinal) =>
    value !== null && isWritten(writes, ordinal) ? [[ordinal, typedText(value)]] : [],
  )
  return JSON.stringify([writes.mode, writes.columns, writes.merge, row.length, values])
}

function decodePatch(text: string): { row: Row; writes: Writes } {
  const [mode, columns, merge, width, values] = storedJson<PatchJson>(text)
  const row: Value[] = Array.from({ length: width }, () => null)
  for (const [ordinal, typed] of values) row[ordinal] = ofTypedText(typed)
  return { row, writes: { mode, columns, merge } }
}

/** Whether a row, seen through its cells, has a partial patch. */
export function patchOf(sql: SqlValue | undefined, row: Row): { row: Row; writes: Writes } {
  return typeof sql === 'string' ? decodePatch(sql) : { row, writes: 'all' }
}

type PatchJson = [
  'only' | 'except',
  readonly number[],
  readonly number[],
  number,
  readonly (readonly [number, string])[],
]
