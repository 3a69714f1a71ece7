import type { OutputRow } from '../../index.ts'
import { rowWriter } from './json.ts'
import { csvHead, csvLine } from './rows-csv.ts'

/** A text form that rows can be written in one by one: what comes before, for each row, and after. */
export type RowFormat = {
  readonly head: string
  row(row: OutputRow, place: number): string
  tail(count: number): string
}

/** The row format of a name; null for `table`, which needs all rows at once. */
export function rowFormat(name: string, names: readonly string[]): RowFormat | null {
  switch (name) {
    case 'ndjson':
      return ndjson(names)
    case 'json':
      return json(names)
    case 'csv':
      return csv(names)
    default:
      return null
  }
}

/** One object a line, every column present. */
function ndjson(names: readonly string[]): RowFormat {
  const write = rowWriter(names)
  return { head: '', row: ({ values }) => `${write(values)}\n`, tail: () => '' }
}

/** One array, a line for each row. */
function json(names: readonly string[]): RowFormat {
  const write = rowWriter(names)
  return {
    head: '[',
    row: ({ values }, place) => `${place === 0 ? '\n' : ',\n'}${write(values)}`,
    tail: (count) => (count === 0 ? ']\n' : '\n]\n'),
  }
}

function csv(names: readonly string[]): RowFormat {
  return { head: csvHead(names), row: ({ values }) => csvLine(values), tail: () => '' }
}
