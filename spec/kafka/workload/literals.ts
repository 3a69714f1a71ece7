import type { Random } from '../../crash/random.ts'

/** A column of PostgreSQL. */
export type Column = {
  readonly name: string
  readonly type: string
}

/** A column, and how to make literals of SQL for it: edges first of all, else anything. */
export type FilledColumn = Column & { readonly literal: (random: Random) => string }

/**
 * A column of every type that Debezium carries without a loss by default.
 *
 * Left out, since what it sends of them is not what the table has (3.6.1): NaN and infinity as `numeric` (they
 * end the connector), years before 0 and after 9999, arrays of arrays (elements become null), `name` (null while
 * streaming), `numeric` of negative scale, times of 24:00, and the types it skips: `box`, `pg_lsn`, multiranges.
 */
export const KINDS: readonly FilledColumn[] = [
  column('small', 'smallint', (r) => edge(r, ['-32768', '32767', '0'], () => whole(r, 32_768))),
  column('whole', 'integer', (r) => edge(r, ['-2147483648', '2147483647'], () => whole(r, 1e9))),
  column('big', 'bigint', (r) =>
    edge(r, ['-9223372036854775808', '9223372036854775807', '9007199254740993'], () =>
      digits(r, 16),
    ),
  ),
  column('exact', 'numeric', (r) =>
    edge(r, ['0', '1.10', '-0.000001', '1e40', '1e-30', '100'], () => decimal(r, 25, 9)),
  ),
  column('price', 'numeric(12,4)', (r) => edge(r, ['0', '-99999999.9999'], () => decimal(r, 7, 4))),
  column('cash', 'money', (r) =>
    quoted(edge(r, ['0', '-92233720368547758.08'], () => decimal(r, 9, 2))),
  ),
  column('single', 'real', (r) => edge(r, FLOATS, () => `${r.fraction() * 1000}`)),
  column('twice', 'double precision', (r) =>
    edge(r, [...FLOATS, '5e-324', '1e308', '9007199254740993'], () => `${r.fraction() * 1e12}`),
  ),
  column('flag', 'boolean', (r) => r.pick(['true', 'false'])),
  column('words', 'text', (r) => quoted(words(r))),
  column('short', 'varchar(20)', (r) => quoted(words(r).slice(0, 9))),
  column('padded', 'char(5)', (r) => quoted(r.pick(['', 'a', 'abcde']))),
  column('raw', 'bytea', (r) =>
    quoted(edge(r, [String.raw`\x`, String.raw`\x00ff10`], () => hex(r))),
  ),
  column('day', 'date', (r) =>
    quoted(edge(r, ['0001-01-01', '9999-12-31', 'infinity', '-infinity'], () => day(r))),
  ),
  column('clock', 'time', (r) => quoted(edge(r, ['00:00', '23:59:59.999999'], () => clock(r, 6)))),
  column('clock_ms', 'time(3)', (r) => quoted(clock(r, 3))),
  column('clock_zone', 'timetz', (r) => quoted(`${clock(r, 6)}${zone(r)}`)),
  column('at_local', 'timestamp', (r) => quoted(moment(r, 6))),
  column('at_local_ms', 'timestamp(3)', (r) => quoted(moment(r, 3))),
  column('at', 'timestamptz', (r) => {
    const plain = moment(r, 6)
    return quoted(plain.includes('infinity') ? plain : `${plain}${zone(r)}`)
  }),
  column('span', 'interval', (r) =>
    quoted(edge(r, ['0', '-1 day', '4 hours 5.678901 seconds'], () => `${whole(r, 1e6)} seconds`)),
  ),
  column('tree', 'json', (r) => quoted(r.pick(TREES))),
  column('tree_b', 'jsonb', (r) => quoted(r.pick(TREES))),
  column('ident', 'uuid', (r) => quoted(uuid(r))),
  column('mood', 'shop.mood', (r) => quoted(r.pick(MOODS))),
  column('ints', 'integer[]', (r) =>
    quoted(edge(r, ['{}', '{NULL}'], () => `{${list(r, () => whole(r, 99))}}`)),
  ),
  column('texts', 'text[]', (r) => `ARRAY[${list(r, () => quoted(words(r)))}]::text[]`),
  column('prices', 'numeric(8,2)[]', (r) => quoted(`{${list(r, () => decimal(r, 5, 2))}}`)),
  column('pairs', 'hstore', (r) => quoted(r.pick(['', 'a=>1', 'a=>NULL, "b c"=>"d\\"e"']))),
  column('bit_one', 'bit(1)', (r) => `B'${r.below(2)}'`),
  column('bits', 'bit(10)', (r) => `B'${bits(r, 10)}'`),
  column('bits_up_to', 'varbit(12)', (r) => `B'${bits(r, 1 + r.below(12))}'`),
  column('host', 'inet', (r) => quoted(r.pick(['192.168.0.1/24', '10.0.0.1', '::1']))),
  column('net', 'cidr', (r) => quoted(r.pick(['10.0.0.0/8', '2001:db8::/32']))),
  column('card', 'macaddr', () => quoted('08:00:2b:01:02:03')),
  column('place', 'point', (r) => quoted(`(${whole(r, 99)}.5,${whole(r, 99)})`)),
  column('markup', 'xml', (r) => quoted(`<a>${whole(r, 99)}</a>`)),
  column('range', 'int4range', (r) => quoted(r.pick(['empty', '[1,5)', '(,7)']))),
  column('object', 'oid', () => '4294967295'),
]

