import { hexOfBase64 } from './bytes.ts'
import { jsonText } from './display.ts'
import { BugError } from './errors.ts'
import { isJsonArray, isJsonObject, parseCanonical } from './json.ts'
import type { JsonNode } from './json.ts'
import { isNumeric } from './number.ts'
import { decodeNumber, encodeNumber } from './sequence-number.ts'
import { decodeText, encodeText } from './sequence-text.ts'
import { isInfinite, parseTimestamp } from './temporal.ts'
import { isTagged } from './value.ts'
import type { Value } from './value.ts'

declare const tag: unique symbol

/**
 * When a change happened, by the source's own account: the value of `sequence_by`.
 *
 * Text order is sequence order, whether JavaScript's `<` compares UTF-16 units or SQLite's
 * BINARY the bytes of UTF-8, so that a store sorts without decoding. Never empty, and without
 * U+0000. Only sequences of one {@link SequenceType} compare.
 */
export type Sequence = string & { readonly [tag]: 'Sequence' }

/** What compares with itself: all numbers, all instants (dates and local timestamps are UTC), text, bytes. */
export type ScalarType = 'number' | 'text' | 'bytes' | 'timestamp'

/**
 * The type of all sequences of a target: plain JSON, to be stored and compared.
 *
 * A list compares part by part; its length is part of the type. Without `list` there is one part.
 */
export type SequenceType = {
  readonly parts: readonly ScalarType[]
  readonly list: boolean
  /** The first part is an epoch: it orders, and is not shown. What is left of one other part is a scalar. */
  readonly epoch?: true
  /**
   * The parts by epoch, of all that sequences were made for: behind the epoch another feed may count
   * otherwise. `parts` are those of the highest. Without this `parts` hold for every epoch.
   */
  readonly epochs?: readonly { readonly epoch: number; readonly parts: readonly ScalarType[] }[]
}

/** Whether sequences of a type are one number each, and nothing more. */
export function isNumberAlone(type: SequenceType | null): boolean {
  return type !== null && !type.list && type.parts[0] === 'number'
}

/** The sequence type that a first value fixes; null for what has no order here (null, booleans, times, objects, `NaN`, infinite timestamps). */
export function sequenceTypeOf(value: Value): SequenceType | null {
  return sequenceTypeOfParts([value])
}

/** The sequence type that the values of a list of columns fix; a value that is an array counts as a list of columns. */
export function sequenceTypeOfParts(values: readonly Value[]): SequenceType | null {
  const flat = flatten(values)
  if (flat === null) return null
  const parts: ScalarType[] = []
  for (const value of flat.values) {
    const scalar = scalarTypeOf(value)
    if (scalar === null) return null
    parts.push(scalar)
  }
  return { parts, list: flat.list }
}

/** The sequence that a value is; null if it is not of the type. Text is no timestamp here, nor is a number. */
export function encodeSequence(value: Value, type: SequenceType): Sequence | null {
  if (type.list) return encodeSequenceParts([value], type)
  const scalar = type.parts[0]
  if (scalar === undefined) throw new BugError('a sequence type without parts')
  const text = encodeScalar(value, scalar)
  if (text === null) return null
  return brand(text === '' ? TERMINATOR : text)
}

/** The sequence that the values of a list of columns are; null if they are not of the type. */
export function encodeSequenceParts(values: readonly Value[], type: SequenceType): Sequence | null {
  const only = values[0]
  if (!type.list)
    return values.length === 1 && only !== undefined ? encodeSequence(only, type) : null

  const flat = flatten(values)
  return flat === null || !flat.list ? null : encodeList(flat.values, partsFrom(flat.values, type))
}

/** The natural value of a sequence: the scalar, timestamps in UTC, or a JSON array of them for a list. */
export function decodeSequence(sequence: Sequence, type: SequenceType): Value {
  const all = decodeSequenceParts(sequence, type)
  const parts = type.epoch === true ? all.slice(1) : all
  if (isShownAsList(type, all.length))
    return { type: 'json', text: `[${parts.map(jsonText).join(',')}]` }
  return parts[0] ?? null
}

/** The parts of a sequence as values, the epoch among them, one for one that is no list. */
export function decodeSequenceParts(sequence: Sequence, type: SequenceType): readonly Value[] {
  const texts = sequence.split(TERMINATOR)
  const parts = isOfSeveral(type)
    ? partsFrom([decodeScalar(texts[0] ?? '', 'number')], type)
    : type.parts
  return parts.map((scalar, i) => decodeScalar(texts[i] ?? '', scalar))
}

/**
 * The sequence that {@link decodeSequence} would show as this value, or as JSON spells it: also
 * takes ISO text for timestamps and base64 for bytes. Null if it is not of the type.
 *
 * @param epoch that of the sequence, where the type has one and the value does not begin with it
 */
export function readSequence(value: Value, type: SequenceType, epoch = 0): Sequence | null {
  if (!type.list) return encodeSequence(readScalar(value, type.parts[0]), type)
  const flat = flatten([value])
  const shown = partsFrom([epoch], type)
  if (flat === null || (isShownAsList(type, shown.length) && !flat.list)) return null
  const isShort = type.epoch === true && flat.values.length === shown.length - 1
  const whole = isShort ? [epoch, ...flat.values] : flat.values
  const types = partsFrom(whole, type)
  return encodeList(
    whole.map((part, i) => readScalar(part, types[i])),
    types,
  )
}

/** The sequence of an epoch and the parts after it; null if they are not of the type. */
export function encodeEpochSequence(
  epoch: number,
  values: readonly Value[],
  type: SequenceType,
): Sequence | null {
  if (type.epoch !== true) return null
  const whole = [epoch, ...values]
  return encodeList(whole, partsFrom(whole, type))
}

