import { jsonValue, parseExactJson, TidemarkError } from '../index.ts'
import type { Value } from '../index.ts'
import { hint } from './nearest.ts'

/** A value of the command line: JSON if it parses, with all digits of its numbers, else text as it stands. */
export function readValue(text: string): Value {
  const parsed = parseExactJson(text)
  return 'node' in parsed ? jsonValue(parsed.node) : text
}

/** The value of an option that was given, as {@link readValue} reads it. */
export function readOptional(text: string | null): Value | undefined {
  return text === null ? undefined : readValue(text)
}

/**
 * The parts of a key from `k=v` texts. The longest key name that fits is meant, so that a
 * name may hold `=` itself.
 *
 * @throws TidemarkError `USAGE` naming what is no key of the target, is given twice, or has no `=`
 */
export function readKey(
  texts: readonly string[],
  keys: readonly string[],
): Readonly<Record<string, Value>> {
  const parts = new Map<string, Value>()
  for (const text of texts) {
    const name = keyNamed(text, keys)
    if (parts.has(name)) throw usage(`key ${JSON.stringify(name)} is given twice`)
    parts.set(name, readValue(text.slice(name.length + 1)))
  }
  return Object.fromEntries(parts)
}

/**
 * The whole key of one row.
 *
 * @throws TidemarkError `USAGE` as {@link readKey} does, and naming the parts that are missing
 */
export function readWholeKey(
  texts: readonly string[],
  keys: readonly string[],
): Readonly<Record<string, Value>> {
  const key = readKey(texts, keys)
  const missing = keys.filter((name) => !Object.hasOwn(key, name))
  if (missing.length === 0) return key
  throw usage(`the key is not whole: add ${missing.map((name) => `--key ${name}=…`).join(' ')}`)
}

/**
 * A count of rows.
 *
 * @throws TidemarkError `USAGE` unless the text is a whole number that is not negative
 */
export function readLimit(text: string | null): number | undefined {
  if (text === null) return undefined
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw usage(`--limit needs a whole number, not ${JSON.stringify(text)}`)
}

function keyNamed(text: string, keys: readonly string[]): string {
  const fitting = keys.filter((name) => text.startsWith(`${name}=`))
  const longest = fitting.toSorted((a, b) => b.length - a.length)[0]
  if (longest !== undefined) return longest

  const end = text.indexOf('=')
  if (end === -1) throw usage(`--key needs NAME=VALUE, not ${JSON.stringify(text)}`)
  const typed = text.slice(0, end)
  throw usage(`${JSON.stringify(typed)} is no key of the target${hint(typed, keys)}`)
}

function usage(message: string): TidemarkError {
  return new TidemarkError('USAGE', message)
}
