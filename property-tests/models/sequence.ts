import {
  compareDecimals,
  compareText,
  decimal,
  field,
  isArray,
  isNumber,
  type Decimal,
  type Json,
  type JsonObject,
} from './json.ts'

/** One column of `sequence_by`. Without a type, numbers are numbers and text is text. */
export type SequenceColumn = string | { readonly column: string; readonly type: 'timestamp' }

/** A comparable value with what a reader sees of it. An instant compares as its exact seconds since 1970. */
export type Part = {
  readonly type: 'number' | 'text' | 'timestamp'
  readonly order: Decimal | string
  readonly shown: Json
}

/** The option `sequence_by`: a column, or several that are compared left to right. */
export type SequenceBy = SequenceColumn | readonly SequenceColumn[]

/** A logical time: its parts are compared left to right. */
export type Sequence = readonly Part[]

/** The sequence of a record, or what is wrong with it. */
export function sequenceOf(record: JsonObject, by: SequenceBy): Sequence | 'null' | 'no sequence' {
  const values = columnsOf(by).flatMap((column) => {
    const value = field(record, nameOf(column))
    return (isArray(value) ? value : [value]).map((part) => ({ part, column }))
  })
  if (values.some(({ part }) => part === null)) return 'null'

  const parts = values.flatMap(({ part, column }) => partOf(part, column) ?? [])
  return parts.length > 0 && parts.length === values.length ? parts : 'no sequence'
}

/** What two sequences must share to be compared: the types of their parts. */
export function typeOf(sequence: Sequence): string {
  return sequence.map(({ type }) => type).join()
}

/** Order of two sequences of one type. */
export function compareSequences(a: Sequence, b: Sequence): number {
  for (const [i, left] of a.entries()) {
    const difference = compareOrders(left.order, b[i]?.order ?? '')
    if (difference !== 0) return difference
  }
  return 0
}

/** What `__START_AT` shows: the scalar for one part, an array for several. */
export function shownSequence(sequence: Sequence): Json {
  const [first, ...others] = sequence.map(({ shown }) => shown)
  return others.length === 0 ? (first ?? null) : [first ?? null, ...others]
}

/** A sequence from what {@link shownSequence} shows of it. */
export function readShown(shown: Json, by: SequenceBy): Sequence {
  const columns = columnsOf(by)
  const values = isArray(shown) ? shown : [shown]
  return values.flatMap((part, i) => partOf(part, columns[i] ?? columns[0] ?? '') ?? [])
}

function columnsOf(by: SequenceBy): readonly SequenceColumn[] {
  return typeof by === 'string' || 'column' in by ? [by] : by
}

function nameOf(column: SequenceColumn): string {
  return typeof column === 'string' ? column : column.column
}

function compareOrders(a: Decimal | string, b: Decimal | string): number {
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b)
  if (typeof a === 'string' || typeof b === 'string') throw new Error('sequences of two types')
  return compareDecimals(a, b)
}

function partOf(value: Json, column: SequenceColumn): Part | null {
  if (typeof column !== 'string') return typeof value === 'string' ? timestamp(value) : null
  if (isNumber(value)) return { type: 'number', order: decimal(value), shown: value }
  if (typeof value === 'string') return { type: 'text', order: value, shown: value }
  return null
}

const TIMESTAMP =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:Z|([+-])(\d\d):?(\d\d))?)?$/

function timestamp(text: string): Part | null {
  const match = TIMESTAMP.exec(text)
  if (match === null) return null

  const number = (group: number): number => Number(match[group] ?? 0)
  const date = Date.UTC(number(1), number(2) - 1, number(3))
  const offset = (number(9) * 60 + number(10)) * 60 * (match[8] === '-' ? -1 : 1)
  const seconds = date / 1000 + number(4) * 3600 + number(5) * 60 + number(6) - offset
  const fraction = (match[7] ?? '').replace(/0+$/, '')

  const scale = fraction.length
  const coefficient = BigInt(seconds) * 10n ** BigInt(scale) + BigInt(`0${fraction}`)
  const shown = new Date(seconds * 1000).toISOString().slice(0, 19)
  return {
    type: 'timestamp',
    order: { coefficient, scale },
    shown: `${shown}.${fraction}Z`.replace('.Z', 'Z'),
  }
}