/**
 * The type of sequences that begin with an epoch, given what is known of it: the first sequence of
 * each epoch adds what its parts are. Null where one of them has no order.
 */
export function epochSequenceType(
  epoch: number,
  values: readonly Value[],
  known: SequenceType | null,
): SequenceType | null {
  const epochs = known === null ? [] : known.epochs
  if (epochs === undefined || epochs.some((each) => each.epoch === epoch)) return known
  const own = sequenceTypeOfParts(values)
  if (own === null) return null
  const parts: readonly ScalarType[] = ['number', ...own.parts]
  const isHighest = epochs.every((each) => each.epoch < epoch)
  return {
    parts: isHighest || known === null ? parts : known.parts,
    list: true,
    epoch: true,
    epochs: [...epochs, { epoch, parts }],
  }
}

/** A sequence as it was stored. */
export function storedSequence(text: string): Sequence {
  return brand(text)
}

/** A sequence type in words, for messages: `number`, `list of timestamp, number`. */
export function describeSequenceType(type: SequenceType): string {
  const shown = type.epoch === true ? type.parts.slice(1) : type.parts
  return isShownAsList(type, type.parts.length) ? `list of ${shown.join(', ')}` : shown.join(', ')
}

/** Whether two sequence types are one. */
export function sameSequenceType(a: SequenceType, b: SequenceType): boolean {
  return (
    a.list === b.list &&
    a.epoch === b.epoch &&
    a.parts.length === b.parts.length &&
    a.parts.every((part, i) => part === b.parts[i])
  )
}

/** Whether readers see a list, rather than the only part that is shown of so many. */
function isShownAsList({ list, epoch }: SequenceType, parts: number): boolean {
  return list && (epoch !== true || parts > 2)
}

function isOfSeveral({ epochs }: SequenceType): boolean {
  return epochs !== undefined && epochs.length > 1
}

/** What the parts of a sequence are, where the first of them may be its epoch. */
function partsFrom([first]: readonly Value[], type: SequenceType): readonly ScalarType[] {
  if (!isOfSeveral(type) || !isNumeric(first ?? null)) return type.parts
  return type.epochs?.find(({ epoch }) => epoch === Number(first))?.parts ?? type.parts
}

/** Ends a part of a list. Below everything that a part can hold: text escapes what is not above it. */
const TERMINATOR = '\u0001'

function brand(text: string): Sequence {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the only maker of sequences
  return text as Sequence
}

function scalarTypeOf(value: Value): ScalarType | null {
  if (typeof value === 'string') return 'text'
  if (isNumeric(value)) return 'number'
  if (!isTagged(value)) return null
  switch (value.type) {
    case 'timestamp':
    case 'local_timestamp':
    case 'date':
      return isInfinite(value) ? null : 'timestamp'
    case 'bytes':
      return 'bytes'
    case 'decimal':
    case 'double':
    case 'time':
    case 'json':
      return null
  }
}

function encodeList(values: readonly Value[], types: readonly ScalarType[]): Sequence | null {
  if (values.length !== types.length) return null
  let text = ''
  for (const [i, scalar] of types.entries()) {
    const part = encodeScalar(values[i] ?? null, scalar)
    if (part === null) return null
    text += part + TERMINATOR
  }
  return brand(text)
}

function encodeScalar(value: Value, type: ScalarType): string | null {
  if (type === 'number') return isNumeric(value) ? encodeNumber(value) : null
  if (type === 'text') return typeof value === 'string' ? encodeText(value) : null
  if (!isTagged(value)) return null
  if (type === 'bytes') return value.type === 'bytes' ? value.text : null
  if (isInfinite(value)) return null
  // Canonical ISO text of four-digit years is in the order of time, but for the letter at its end.
  if (value.type === 'timestamp') return value.text.slice(0, -1)
  if (value.type === 'local_timestamp') return value.text
  return value.type === 'date' ? `${value.text}T00:00:00` : null
}

function readScalar(value: Value, type: ScalarType | undefined): Value {
  if (typeof value !== 'string') return value
  if (type === 'timestamp') return parseTimestamp(value)
  if (type !== 'bytes') return value
  const hex = hexOfBase64(value)
  return hex === null ? null : { type: 'bytes', text: hex }
}

function decodeScalar(text: string, type: ScalarType): Value {
  switch (type) {
    case 'number':
      return decodeNumber(text)
    case 'text':
      return decodeText(text)
    case 'bytes':
      return { type: 'bytes', text }
    case 'timestamp':
      return { type: 'timestamp', text: `${text}Z` }
  }
}

/** Values with the elements of arrays in their place; null where one is an object or an array is empty. */
function flatten(values: readonly Value[]): { values: readonly Value[]; list: boolean } | null {
  if (!values.some(isJson)) return { values, list: values.length !== 1 }
  const flat: Value[] = []
  for (const value of values) {
    if (!isJson(value)) {
      flat.push(value)
      continue
    }
    const node = parseCanonical(value.text)
    if (!isJsonArray(node) || node.length === 0 || !node.every(isScalar)) return null
    flat.push(...node)
  }
  return { values: flat, list: true }
}

function isJson(value: Value): value is Value & { readonly type: 'json'; readonly text: string } {
  return isTagged(value) && value.type === 'json'
}

function isScalar(node: JsonNode): node is Value {
  if (isJsonArray(node) || isJsonObject(node)) return false
  return typeof node === 'string' || isNumeric(node)
}
