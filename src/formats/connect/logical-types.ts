import { isJsonArray, isJsonObject, parseExactJson } from '../../core/json.ts'
import type { JsonNode } from '../../core/json.ts'
import { isNumeric } from '../../core/number.ts'
import type { Numeric } from '../../core/number.ts'
import {
  dateFromEpochDays,
  localTimestampFromEpoch,
  parseDate,
  parseLocalTimestamp,
  parseTime,
  parseTimestamp,
  timeFromMidnight,
} from '../../core/temporal.ts'
import type { EpochUnit } from '../../core/temporal.ts'
import type { Tagged } from '../../core/value.ts'
import { MAX_DEPTH } from '../json-scan.ts'
import { bytesOfBase64 } from './base64.ts'
import { decimalOf, isScale } from './decimal.ts'
import { bytes } from './scalars.ts'
import type { Convert } from './scalars.ts'

/**
 * The types that a schema names beyond Connect's own, as Connect and Debezium write them.
 *
 * What is not here (`Uuid`, `Enum`, `Xml`, `Ltree`, `Year`, durations, geometries …) is what its
 * Connect type says: text, a number, an object.
 */
export const LOGICAL_TYPES: ReadonlyMap<string, Convert> = new Map<string, Convert>([
  ['org.apache.kafka.connect.data.Date', fromNumber('date', dateFromEpochDays)],
  ['org.apache.kafka.connect.data.Time', fromNumber('time', timeIn('ms'))],
  ['org.apache.kafka.connect.data.Timestamp', fromNumber('timestamp', localIn('ms'))],
  ['io.debezium.time.Date', fromNumber('date', dateFromEpochDays)],
  ['io.debezium.time.Time', fromNumber('time', timeIn('ms'))],
  ['io.debezium.time.MicroTime', fromNumber('time', timeIn('us'))],
  ['io.debezium.time.NanoTime', fromNumber('time', timeIn('ns'))],
  ['io.debezium.time.Timestamp', fromNumber('timestamp', localIn('ms'))],
  ['io.debezium.time.MicroTimestamp', fromNumber('timestamp', localIn('us'))],
  ['io.debezium.time.NanoTimestamp', fromNumber('timestamp', localIn('ns'))],
  ['io.debezium.time.ZonedTimestamp', fromText('timestamp', zoned)],
  ['io.debezium.time.IsoDate', fromText('date', (text) => parseDate(withoutZ(text)))],
  ['io.debezium.time.IsoTime', fromText('time', (text) => parseTime(withoutZ(text)))],
  ['io.debezium.time.IsoTimestamp', fromText('timestamp', isoLocal)],
  ['io.debezium.data.VariableScaleDecimal', variableScale],
  ['io.debezium.data.Json', json],
])

/** Connect's `Decimal` of a scale: base64 of its digits, or a number where the converter writes numbers. */
export function decimal(scale: number): Convert {
  if (!isScale(scale)) return bytes
  return (node, misfit) => {
    if (isNumber(node)) return node
    const unscaled = typeof node === 'string' ? bytesOfBase64(node) : null
    const value = unscaled === null ? null : decimalOf(unscaled, scale)
    return value ?? misfit.found('Decimal', node)
  }
}

function fromNumber(type: string, make: (n: Numeric) => Tagged | null): Convert {
  return (node, misfit) => (isNumber(node) ? make(node) : null) ?? misfit.found(type, node)
}

function fromText(type: string, parse: (text: string) => Tagged | null): Convert {
  return (node, misfit) =>
    (typeof node === 'string' ? parse(node) : null) ?? misfit.found(type, node)
}

function timeIn(unit: EpochUnit): (n: Numeric) => Tagged | null {
  return (n) => timeFromMidnight(n, unit)
}

function localIn(unit: EpochUnit): (n: Numeric) => Tagged | null {
  return (n) => localTimestampFromEpoch(n, unit)
}

function zoned(text: string): Tagged | null {
  return parseTimestamp(INFINITIES.get(text) ?? text)
}

/** A timestamp without zone that is written as if it were in UTC. */
function isoLocal(text: string): Tagged | null {
  return parseLocalTimestamp(INFINITIES.get(text) ?? withoutZ(text))
}

/** How Debezium spells PostgreSQL's infinities where it takes them for instants. */
const INFINITIES: ReadonlyMap<string, string> = new Map([
  ['+294247-01-10T04:00:25.2Z', 'infinity'],
  ['-290308-12-21T19:59:27.6Z', '-infinity'],
])

function withoutZ(text: string): string {
  return text.endsWith('Z') ? text.slice(0, -1) : text
}

function variableScale(node: JsonNode, misfit: Parameters<Convert>[1]): JsonNode {
  const scale = isJsonObject(node) ? node.get('scale') : null
  const given = isJsonObject(node) ? node.get('value') : null
  if (typeof scale === 'number' && given !== undefined && isNumber(given)) return given
  const unscaled = typeof given === 'string' ? bytesOfBase64(given) : null
  const isDecimal = unscaled !== null && typeof scale === 'number'
  const value = isDecimal ? decimalOf(unscaled, scale) : null
  return value ?? misfit.found('VariableScaleDecimal', node)
}

/**
 * An object or array out of its text. A scalar stays text, since JSON's null is no null of the
 * database; so does what is no strict JSON, such as an object that names a member twice.
 */
function json(node: JsonNode, misfit: Parameters<Convert>[1]): JsonNode {
  if (typeof node !== 'string') return misfit.found('Json', node)
  if (!/^\s*[[{]/.test(node)) return node
  const parsed = parseExactJson(node, MAX_DEPTH)
  return 'error' in parsed ? node : parsed.node
}

function isNumber(node: JsonNode): node is Numeric {
  return !isJsonArray(node) && !isJsonObject(node) && isNumeric(node)
}
