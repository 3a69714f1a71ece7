/** How a CSV file is written; what is absent is as RFC 4180 has it. */
export type CsvOptions = {
  /** `true`: the first row names the columns; a list: these are the names, and every row is data. */
  readonly header?: true | readonly string[]
  /** What separates fields, default `,`. */
  readonly delimiter?: string
  /** The ASCII character around fields, default `"`; null: quotes are ordinary text. */
  readonly quote?: string | null
  /** The ASCII character before a quote that is text, default the quote itself. */
  readonly escape?: string
}

/** The same as bytes, for looking at files without decoding them. */
export type CsvDialect = {
  readonly delimiter: Buffer
  /** -1 without quotes. */
  readonly quote: number
  readonly escape: number
}

/** What the row is that was looked for, instead of its end. */
export const ROW = {
  /** It goes on beyond the bytes at hand. */
  UNFINISHED: -1,
  /** The same, inside quotes. */
  OPEN_QUOTE: -2,
  /** A closing quote is followed by what is no delimiter: nobody knows where the row ends. */
  BAD_QUOTE: -3,
} as const

/** The dialect that options ask for. */
export function dialectOf({ delimiter = ',', quote = '"', escape }: CsvOptions): CsvDialect {
  const quoteByte = quote === null ? -1 : quote.charCodeAt(0)
  return {
    delimiter: Buffer.from(delimiter),
    quote: quoteByte,
    escape: escape === undefined ? quoteByte : escape.charCodeAt(0),
  }
}

/**
 * The offset of the newline that ends the row at `from`, or what {@link ROW} says.
 *
 * @param isLast whether nothing follows the bytes, so that their end is the end of the row
 */
export function rowEnd(dialect: CsvDialect, bytes: Buffer, from: number, isLast: boolean): number {
  const { quote, delimiter } = dialect
  let at = from
  while (at < bytes.length) {
    if (bytes[at] === quote) {
      at = quotedEnd(dialect, bytes, at + 1)
      if (at < 0) return ROW.OPEN_QUOTE
      if (isRowEnd(bytes, at, isLast)) return bytes[at] === CARRIAGE_RETURN ? at + 1 : at
      if (!isDelimiterAt(delimiter, bytes, at)) {
        const isUndecided = !isLast && at + Math.max(delimiter.length, 2) > bytes.length
        return isUndecided ? ROW.OPEN_QUOTE : ROW.BAD_QUOTE
      }
    } else {
      at = unquotedEnd(delimiter, bytes, at)
      if (bytes[at] === NEWLINE) return at
    }
    at += delimiter.length
  }
  return isLast ? bytes.length : ROW.UNFINISHED
}

/** After the closing quote; -1 if there is none. */
function quotedEnd({ quote, escape }: CsvDialect, bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte === quote) {
      if (escape !== quote || bytes[at + 1] !== quote) return at + 1
      at += 1
    } else if (byte === escape) at += 1
  }
  return -1
}

/** The delimiter or newline that ends a field, or the end of the bytes. */
function unquotedEnd(delimiter: Buffer, bytes: Buffer, from: number): number {
  const first = delimiter[0]
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte === NEWLINE) return at
    if (byte === first && isDelimiterAt(delimiter, bytes, at)) return at
  }
  return bytes.length
}

function isDelimiterAt(delimiter: Buffer, bytes: Buffer, at: number): boolean {
  for (let i = 0; i < delimiter.length; i += 1) {
    if (bytes[at + i] !== delimiter[i]) return false
  }
  return true
}

/** Whether a row ends here, right after a closing quote. */
function isRowEnd(bytes: Buffer, at: number, isLast: boolean): boolean {
  if (bytes[at] === NEWLINE) return true
  if (bytes[at] !== CARRIAGE_RETURN) return isLast && at === bytes.length
  return bytes[at + 1] === NEWLINE || (isLast && at + 1 === bytes.length)
}

const NEWLINE = 0x0a
const CARRIAGE_RETURN = 0x0d
