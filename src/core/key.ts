import { BugError } from './errors.ts'
import { numberFrom, numberText } from './number.ts'
import { isTagged } from './value.ts'
import type { TaggedType, Value } from './value.ts'

declare const tag: unique symbol

/**
 * Which row a change is about: the values of `keys`, spelled so that two keys are equal by
 * type and content exactly if they are the same string.
 *
 *     n42            one part, the number 42
 *     tann           the text ann
 *     ["n42","tann"] two parts
 */
export type Key = string & { readonly [tag]: 'Key' }

/** The key of these parts, in the order of `keys`; none of them is null. */
export function keyOf(parts: readonly Value[]): Key {
  const only = parts[0]
  if (parts.length === 1 && only !== undefined) return brand(partText(only))
  return brand(JSON.stringify(parts.map(partText)))
}

/** The parts that a key was made of. */
export function keyParts(key: Key): readonly Value[] {
  if (!key.startsWith('[')) return [partOf(key)]
  const texts: unknown = JSON.parse(key)
  if (!Array.isArray(texts)) throw new BugError(`no key: ${key}`)
  return texts.map((text) => partOf(String(text)))
}

/** A key as it was stored by {@link keyOf}. */
export function storedKey(text: string): Key {
  return brand(text)
}

function brand(text: string): Key {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the only maker of keys
  return text as Key
}

/** One letter per type, none of them the bracket that opens a list of parts. */
const LETTERS = {
  decimal: 'n',
  double: 'f',
  bytes: 'x',
  date: 'd',
  time: 'c',
  timestamp: 'i',
  local_timestamp: 'l',
  json: 'j',
} as const satisfies Record<TaggedType, string>

const TYPES: ReadonlyMap<string, TaggedType> = new Map([
  ['f', 'double'],
  ['x', 'bytes'],
  ['d', 'date'],
  ['c', 'time'],
  ['i', 'timestamp'],
  ['l', 'local_timestamp'],
  ['j', 'json'],
])

function partText(part: Value): string {
  if (typeof part === 'string') return `t${part}`
  if (typeof part === 'number' || typeof part === 'bigint') return `n${numberText(part)}`
  if (typeof part === 'boolean') return part ? 'b1' : 'b0'
  if (isTagged(part)) return LETTERS[part.type] + part.text
  throw new BugError('a part of a key is null')
}

function partOf(spelled: string): Value {
  const letter = spelled.charAt(0)
  const text = spelled.slice(1)
  if (letter === 't') return text
  if (letter === 'b') return text === '1'
  if (letter === 'n') return numberFrom(text) ?? broken(spelled)
  const type = TYPES.get(letter)
  return type === undefined ? broken(spelled) : { type, text }
}

function broken(spelled: string): never {
  throw new BugError(`no part of a key: ${spelled}`)
}
