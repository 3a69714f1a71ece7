import { isLosslessNumber, parse } from 'lossless-json'
import type { Column } from './literals.ts'

/** A row whose values are texts that are equal if and only if the values are. */
export type ComparableRow = Readonly<Record<string, string | null>>

/**
 * A row of PostgreSQL as its query of {@link sourceQuery} gives it, in comparable form. It is made from
 * PostgreSQL's own text of each value, by rules that know its types, and of Debezium only what it cannot carry.
 */
export function sourceRow(line: string, columns: readonly Column[]): ComparableRow {
  return comparable(line, columns, ({ source }) => source)
}

/** A row of a target as `tidemark show --format ndjson` gives it, in comparable form. */
export function targetRow(line: string, columns: readonly Column[]): ComparableRow {
  return comparable(line, columns, ({ target }) => target)
}

/** Asks for all rows of a table. JSON is text, so that its null is not taken for that of SQL. */
export function sourceQuery(table: string, columns: readonly Column[]): string {
  const values = columns.map(({ name, type }) => {
    return type === 'json' || type === 'jsonb' ? `${name}::text` : name
  })
  return `SELECT ${values.join(', ')} FROM ${table}`
}

/** Types that a flow declares, by table, where the feed has none. The other columns need none. */
export const BARE_TYPES = {
  kinds: {
    exact: 'number',
    price: 'number',
    cash: 'number',
    single: 'double',
    twice: 'double',
    day: 'epoch_days',
    at_local: 'local_epoch_us',
    at_local_ms: 'local_epoch_ms',
    at: 'timestamp',
  },
  accounts: { balance: 'number' },
}

/** Sorts rows by what is the key in one table or another. */
export function byKey(a: ComparableRow, b: ComparableRow): number {
  return keyOf(a).localeCompare(keyOf(b))
}

/** How values of a type become comparable, on either side. Null never gets here. */
type Rule = {
  readonly source: (value: unknown) => string
  readonly target: (value: unknown) => string
}

/** By type, with its precision or without; all others are text. */
const RULES: Readonly<Record<string, Rule>> = {
  smallint: both(exactly),
  integer: both(exactly),
  bigint: both(exactly),
  oid: both(exactly),
  numeric: both(exactly),
  money: { source: (value) => exactly(textOf(value).replaceAll(/[$,]/g, '')), target: exactly },
  real: both((value) => String(Math.fround(Number(textOf(value))))),
  'double precision': both((value) => String(Number(textOf(value)))),
  bytea: {
    source: (value) => Buffer.from(textOf(value).slice(2), 'hex').toString('base64'),
    target: textOf,
  },
  'bit(1)': { source: (value) => String(value === '1'), target: String },
  bit: { source: bitsOfText, target: bitsOfBytes },
  varbit: { source: bitsOfText, target: bitsOfBytes },
  // Without a schema a time is a number.
  'time(3)': { source: clock, target: (value) => clockOrCount(value, 1000n) },
  time: { source: clock, target: (value) => clockOrCount(value, 1n) },
  timetz: both(clock),
  timestamp: both(moment),
  timestamptz: both(moment),
  interval: { source: span, target: exactly },
  json: both(tree),
  jsonb: both(tree),
  hstore: both(tree),
  point: {
    source: textOf,
    target: (value) => {
      const { x, y } = value as Readonly<Record<'x' | 'y', unknown>>
      return `(${textOf(x)},${textOf(y)})`
    },
  },
  'integer[]': both(tree),
  'text[]': both(tree),
  'numeric[]': both((value) =>
    (value as readonly unknown[]).map((item) => (item === null ? 'null' : exactly(item))).join(),
  ),
}

function comparable(
  line: string,
  columns: readonly Column[],
  side: (rule: Rule) => (value: unknown) => string,
): ComparableRow {
  const row = new Map(Object.entries(parse(line) as Record<string, unknown>))
  return Object.fromEntries(
    columns.map(({ name, type }) => {
      const value = row.get(name) ?? null
      return [name, value === null ? null : side(ruleOf(type))(value)]
    }),
  )
}

