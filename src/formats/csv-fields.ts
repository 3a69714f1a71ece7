import { isUtf8 } from 'node:buffer'
import { CsvError, parse } from 'csv-parse/sync'
import type { Options } from 'csv-parse/sync'
import { refuse } from '../core/refusal.ts'
import type { Refusal } from '../core/refusal.ts'
import type { Value } from '../core/value.ts'
import type { CsvDialect } from './csv-dialect.ts'
import { utf8Fault } from './utf8.ts'

/** A row within some bytes, without what ends it; `next` is where the one after it begins. */
export type Row = { readonly start: number; readonly stop: number; readonly next: number }

/** The fields of a row: text, or null where nothing stands between two delimiters. */
export type Fields = readonly Value[]

/** Takes rows apart with csv-parse, which also says what is wrong with a bad one. */
export class CsvFields {
  readonly #options: Options
  readonly #emptyText: string

  constructor({ delimiter, quote, escape }: CsvDialect) {
    const quoteText = quote < 0 ? null : String.fromCharCode(quote)
    this.#emptyText = quoteText === null ? '' : quoteText + quoteText
    this.#options = {
      delimiter,
      quote: quoteText,
      escape: escape < 0 ? null : String.fromCharCode(escape),
      record_delimiter: ['\r\n', '\n'],
      relax_column_count: true,
      skip_empty_lines: true,
    }
  }

  /**
   * The fields of rows that follow each other, or why a row has none.
   *
   * All are parsed at once; if that fails, halves of them, so that a bad row costs a few
   * attempts and takes no good one with it.
   */
  of(bytes: Buffer, rows: readonly Row[]): (Fields | Refusal)[] {
    const first = rows[0]
    const last = rows.at(-1)
    if (first === undefined || last === undefined) return []

    const block = bytes.subarray(first.start, last.stop)
    const parsed = isUtf8(block) ? this.#parse(block) : null
    if (parsed?.length === rows.length) {
      return parsed.map((fields, i) => this.#withNulls(bytes, rows[i], fields))
    }
    if (rows.length === 1) return [this.faultOf(block)]
    const middle = rows.length >> 1
    return [...this.of(bytes, rows.slice(0, middle)), ...this.of(bytes, rows.slice(middle))]
  }

  /** Why a row has no fields, of one that has none. */
  faultOf(row: Buffer): Refusal {
    const fault = utf8Fault(row)
    if (fault !== null) return refuse('UNDECODABLE', fault)
    try {
      parse(row, this.#options)
    } catch (error) {
      if (error instanceof CsvError)
        return refuse('UNDECODABLE', `broken CSV: ${FAULTS[error.code] ?? error.code}`)
      throw error
    }
    return refuse('UNDECODABLE', 'broken CSV: text after a closing quote')
  }

  #parse(block: Buffer): string[][] | null {
    try {
      return parse(block, this.#options)
    } catch (error) {
      if (error instanceof CsvError) return null
      throw error
    }
  }

  /** Tells empty fields without quotes from empty texts. Only rows that can have both are parsed again. */
  #withNulls(bytes: Buffer, row: Row | undefined, fields: string[]): Fields {
    if (row === undefined || !fields.includes('')) return fields
    const raw = bytes.subarray(row.start, row.stop)
    if (this.#emptyText === '' || !raw.includes(this.#emptyText)) {
      return fields.map((field) => (field === '' ? null : field))
    }
    const parsed: readonly Fields[] = parse(raw, {
      ...this.#options,
      cast: (field, { quoting }) => (field === '' && !quoting ? null : field),
    })
    return parsed[0] ?? []
  }
}

const FAULTS: Readonly<Record<string, string>> = {
  CSV_INVALID_CLOSING_QUOTE: 'text after a closing quote',
  CSV_QUOTE_NOT_CLOSED: 'a quote that is not closed',
  INVALID_OPENING_QUOTE: 'a quote in a field that does not begin with one',
}
