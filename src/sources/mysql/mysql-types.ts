import type { FieldPacket } from 'mysql2'
import { jsonValue, parseExactJson } from '../../core/json.ts'
import { numberFrom, numberFromDouble } from '../../core/number.ts'
import { parseDate, parseLocalTimestamp, parseTime, parseTimestamp } from '../../core/temporal.ts'
import type { Value } from '../../core/value.ts'

/** Reads a value from what the driver gives of it; undefined where it cannot be represented. */
export type Decode = (cell: unknown) => Value | undefined

/** How the values of a column are read. */
export function decoderOf({ columnType, extendedFormat, extendedTypeName }: FieldPacket): Decode {
  if (extendedFormat === 'json') return json
  // MariaDB sends these as text that it calls binary.
  if (TEXTS.has(extendedTypeName ?? '')) return latin
  return (columnType === undefined ? undefined : DECODERS[columnType]) ?? textOrBytes
}

const TEXTS: ReadonlySet<string> = new Set(['uuid', 'inet4', 'inet6'])

const number: Decode = (cell) => {
  if (typeof cell === 'number') return numberFromDouble(cell)
  return typeof cell === 'string' ? (numberFrom(cell) ?? undefined) : undefined
}

/** The shortest number that a float of four bytes is nearest to, as the server's own text of doubles is. */
const float: Decode = (cell) => {
  if (typeof cell !== 'number') return undefined
  for (let digits = 6; digits < 9; digits += 1) {
    const short = Number(cell.toPrecision(digits))
    if (Math.fround(short) === cell) return numberFromDouble(short)
  }
  return numberFromDouble(Number(cell.toPrecision(9)))
}

const bits: Decode = (cell) =>
  Buffer.isBuffer(cell)
    ? (numberFrom(BigInt(`0x${cell.toString('hex')}`).toString()) ?? undefined)
    : undefined

const json: Decode = (cell) => {
  const result = typeof cell === 'string' ? parseExactJson(cell) : { error: '', at: 0 }
  return 'error' in result ? undefined : jsonValue(result.node)
}

const vector: Decode = (cell) => {
  if (!Array.isArray(cell)) return undefined
  const parts: readonly unknown[] = cell
  return jsonValue(parts.map((each) => float(each) ?? null))
}

const latin: Decode = (cell) =>
  Buffer.isBuffer(cell) ? cell.toString('latin1') : textOrBytes(cell)

function textOrBytes(cell: unknown): Value | undefined {
  if (typeof cell === 'string') return cell
  return Buffer.isBuffer(cell) ? { type: 'bytes', text: cell.toString('hex') } : undefined
}

/** Zero dates are no dates. */
function fromText(parse: (text: string) => Value): Decode {
  return (cell) => (typeof cell === 'string' ? (parse(cell) ?? undefined) : undefined)
}

/** By the protocol's numbers of types; text, enumerations and bytes are told apart by what the driver makes of them. */
const DECODERS: Readonly<Record<number, Decode>> = {
  0: number,
  1: number,
  2: number,
  3: number,
  4: float,
  5: number,
  7: fromText(parseTimestamp),
  8: number,
  9: number,
  10: fromText(parseDate),
  11: fromText(parseTime),
  12: fromText(parseLocalTimestamp),
  13: number,
  14: fromText(parseDate),
  16: bits,
  242: vector,
  245: json,
  246: number,
  255: () => undefined,
}