function ruleOf(type: string): Rule {
  return RULES[type] ?? RULES[type.replace(/\(.*\)/, '')] ?? both(textOf)
}

function both(rule: (value: unknown) => string): Rule {
  return { source: rule, target: rule }
}

function textOf(value: unknown): string {
  return isLosslessNumber(value) ? value.value : String(value)
}

/** A number without regard to how it is spelled: `-12e-1` for `-1.20`. */
function exactly(value: unknown): string {
  const text = textOf(value)
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text)
  if (parts === null) return text
  const [, sign = '', whole = '', fraction = '', power = '0'] = parts
  const digits = (whole + fraction).replace(/^0+/, '')
  const short = digits.replace(/0+$/, '')
  if (short === '') return '0'
  return `${sign}${short}e${Number(power) - fraction.length + digits.length - short.length}`
}

function bitsOfText(value: unknown): string {
  return String(BigInt(`0b0${textOf(value)}`))
}

/** Debezium's bytes of bits, the lowest first. */
function bitsOfBytes(value: unknown): string {
  const bytes = Buffer.from(textOf(value), 'base64').toReversed()
  return String(BigInt(`0x0${Buffer.from(bytes).toString('hex')}`))
}

/** Microseconds since midnight, in UTC where there is an offset. */
function clock(value: unknown): string {
  const [, hours, minutes, seconds, fraction = '', sign, offHours = '0', offMinutes = '0'] =
    /^(\d+):(\d+):(\d+)(?:\.(\d+))?(?:Z|([+-])(\d+)(?::(\d+))?)?$/.exec(textOf(value)) ?? []
  const offset = (Number(offHours) * 60 + Number(offMinutes)) * (sign === '-' ? -60 : 60)
  const local = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)
  const utc = (local - offset + 86_400) % 86_400
  return `${utc}${fraction.padEnd(6, '0')}`.replace(/^0+(?=\d)/, '')
}

function clockOrCount(value: unknown, unit: bigint): string {
  return isLosslessNumber(value) ? String(BigInt(value.value) * unit) : clock(value)
}

function moment(value: unknown): string {
  return textOf(value)
    .replace('+00:00', 'Z')
    .replace(/(\.\d*?)0+(?=Z|$)/, '$1')
    .replace(/\.(?=Z|$)/, '')
}

/** Microseconds of `-1 days` or `-38:49:45.5`, as PostgreSQL writes them. */
function span(value: unknown): string {
  const [, days = '0', sign = '', hours = '0', minutes = '0', seconds = '0', fraction = ''] =
    /^(?:(-?\d+) days?)? ?(?:(-?)(\d+):(\d+):(\d+)(?:\.(\d+))?)?$/.exec(textOf(value)) ?? []
  const clocked = BigInt((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds))
  const micros = clocked * 1_000_000n + BigInt(fraction.padEnd(6, '0'))
  return exactly(BigInt(days) * 86_400_000_000n + (sign === '-' ? -micros : micros))
}

/** A tree of JSON, given as such or as text, without regard to order of members and spelling of numbers. */
function tree(value: unknown): string {
  if (typeof value !== 'string') return canonical(value)
  return /^[[{]/.test(value) ? canonical(parse(value)) : value
}

function canonical(node: unknown): string {
  if (isLosslessNumber(node)) return exactly(node)
  if (Array.isArray(node)) return `[${node.map(canonical).join()}]`
  if (typeof node !== 'object' || node === null) return JSON.stringify(node)
  const members = Object.entries(node).map(
    ([name, item]) => `${JSON.stringify(name)}:${canonical(item)}`,
  )
  return `{${members.toSorted().join()}}`
}

function keyOf({ id, part }: ComparableRow): string {
  return `${id ?? ''} ${part ?? ''}`
}
