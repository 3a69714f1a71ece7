import { canonicalText, ExactNumber, jsonText } from './json.ts'
import type { Json, JsonObject } from './json.ts'

/** Rows sorted by where they are: in both, only expected, only got. */
export type Difference = {
  readonly common: readonly JsonObject[]
  readonly missing: readonly JsonObject[]
  readonly extra: readonly JsonObject[]
}

/**
 * Compares rows in any order, each as often as it occurs; null if they are the same.
 *
 * A column that a row lacks is null. Everything else is exact: numbers by value, types kept, a null
 * member of a nested object is not an absent one.
 */
export function compareRows(
  expected: readonly JsonObject[],
  got: readonly JsonObject[],
): Difference | null {
  const left = new Map<string, JsonObject[]>()
  for (const row of got) {
    const text = rowKey(row)
    left.set(text, [...(left.get(text) ?? []), row])
  }

  const common: JsonObject[] = []
  const missing: JsonObject[] = []
  for (const row of expected) (left.get(rowKey(row))?.pop() ? common : missing).push(row)
  const extra = [...left.values()].flat()
  return missing.length + extra.length === 0 ? null : { common, missing, extra }
}

/** Whether a row has the expected values in the columns that are expected; others do not matter. */
export function agrees(expected: JsonObject, got: JsonObject): boolean {
  return Object.entries(expected).every(
    ([name, value]) => canonicalText(value) === canonicalText(valueOf(got, name)),
  )
}

/**
 * Rows with each system time replaced by the number of the batch that it belongs to. One that
 * belongs to none stays, and so matches nothing.
 */
export function numberSystemTimes(
  rows: readonly JsonObject[],
  batchOf: ReadonlyMap<string, number>,
): readonly JsonObject[] {
  const numbered = (value: Json): Json => {
    const batch = typeof value === 'string' ? batchOf.get(value) : undefined
    return batch === undefined ? value : new ExactNumber(String(batch))
  }
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        SYSTEM_TIMES.has(name) ? numbered(value) : value,
      ]),
    ),
  )
}

/** A difference as lines for a reader: `-` expected only, `+` got only. */
export function drawDifference({ common, missing, extra }: Difference): readonly string[] {
  return [
    ...missing.map((row) => `- ${jsonText(row)}`),
    ...extra.map((row) => `+ ${jsonText(row)}`),
    ...common.map((row) => `  ${jsonText(row)}`),
  ]
}

const SYSTEM_TIMES = new Set(['__SYSTEM_START_AT', '__SYSTEM_END_AT'])

function rowKey(row: JsonObject): string {
  const present = Object.entries(row).filter(([, value]) => value !== null)
  return canonicalText(Object.fromEntries(present))
}

function valueOf(row: JsonObject, name: string): Json {
  return Object.hasOwn(row, name) ? (row[name] ?? null) : null
}
