import { isLosslessNumber, LosslessNumber, parse, stringify } from 'lossless-json'

/** JSON whose numbers keep all their digits: `number` where a double will do, else a text of digits. */
export type Json =
  null | boolean | string | number | bigint | LosslessNumber | readonly Json[] | JsonObject

/** A JSON object; a record, or a row of a target. */
export type JsonObject = { readonly [name: string]: Json }

/** The exact number `coefficient / 10^scale`, with the smallest scale from 0. */
export type Decimal = { readonly coefficient: bigint; readonly scale: number }

/** Reads JSON text without rounding a number. */
export function readJson(text: string): Json {
  return parse(text, null, exactNumber) as Json
}

/** A number in the spelling given: a `number` if that spells itself so, else its text of digits. */
export function exactNumber(text: string): number | LosslessNumber {
  return String(Number(text)) === text ? Number(text) : new LosslessNumber(text)
}

/** Writes JSON text with all digits of its numbers. */
export function writeJson(value: unknown, indent = 0): string {
  return stringify(value, null, indent) ?? 'null'
}

/** Whether a value is a number, in whichever of its three forms. */
export function isNumber(value: Json): value is number | bigint | LosslessNumber {
  return typeof value === 'number' || typeof value === 'bigint' || isLosslessNumber(value)
}

/** Whether a value is a list. */
export function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}

/** Whether a value is a nested object. */
export function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !isArray(value) && !isNumber(value)
}

/** The value of a field, null where there is none. */
export function field(object: JsonObject, name: string | undefined): Json {
  return name !== undefined && Object.hasOwn(object, name) ? (object[name] ?? null) : null
}

/**
 * The one text of a value: two values are equal by type and content if their texts are.
 * Numbers by value (`1.10` is `1.1`), the fields of an object in any order, a null field as such.
 */
export function canonical(value: Json): string {
  if (isNumber(value)) return digits(decimal(value))
  if (isArray(value)) return `[${value.map(canonical).join()}]`
  if (isObject(value)) return canonicalObject(value)
  return JSON.stringify(value)
}

/** The canonical text of a row, in which a null column equals an absent one. */
export function canonicalRow(row: JsonObject): string {
  return canonical(Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)))
}

/** A table as sorted canonical rows, so that two tables are compared as what they are: sets of rows. */
export function tableText(rows: readonly JsonObject[]): string[] {
  return rows.map(canonicalRow).toSorted(compareText)
}

/** The exact value of a number. */
export function decimal(value: number | bigint | LosslessNumber): Decimal {
  const [, sign, whole, fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(String(value)) ?? []
  if (whole === undefined) throw new Error(`no JSON number: ${String(value)}`)

  let coefficient = BigInt(`${sign}${whole}${fraction}`)
  let scale = fraction.length - Number(power)
  if (scale < 0) [coefficient, scale] = [coefficient * 10n ** BigInt(-scale), 0]
  while (scale > 0 && coefficient % 10n === 0n)
    [coefficient, scale] = [coefficient / 10n, scale - 1]
  return { coefficient, scale }
}

/** Order of two exact numbers. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const scale = Math.max(a.scale, b.scale)
  const left = a.coefficient * 10n ** BigInt(scale - a.scale)
  const right = b.coefficient * 10n ** BigInt(scale - b.scale)
  return Number(left > right) - Number(left < right)
}

/** Order of two texts by code point. */
export function compareText(a: string, b: string): number {
  const left = Array.from(a, (character) => character.codePointAt(0) ?? 0)
  const right = Array.from(b, (character) => character.codePointAt(0) ?? 0)
  const differs = left.findIndex((point, i) => point !== right[i])
  if (differs === -1) return left.length - right.length
  return (left[differs] ?? -1) - (right[differs] ?? -1)
}

function canonicalObject(value: JsonObject): string {
  const fields = Object.entries(value).toSorted(([a], [b]) => compareText(a, b))
  return `{${fields.map(([name, leaf]) => `${JSON.stringify(name)}:${canonical(leaf)}`).join()}}`
}

function digits({ coefficient, scale }: Decimal): string {
  if (scale === 0) return String(coefficient)
  const sign = coefficient < 0n ? '-' : ''
  const text = String(coefficient < 0n ? -coefficient : coefficient).padStart(scale + 1, '0')
  return `${sign}${text.slice(0, -scale)}.${text.slice(-scale)}`
}
