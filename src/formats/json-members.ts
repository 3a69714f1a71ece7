import { isUtf8 } from 'node:buffer'
import type { Value } from '../core/value.ts'
import { copyBytes } from './copy-bytes.ts'
import type { Room, Shape, Values } from '../ports/source.ts'

/**
 * Finds the members of flat JSON objects of one shape without parsing them: the whole text is
 * checked here, a value is decoded when it is asked for.
 *
 * Gives way on everything that is not plain: other names or another order of them, nested
 * values, numbers that a double may not hold, odd escapes, bytes that are no UTF-8, no JSON at all.
 */
export class JsonMembers {
  readonly shape: Shape
  /** The names as the text has them, quotes included. */
  readonly #names: readonly Buffer[]
  /** Where the values of the last text begin and end, two places each. */
  readonly #places: Int32Array
  /** The row that the places are of. */
  #row: JsonRow | null = null
  #isAscii = true
  #hasEscapes = false

  constructor(shape: Shape) {
    this.shape = shape
    this.#names = shape.names.map((name) => Buffer.from(JSON.stringify(name)))
    this.#places = new Int32Array(2 * this.#names.length)
  }

  /** The row of the text between two places of `bytes`; null where that is for a parser to tell. */
  read(bytes: Buffer, start: number, end: number): JsonRow | null {
    this.#row = null
    if (!this.#scan(bytes, start, end)) return null
    if (!this.#isAscii && !isUtf8(bytes.subarray(start, end))) return null
    this.#row = new JsonRow(this, bytes, start, end)
    return this.#row
  }

  /** A value of a row that was read here. */
  valueOf(row: JsonRow, index: number): Value {
    const { bytes, start, end } = row
    if (this.#row !== row) {
      this.#scan(bytes, start, end)
      this.#row = row
    }
    const from = this.#places[2 * index] ?? 0
    const to = this.#places[2 * index + 1] ?? 0
    switch (bytes[from]) {
      case QUOTE:
        return this.#textOf(bytes, from + 1, to - 1)
      case LOWER_T:
        return true
      case LOWER_F:
        return false
      case LOWER_N:
        return null
      default:
        return numberOf(bytes, from, to)
    }
  }

  /** The bytes of a row are elsewhere from now on. */
  forget(row: JsonRow): void {
    if (this.#row === row) this.#row = null
  }

  #textOf(bytes: Buffer, from: number, to: number): string {
    if (this.#hasEscapes) return String(JSON.parse(bytes.toString('utf8', from - 1, to + 1)))
    return bytes.toString(this.#isAscii ? 'latin1' : 'utf8', from, to)
  }

  /** Whether the text fits the pattern; then the places are those of its values. */
  #scan(bytes: Buffer, start: number, end: number): boolean {
    const names = this.#names
    const places = this.#places
    let seen = 0
    let hasEscapes = false
    let i = skipSpace(bytes, start, end)
    let mark = OPEN_BRACE
    for (let member = 0; member < names.length; member += 1) {
      if (bytes[i] !== mark) return false
      mark = COMMA
      i = skipSpace(bytes, i + 1, end)

      const name = names[member]
      if (name === undefined) return false
      for (let j = 0; j < name.length; j += 1, i += 1) if (bytes[i] !== name[j]) return false
      i = skipSpace(bytes, i, end)
      if (bytes[i] !== COLON) return false
      i = skipSpace(bytes, i + 1, end)
      places[2 * member] = i

      const first = bytes[i] ?? 0
      if (first === QUOTE) {
        i += 1
        for (;;) {
          const byte = bytes[i] ?? 0
          if (byte === QUOTE) break
          if (byte < SPACE || i >= end) return false
          seen |= byte
          if (byte === BACKSLASH) {
            i = skipEscape(bytes, i)
            if (i < 0) return false
            hasEscapes = true
          }
          i += 1
        }
        i += 1
      } else {
        i = first >= LOWER_F ? skipWord(bytes, i, first) : skipNumber(bytes, i)
        if (i < 0) return false
      }
      places[2 * member + 1] = i
      i = skipSpace(bytes, i, end)
    }
    if (names.length === 0 || bytes[i] !== CLOSE_BRACE) return false
    this.#isAscii = seen < 0x80
    this.#hasEscapes = hasEscapes
    return skipSpace(bytes, i + 1, end) === end
  }
}

/** The values of one object, each decoded whenever it is asked for. */
export class JsonRow implements Values {
  bytes: Buffer
  start: number
  end: number
  /** How many bytes there is room for where it was moved to. */
  #size = 0
  readonly #members: JsonMembers

  constructor(members: JsonMembers, bytes: Buffer, start: number, end: number) {
    this.#members = members
    this.bytes = bytes
    this.start = start
    this.end = end
  }

  at(index: number): Value {
    return this.#members.valueOf(this, index)
  }

  become(other: Values, room: Room): boolean {
    if (!(other instanceof JsonRow) || other.#members !== this.#members) return false
    const { bytes, start, end } = other
    const length = end - start
    if (length > this.#size) this.#keep(room, bytes, start, end)
    else copyBytes(bytes, other, this.bytes, this.start)
    this.end = this.start + length
    this.#members.forget(this)
    return true
  }

  moveTo(room: Room): void {
    const { start, end } = this
    this.#keep(room, this.bytes, start, end)
    this.end = this.start + end - start
    this.#members.forget(this)
  }

  #keep(room: Room, from: Buffer, begin: number, end: number): void {
    const { bytes, start, size } = room.keep(from, begin, end)
    this.bytes = bytes
    this.start = start
    this.#size = size
  }
}

function skipSpace(bytes: Buffer, from: number, end: number): number {
  let i = from
  while (i < end) {
    const byte = bytes[i]
    if (byte !== SPACE && byte !== TAB && byte !== NEWLINE && byte !== CARRIAGE_RETURN) break
    i += 1
  }
  return i
}

/** The last byte of the escape that begins at a backslash; -1 where it is none, or may be half a surrogate pair. */
function skipEscape(bytes: Buffer, backslash: number): number {
  const letter = bytes[backslash + 1] ?? 0
  if (letter !== LOWER_U) return SHORT_ESCAPES.includes(letter) ? backslash + 1 : -1
  const digit = bytes[backslash + 2]
  if (digit === UPPER_D || digit === LOWER_D) return -1
  for (let i = backslash + 2; i < backslash + 6; i += 1) if (!isHex(bytes[i] ?? 0)) return -1
  return backslash + 5
}

/** The end of `true`, `false` or `null`; -1 where it is none of them. */
function skipWord(bytes: Buffer, from: number, first: number): number {
  const word = WORDS.get(first) ?? NULL
  for (let i = 0; i < word.length; i += 1) if (bytes[from + i] !== word[i]) return -1
  return from + word.length
}

/** The end of a number of at most fifteen digits, which a double holds exactly; -1 for every other. */
function skipNumber(bytes: Buffer, from: number): number {
  const start = bytes[from] === MINUS ? from + 1 : from
  let i = start
  while (isDigit(bytes[i] ?? 0)) i += 1
  if (i === start || (bytes[start] === ZERO && i > start + 1)) return -1
  if (bytes[i] === POINT) {
    const fraction = i + 1
    i = fraction
    while (isDigit(bytes[i] ?? 0)) i += 1
    if (i === fraction) return -1
  }
  const next = bytes[i]
  return next === LOWER_E || next === UPPER_E || i - start > MAX_DIGITS ? -1 : i
}

function numberOf(bytes: Buffer, from: number, to: number): number {
  const isNegative = bytes[from] === MINUS
  let number = 0
  for (let i = isNegative ? from + 1 : from; i < to; i += 1) {
    const byte = bytes[i] ?? 0
    // Adding zero makes -0 the one zero that there is.
    if (byte === POINT) return Number(bytes.toString('latin1', from, to)) + 0
    number = number * 10 + byte - ZERO
  }
  return isNegative ? 0 - number : number
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE
}

function isHex(byte: number): boolean {
  return (
    isDigit(byte) || (byte >= UPPER_A && byte <= UPPER_F) || (byte >= LOWER_A && byte <= LOWER_F)
  )
}

/** A point counts too: what matters is that no more digits fit than a double keeps. */
const MAX_DIGITS = 15

const TRUE = Buffer.from('true')
const FALSE = Buffer.from('false')
const NULL = Buffer.from('null')
const WORDS: ReadonlyMap<number, Buffer> = new Map([
  [0x74, TRUE],
  [0x66, FALSE],
])
const SHORT_ESCAPES: readonly number[] = [...Buffer.from('"\\/bfnrt')]

const TAB = 0x09
const NEWLINE = 0x0a
const CARRIAGE_RETURN = 0x0d
const SPACE = 0x20
const QUOTE = 0x22
const COMMA = 0x2c
const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const COLON = 0x3a
const UPPER_A = 0x41
const UPPER_D = 0x44
const UPPER_E = 0x45
const UPPER_F = 0x46
const BACKSLASH = 0x5c
const LOWER_A = 0x61
const LOWER_D = 0x64
const LOWER_E = 0x65
const LOWER_F = 0x66
const LOWER_N = 0x6e
const LOWER_T = 0x74
const LOWER_U = 0x75
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