/** The values of the type `shop.mood`. */
export const MOODS = ['sad', 'so so', "it's fine"] as const

/** A text literal. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

const FLOATS = [`'NaN'`, `'Infinity'`, `'-Infinity'`, `'-0'`, '0.1', '100'] as const
const TREES = [
  'null',
  '{}',
  '[]',
  '"x"',
  '{"b": 1.10, "a": [1, null, "ä"], "c": {"d": true}}',
  '{"big": 12345678901234567890, "small": 1e-7}',
] as const
const WORDS = [
  '',
  'a',
  'NULL',
  "it's",
  'ä',
  '\u{1F600}',
  '"q"',
  '\\',
  '\n',
  '\t',
  '{}',
  'x,y',
] as const

function column(name: string, type: string, literal: (random: Random) => string): FilledColumn {
  return { name, type, literal }
}

function edge(random: Random, edges: readonly string[], any: () => string): string {
  return random.chance(0.3) ? random.pick(edges) : any()
}

function list(random: Random, element: () => string): string {
  return Array.from({ length: random.below(4) }, element).join(',')
}

function whole(random: Random, limit: number): string {
  return String(random.below(2 * limit) - limit)
}

function digits(random: Random, length: number): string {
  const all = Array.from({ length: 1 + random.below(length) }, () => random.below(10)).join('')
  return `${random.pick(['', '-'])}${BigInt(all)}`
}

function decimal(random: Random, before: number, after: number): string {
  const fraction = Array.from({ length: random.below(after + 1) }, () => random.below(10)).join('')
  return fraction === '' ? digits(random, before) : `${digits(random, before)}.${fraction}`
}

function words(random: Random): string {
  return Array.from({ length: random.below(5) }, () => random.pick(WORDS)).join(' ')
}

function hex(random: Random): string {
  const bytes = Array.from({ length: random.below(12) }, () =>
    padded(random.below(256).toString(16), 2),
  )
  return String.raw`\x${bytes.join('')}`
}

function bits(random: Random, length: number): string {
  return Array.from({ length }, () => random.below(2)).join('')
}

function uuid(random: Random): string {
  const group = (length: number): string =>
    Array.from({ length }, () => random.below(16).toString(16)).join('')
  return [8, 4, 4, 4, 12].map(group).join('-')
}

function day(random: Random): string {
  return `${padded(1800 + random.below(400), 4)}-${padded(1 + random.below(12), 2)}-${padded(1 + random.below(28), 2)}`
}

function clock(random: Random, precision: number): string {
  const fraction = padded(random.below(10 ** precision), precision)
  return `${padded(random.below(24), 2)}:${padded(random.below(60), 2)}:${padded(random.below(60), 2)}.${fraction}`
}

function moment(random: Random, precision: number): string {
  return edge(
    random,
    ['infinity', '-infinity', '1969-12-31 23:59:59.999', '2024-02-29 00:00:00'],
    () => `${day(random)} ${clock(random, precision)}`,
  )
}

function zone(random: Random): string {
  return random.pick(['+00', '+05:30', '-08'])
}

function padded(value: number | string, length: number): string {
  return String(value).padStart(length, '0')
}
