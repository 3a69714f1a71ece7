import { jsonValue, parseExactJson } from '../core/json.ts'
import type { JsonNode } from '../core/json.ts'
import { numberFrom } from '../core/number.ts'
import { refuse } from '../core/refusal.ts'
import type { Refusal } from '../core/refusal.ts'
import { parseDate, parseLocalTimestamp, parseTime } from '../core/temporal.ts'
import { convert, NOT_CONVERTIBLE } from '../core/types.ts'
import type { Value } from '../core/value.ts'
import { MAX_DEPTH } from './json-scan.ts'
import type { JsonObject } from './members.ts'
import { textOf } from './members.ts'

/**
 * The value of a column of Canal, which spells every value as text, by its type in MySQL, or else
 * in JDBC: numbers exactly, bytes from one character each, dates, JSON; everything else is text.
 *
 * @returns `COLUMN_TYPE`, naming the column, where the text is not of the type, as `0000-00-00` is not
 */
export function canalValue(column: string, node: JsonNode, types: CanalTypes): Value | Refusal {
  if (typeof node !== 'string') return jsonValue(node)
  const kind = kindOf(types, column)
  const value = READERS[kind](node)
  if (value !== undefined) return value
  const shown = node.length > MAX_SHOWN ? `${node.slice(0, MAX_SHOWN)}…` : node
  return refuse('COLUMN_TYPE', `column ${JSON.stringify(column)}: '${shown}' is not ${NAMES[kind]}`)
}

/** `mysqlType` and `sqlType` of a message: the type of each column. */
export type CanalTypes = {
  readonly mysqlType: JsonObject | null
  readonly sqlType: JsonObject | null
}

type Kind = 'number' | 'bytes' | 'date' | 'time' | 'datetime' | 'json' | 'text'

/** Undefined where the text is not of the type. */
const READERS = {
  number: (text) => numberFrom(text.toLowerCase() === 'true' ? '1' : text) ?? falseOf(text),
  bytes: bytesOf,
  date: (text) => parseDate(text) ?? undefined,
  time: (text) => parseTime(text) ?? undefined,
  datetime: (text) => parseLocalTimestamp(text) ?? undefined,
  json: (text) => {
    const parsed = parseExactJson(text, MAX_DEPTH)
    return 'error' in parsed ? undefined : jsonValue(parsed.node)
  },
  text: (text) => text,
} as const satisfies Record<Kind, (text: string) => Value | undefined>

const NAMES = {
  number: 'a number',
  bytes: 'bytes',
  date: 'a calendar date',
  time: 'a time',
  datetime: 'a calendar date and time',
  json: 'JSON',
  text: 'text',
} as const satisfies Record<Kind, string>

const KIND_OF_MYSQL: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ...['tinyint', 'smallint', 'mediumint', 'int', 'integer', 'bigint', 'serial', 'year', 'bit'].map(
    (name): [string, Kind] => [name, 'number'],
  ),
  ...['bool', 'boolean', 'decimal', 'numeric', 'dec', 'fixed', 'float', 'double', 'real'].map(
    (name): [string, Kind] => [name, 'number'],
  ),
  ...['binary', 'varbinary', 'tinyblob', 'blob', 'mediumblob', 'longblob'].map(
    (name): [string, Kind] => [name, 'bytes'],
  ),
  ...['char', 'varchar', 'tinytext', 'text', 'mediumtext', 'longtext', 'enum', 'set'].map(
    (name): [string, Kind] => [name, 'text'],
  ),
  ['date', 'date'],
  ['time', 'time'],
  ['datetime', 'datetime'],
  ['timestamp', 'datetime'],
  ['json', 'json'],
])

/** Characters of a value that a message quotes. */
const MAX_SHOWN = 50

/** Codes of java.sql.Types. */
const KIND_OF_JDBC: ReadonlyMap<number, Kind> = new Map<number, Kind>([
  ...[-7, -6, -5, 2, 3, 4, 5, 6, 7, 8].map((code): [number, Kind] => [code, 'number']),
  ...[2004, -2, -3, -4].map((code): [number, Kind] => [code, 'bytes']),
  [91, 'date'],
  [92, 'time'],
  [93, 'datetime'],
])

/** `decimal(10,2) unsigned` is a `decimal`. What MySQL's name does not tell, the code does. */
function kindOf({ mysqlType, sqlType }: CanalTypes, column: string): Kind {
  const name = textOf(mysqlType?.get(column))?.toLowerCase() ?? ''
  const base = /^[a-z]+/.exec(name)?.[0] ?? ''
  const code = sqlType?.get(column)
  const known = KIND_OF_MYSQL.get(base)
  return known ?? (typeof code === 'number' ? KIND_OF_JDBC.get(code) : undefined) ?? 'text'
}

function falseOf(text: string): Value | undefined {
  return text.toLowerCase() === 'false' ? 0 : undefined
}

function bytesOf(text: string): Value | undefined {
  for (let i = 0; i < text.length; i += 1) if (text.charCodeAt(i) > 0xff) return undefined
  const value = convert(Buffer.from(text, 'latin1').toString('base64'), 'bytes')
  return value === NOT_CONVERTIBLE ? undefined : value
}
