import { parse } from 'lossless-json'

/** A number as it was written, since a double would change `123456789012345678901`. */
export class ExactNumber {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** A JSON value whose numbers keep their digits. */
export type Json = null | boolean | string | ExactNumber | readonly Json[] | JsonObject

/** A JSON object; `__proto__` is a member like any other. */
export type JsonObject = { readonly [name: string]: Json }

/**
 * Reads JSON without losing a digit.
 *
 * The engine has a reader of its own; this one is a package's, so that the two judge each other.
 *
 * @throws SyntaxError saying where the text is no JSON
 */
export function readJson(text: string): Json {
  return parse(text, undefined, { parseNumber: (digits) => new ExactNumber(digits) }) as Json
}

/** Whether a value is an object, not an array or a number. */
export function isObject(value: Json | undefined): value is JsonObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !isArray(value) &&
    !(value instanceof ExactNumber)
  )
}

/** Whether a value is an array; narrower than `Array.isArray`, which makes its elements `any`. */
export function isArray(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}

/** JSON text of a value, its numbers spelled as they were read. */
export function jsonText(value: Json): string {
  return write(value, ({ text }) => text, Object.keys)
}

/**
 * Text that two values share exactly if they are equal by type and content: numbers by value,
 * members of objects in any order, `1` and `"1"` and `true` apart, a null member and an absent
 * one apart.
 */
export function canonicalText(value: Json): string {
  return write(value, canonicalNumber, (object) => Object.keys(object).sort())
}

function write(
  value: Json,
  number: (value: ExactNumber) => string,
  names: (object: JsonObject) => readonly string[],
): string {
  if (value instanceof ExactNumber) return number(value)
  if (isArray(value)) return `[${value.map((each) => write(each, number, names)).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const members = names(value).map(
    (name) => `${JSON.stringify(name)}:${write(value[name] ?? null, number, names)}`,
  )
  return `{${members.join(',')}}`
}

/** Digits without zeros at either end, and a power of ten: `12.30` and `1230e-2` are `123e-1`. */
function canonicalNumber({ text }: ExactNumber): string {
  const parts = NUMBER.exec(text)?.groups
  if (parts === undefined) throw new SyntaxError(`${text} is no JSON number`)
  const fraction = parts['fraction'] ?? ''
  const digits = `${parts['whole'] ?? ''}${fraction}`.replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  if (significant === '') return '0'
  const zeros = BigInt(digits.length - significant.length)
  const exponent = BigInt(parts['exponent'] ?? '0') - BigInt(fraction.length) + zeros
  return `${parts['sign'] ?? ''}${significant}e${exponent}`
}

const NUMBER = /^(?<sign>-?)(?<whole>\d+)(?:\.(?<fraction>\d+))?(?:[eE]\+?(?<exponent>-?\d+))?$/
