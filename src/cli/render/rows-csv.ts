import { plainText } from '../../index.ts'
import type { Value } from '../../index.ts'

/** The heading of a CSV file: names as text. */
export function csvHead(names: readonly string[]): string {
  return csvLine(names)
}

/**
 * One record of RFC 4180, its line end included. Null is an empty field, the empty text a
 * quoted one, so that a reader can tell them apart.
 */
export function csvLine(values: readonly Value[]): string {
  return `${values.map(field).join(',')}\r\n`
}

function field(value: Value): string {
  const text = plainText(value)
  if (value === '' || /[",\r\n]/.test(text)) return `"${text.replaceAll('"', '""')}"`
  return text
}
