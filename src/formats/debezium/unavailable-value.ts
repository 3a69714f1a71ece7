import { createHash } from 'node:crypto'
import { canonicalText } from '../../core/json.ts'
import type { JsonNode } from '../../core/json.ts'
import { isTagged } from '../../core/value.ts'
import type { Value } from '../../core/value.ts'

/** What stands in the place of a value that Debezium does not have, unless it is configured otherwise. */
export const UNAVAILABLE_VALUE = '__debezium_unavailable_value'

/**
 * Recognises the value that stands for one that the source did not log again: PostgreSQL's TOAST,
 * Oracle's LOBs. It comes in the type of its column:
 *
 * | column | value |
 * | --- | --- |
 * | text, JSON | the placeholder |
 * | bytes | its bytes, as base64 (also of the URL alphabet), hex, or typed by a schema |
 * | array of text, UUIDs or bytes | one element: the placeholder, the UUID named by it, its bytes |
 * | array of numbers | one number per byte |
 * | hstore | an object of the placeholder to itself, or the text of one |
 * | geometry, geography, point | a place that nothing is at, whatever the placeholder |
 *
 * An array that has it among other elements is data. An array of booleans, all true, or of
 * decimals with a scale, cannot be told from data.
 */
export class UnavailableValue {
  readonly #texts: ReadonlySet<string>
  readonly #lengths: ReadonlySet<number>
  readonly #trees: ReadonlySet<string>
  readonly #treeLengths: ReadonlySet<number>
  readonly #hex: string

  /** @param placeholder as in Debezium's `unavailable.value.placeholder`: text, or `hex:` and the digits of bytes */
  constructor(placeholder: string) {
    const bytes = bytesOf(placeholder)
    const text = bytes.toString('utf8')
    this.#hex = bytes.toString('hex')
    this.#texts = new Set([text, ...spellings(bytes), canonicalText(new Map([[text, text]]))])
    this.#lengths = lengthsOf(this.#texts)
    this.#trees = new Set(treesOf(bytes, text).map(canonicalText))
    this.#treeLengths = lengthsOf(this.#trees)
  }

  /** Whether a value is none but stands for one. */
  stands(value: Value): boolean {
    if (typeof value === 'string') return this.#lengths.has(value.length) && this.#texts.has(value)
    if (!isTagged(value)) return false
    if (value.type === 'bytes') return value.text === this.#hex
    if (value.type !== 'json') return false
    return this.#treeLengths.has(value.text.length) && this.#trees.has(value.text)
  }
}

function bytesOf(placeholder: string): Buffer {
  const hex = /^hex:((?:[0-9a-fA-F]{2})+)$/.exec(placeholder)?.[1]
  return hex === undefined ? Buffer.from(placeholder, 'utf8') : Buffer.from(hex, 'hex')
}

/** Bytes as text: what `binary.handling.mode` makes of them. */
function spellings(bytes: Buffer): readonly string[] {
  const hex = bytes.toString('hex')
  const base64 = bytes.toString('base64')
  const urlSafe = base64.replaceAll('+', '-').replaceAll('/', '_')
  return [base64, urlSafe, bytes.toString('base64url'), hex, hex.toUpperCase()]
}

function treesOf(bytes: Buffer, text: string): readonly JsonNode[] {
  const codes = Array.from(bytes, (byte) => (byte << 24) >> 24)
  return [
    [text],
    [uuidOf(bytes)],
    ...spellings(bytes).map((spelled) => [spelled]),
    codes,
    codes.map(base64Of),
    codes.map(
      (code) => new Map<string, JsonNode>(Object.entries({ scale: 0, value: base64Of(code) })),
    ),
    new Map([[text, text]]),
    ...NOWHERE,
  ]
}

function base64Of(code: number): string {
  return Buffer.from([code]).toString('base64')
}

/** The UUID that is named by bytes alone, version 3. */
function uuidOf(bytes: Buffer): string {
  const digest = createHash('md5').update(bytes).digest()
  digest.writeUInt8((digest.readUInt8(6) & 0x0f) | 0x30, 6)
  digest.writeUInt8((digest.readUInt8(8) & 0x3f) | 0x80, 8)
  return digest.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** The geometry, the geography and the point that stand for unavailable ones. */
const NOWHERE: readonly JsonNode[] = [
  geometry('0101000020e6100000000000fc83d797c1000000fc83d797c1', [['srid', 4326]]),
  geometry('0101000020e61000000c21e7fdff7f66401842cefbff7f5640', [['srid', 4326]]),
  geometry('0101000000000000fc83d797c1000000fc83d797c1', [
    ['srid', null],
    ['x', -99_999_999],
    ['y', -99_999_999],
  ]),
]

function geometry(wkb: string, rest: readonly (readonly [string, JsonNode])[]): JsonNode {
  return new Map([['wkb', Buffer.from(wkb, 'hex').toString('base64')], ...rest])
}

function lengthsOf(texts: ReadonlySet<string>): ReadonlySet<number> {
  return new Set(Array.from(texts, (text) => text.length))
}
