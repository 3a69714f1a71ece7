import { jsonText } from '../../index.ts'
import type { OutputRow, Value } from '../../index.ts'

/** JSON text of an object from the JSON texts of its members, in order. */
export function objectText(members: Readonly<Record<string, string>>): string {
  const parts = Object.entries(members).map(([name, text]) => `${JSON.stringify(name)}:${text}`)
  return `{${parts.join(',')}}`
}

/** JSON text of an array from the JSON texts of its elements. */
export function arrayText(elements: readonly string[]): string {
  return `[${elements.join(',')}]`
}

/** JSON text of a row: every column present and in order, nulls as null, numbers with all their digits. */
export function rowText(row: OutputRow): string {
  return rowWriter(row.names)(row.values)
}

/** {@link rowText} for many rows of one shape. */
export function rowWriter(names: readonly string[]): (values: readonly Value[]) => string {
  const heads = names.map((name, i) => `${i === 0 ? '{' : ','}${JSON.stringify(name)}:`)
  return (values) => {
    let text = heads.length === 0 ? '{' : ''
    for (const [i, head] of heads.entries()) text += head + jsonText(values[i] ?? null)
    return `${text}}`
  }
}
