import fc from 'fast-check'

/**
 * One cell as Kafka Connect's JSON converter writes it, and what it is: the schema of its column,
 * the JSON text of its value, and the value as `type:text`, digits and letters by hand.
 */
export type Cell = { readonly schema: object; readonly json: string; readonly is: string }

/** Cells of all types that Debezium's connectors for databases write, the edges of each included. */
export function connectCell(): fc.Arbitrary<Cell> {
  return fc.oneof(
    integers,
    texts,
    booleans,
    binaries,
    decimals,
    variable,
    days,
    times,
    stamps,
    none,
  )
}

const integers = fc
  .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
  .map((n): Cell => ({ schema: { type: 'int64' }, json: String(n), is: `number:${n}` }))

const texts = fc.string({ unit: 'grapheme' }).map((text): Cell => ({
  schema: { type: 'string' },
  json: JSON.stringify(text),
  is: `text:${text}`,
}))

const booleans = fc
  .boolean()
  .map((b): Cell => ({ schema: { type: 'boolean' }, json: String(b), is: `boolean:${b}` }))

const binaries = fc.uint8Array({ maxLength: 9 }).map((array): Cell => {
  const bytes = Buffer.from(array)
  return {
    schema: { type: 'bytes' },
    json: JSON.stringify(bytes.toString('base64')),
    is: `bytes:${bytes.toString('hex')}`,
  }
})

const unscaled = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n })

const decimals = fc.tuple(unscaled, fc.integer({ min: -5, max: 40 })).map(([n, scale]): Cell => ({
  schema: {
    type: 'bytes',
    name: 'org.apache.kafka.connect.data.Decimal',
    parameters: { scale: String(scale) },
  },
  json: JSON.stringify(twosComplement(n)),
  is: `number:${pointed(n, scale)}`,
}))

const variable = fc.tuple(unscaled, fc.integer({ min: 0, max: 40 })).map(([n, scale]): Cell => ({
  schema: { type: 'struct', name: 'io.debezium.data.VariableScaleDecimal' },
  json: JSON.stringify({ scale, value: twosComplement(n) }),
  is: `number:${pointed(n, scale)}`,
}))

const DAY_MS = 86_400_000

/** Days of the years 1 to 9999: JavaScript's calendar, not ours. */
const day = fc.integer({ min: Date.parse('0001-01-01') / DAY_MS, max: 2_932_896 })

const days = day.map((n): Cell => ({
  schema: { type: 'int32', name: 'io.debezium.time.Date', version: 1 },
  json: String(n),
  is: `date:${new Date(n * DAY_MS).toISOString().slice(0, 10)}`,
}))

const UNITS = [
  ['Time', 'Timestamp', 3],
  ['MicroTime', 'MicroTimestamp', 6],
  ['NanoTime', 'NanoTimestamp', 9],
] as const

const unit = fc.constantFrom(...UNITS)
/** Within a day; often on its second. */
const nanos = fc
  .oneof(fc.constant(0), fc.integer({ min: 0, max: 86_399_999 }))
  .chain((ms) =>
    fc.integer({ min: 0, max: 999_999 }).map((rest) => BigInt(ms) * 1_000_000n + BigInt(rest)),
  )

const times = fc.tuple(unit, nanos).map(([[name, , digits], n]): Cell => {
  const count = n / 10n ** BigInt(9 - digits)
  return {
    schema: { type: 'int64', name: `io.debezium.time.${name}`, version: 1 },
    json: String(count),
    is: `time:${clock(n, digits)}`,
  }
})

const stamps = fc.tuple(unit, day, nanos).map(([[, name, digits], date, n]): Cell => {
  const count = BigInt(date) * 86_400n * 10n ** BigInt(digits) + n / 10n ** BigInt(9 - digits)
  return {
    schema: { type: 'int64', name: `io.debezium.time.${name}`, version: 1 },
    json: String(count),
    is: `local_timestamp:${new Date(date * DAY_MS).toISOString().slice(0, 10)}T${clock(n, digits)}`,
  }
})

const none = fc.constant<Cell>({
  schema: { type: 'int32', optional: true },
  json: 'null',
  is: 'null',
})

/** Base64 of the shortest big-endian two's complement, as Java's BigInteger has it. */
function twosComplement(n: bigint): string {
  let length = 1
  while (n < -(2n ** BigInt(8 * length - 1)) || n >= 2n ** BigInt(8 * length - 1)) length += 1
  const hex = BigInt.asUintN(8 * length, n)
    .toString(16)
    .padStart(2 * length, '0')
  return Buffer.from(hex, 'hex').toString('base64')
}

/** A number with a point so many digits from its end, without superfluous zeros. */
function pointed(n: bigint, scale: number): string {
  const sign = n < 0n ? '-' : ''
  const digits = String(n < 0n ? -n : n) + '0'.repeat(Math.max(0, -scale))
  if (scale <= 0) return n === 0n ? '0' : sign + digits
  const padded = digits.padStart(scale + 1, '0')
  const fraction = padded.slice(-scale).replace(/0+$/, '')
  const whole = padded.slice(0, -scale)
  return n === 0n ? '0' : sign + whole + (fraction === '' ? '' : `.${fraction}`)
}

/** `HH:MM:SS[.fraction]` of nanoseconds since midnight, cut to so many digits. */
function clock(n: bigint, digits: number): string {
  const text = new Date(Number(n / 1_000_000n)).toISOString().slice(11, 19)
  const fraction = String(n % 1_000_000_000n)
    .padStart(9, '0')
    .slice(0, digits)
    .replace(/0+$/, '')
  return fraction === '' ? text : `${text}.${fraction}`
}
