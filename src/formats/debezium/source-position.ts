import { isJsonArray, isJsonObject } from '../../core/json.ts'
import type { JsonNode } from '../../core/json.ts'
import { isNumeric, numberFrom } from '../../core/number.ts'
import type { Numeric } from '../../core/number.ts'
import { timestampFromEpoch } from '../../core/temporal.ts'
import type { Value } from '../../core/value.ts'

/** A field of what Debezium says of where a change comes from; null where it has none. */
export type SourceFields = (name: string) => JsonNode

/**
 * The parts that order the changes of a row, as its source has them; null where it gives none that
 * can be trusted, and the flow has to say.
 *
 * | source | parts |
 * | --- | --- |
 * | PostgreSQL | `lsn` |
 * | MySQL, MariaDB | number in the name of `file`, `pos`, `row` |
 * | SQL Server | `commit_lsn`, `change_lsn` (empty on snapshot rows), `event_serial_no` |
 * | Oracle | `commit_scn`, or on snapshot rows `scn`; `scn` |
 * | Db2 | `commit_lsn`, `change_lsn` |
 * | CockroachDB | the two integers of `ts_hlc` |
 *
 * Numbers are exact. A feed that names no connector, as flattened ones do not, is known by its fields.
 */
export function sequenceOf(source: SourceFields): readonly Value[] | null {
  const connector = source('connector')
  const kind = typeof connector === 'string' ? connector : kindOf(source)
  const parts = (SEQUENCES.get(kind) ?? none)(source)
  return parts === null || parts.includes(null) ? null : parts
}

/** Whether there is any field of a position, good or not. */
export function hasPosition(source: SourceFields): boolean {
  return kindOf(source) !== ''
}

/** Whose kind of log the position is in, by its fields, which an envelope and a flattened row share. */
export function logOf(source: SourceFields): string {
  const kind = kindOf(source)
  return kind === '' ? 'offset' : kind
}

/** When the source changed, by the finest of its clocks; null where it does not say. */
export function timeOf(source: SourceFields): Value {
  for (const [name, unit] of CLOCKS) {
    const time = integerOf(source(name))
    // Debezium gives 0 where it does not know.
    if (time !== null && time !== 0) return timestampFromEpoch(time, unit)
  }
  return null
}

/** The database server, or what Debezium calls it, whose log it is; null where it is not named. */
export function originOf(source: SourceFields): string | null {
  const name = source('name') ?? source('cluster_id')
  return typeof name === 'string' ? name : null
}

/** Whether the row was read from the table rather than from the log: any mark but `false`. */
export function isSnapshot(source: SourceFields): boolean {
  const mark = source('snapshot')
  return mark === true || (typeof mark === 'string' && mark !== 'false' && mark !== '')
}

const CLOCKS = [
  ['ts_ns', 'ns'],
  ['ts_us', 'us'],
  ['ts_ms', 'ms'],
] as const

type Parts = readonly Value[] | null

const SEQUENCES: ReadonlyMap<string, (source: SourceFields) => Parts> = new Map([
  ['postgresql', logNumber],
  ['yugabytedb', logNumber],
  ['mysql', binlog],
  ['mariadb', binlog],
  ['sqlserver', commitThenChange],
  ['db2', (source) => [textOf(source('commit_lsn')), textOf(source('change_lsn')) ?? '']],
  ['oracle', systemChangeNumbers],
  ['cockroachdb', (source) => hybridClock(source('ts_hlc'))],
])

/** The connector that has such fields: they are as good as a name. */
function kindOf(source: SourceFields): string {
  if (source('ts_hlc') !== null) return 'cockroachdb'
  if (source('commit_lsn') !== null) return 'sqlserver'
  if (source('lsn') !== null) return 'postgresql'
  if (source('scn') !== null || source('commit_scn') !== null) return 'oracle'
  return source('file') === null ? '' : 'mysql'
}

function none(): null {
  return null
}

function logNumber(source: SourceFields): Parts {
  return [integerOf(source('lsn'))]
}

/** Looks at each run of digits once, however long. */
const DIGITS_AT_END = /(?:^|[^0-9])([0-9]+)$/

function binlog(source: SourceFields): Parts {
  const file = source('file')
  const digits = typeof file === 'string' ? DIGITS_AT_END.exec(file)?.[1] : undefined
  if (digits === undefined) return null
  return [numberFrom(digits), integerOf(source('pos')), integerOf(source('row')) ?? 0]
}

function commitThenChange(source: SourceFields): Parts {
  return [
    textOf(source('commit_lsn')),
    textOf(source('change_lsn')) ?? '',
    integerOf(source('event_serial_no')) ?? 0,
  ]
}

function systemChangeNumbers(source: SourceFields): Parts {
  const change = integerOf(source('scn'))
  const commit = integerOf(source('commit_scn')) ?? change
  return [commit, change ?? commit]
}

/** `wall.logical`: a number of nanoseconds and a count, not one number with a fraction. */
function hybridClock(clock: JsonNode): Parts {
  const match = typeof clock === 'string' ? /^([0-9]+)\.([0-9]+)$/.exec(clock) : null
  return match === null ? null : [numberFrom(match[1] ?? ''), numberFrom(match[2] ?? '')]
}

function textOf(node: JsonNode): string | null {
  return typeof node === 'string' ? node : null
}

/** A whole number, also one written as text; null for anything else. */
function integerOf(node: JsonNode): Numeric | null {
  if (isJsonArray(node) || isJsonObject(node)) return null
  const number = typeof node === 'string' && /^-?[0-9]+$/.test(node) ? numberFrom(node) : node
  if (!isNumeric(number)) return null
  return typeof number === 'bigint' || Number.isInteger(number) ? number : null
}
