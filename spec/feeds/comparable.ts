import { jsonText } from '../../src/core/display.ts'
import { isTagged, type Value } from '../../src/core/value.ts'
import { canonicalText, ExactNumber, isArray, isObject, readJson } from '../conformance/json.ts'
import type { Json, JsonObject } from '../conformance/json.ts'

/** Text that says a value with its type, so that equal texts are equal values. */
export function comparable(value: Value): string {
  if (!isTagged(value)) return canonicalText(readJson(jsonText(value)))
  switch (value.type) {
    case 'decimal':
      return canonicalText(new ExactNumber(value.text))
    case 'json':
      return canonicalText(readJson(value.text))
    case 'bytes':
    case 'date':
    case 'time':
    case 'timestamp':
    case 'local_timestamp':
    case 'double':
      return `${value.type} ${value.text}`
  }
}

/** The same of a value as cases write it, with tags for what JSON lacks. */
export function expected(node: Json): string {
  const [tag, text] = tagOf(node)
  switch (tag) {
    case '$int':
    case '$dec':
      return canonicalText(new ExactNumber(text))
    case '$ts':
      return `local_timestamp ${shortest(text)}`
    case '$tstz':
      return `timestamp ${shortest(text)}`
    case '$date':
      return `date ${text}`
    case '$time':
      return `time ${shortest(text)}`
    case '$hex':
      return `bytes ${text.toLowerCase()}`
    case '$text_hex':
      return JSON.stringify(Buffer.from(text, 'hex').toString('utf8'))
    case '$double':
      return `double ${text}`
    case '$json':
      return canonicalText((node as JsonObject)['$json'] ?? null)
    default:
      return canonicalText(node)
  }
}

function tagOf(node: Json): readonly [string, string] {
  if (!isObject(node)) return ['', '']
  const [entry, ...others] = Object.entries(node)
  if (entry === undefined || others.length > 0 || !entry[0].startsWith('$')) return ['', '']
  return [entry[0], typeof entry[1] === 'string' ? entry[1] : canonicalText(entry[1])]
}

/** Without zeros at the end of the fraction. */
function shortest(text: string): string {
  return text.replace(/(\.\d*?)0+(?=Z?$)/, '$1').replace(/\.(?=Z?$)/, '')
}

/** Whether a sequence begins with the parts that a case shows of it: all, or only the first ones. */
export function showsSequence(value: Value, shown: Json): boolean {
  const parts = isTagged(value) && value.type === 'json' ? readJson(value.text) : null
  const ours = isArray(parts) ? parts.map(canonicalText) : [comparable(value)]
  const theirs = (isArray(shown) ? shown : hybrid(shown)).map(expected)
  return theirs.length <= ours.length && theirs.every((part, i) => part === ours[i])
}

/** `wall.logical`, as CockroachDB spells its clock, is two integers. */
function hybrid(shown: Json): readonly Json[] {
  const [, wall, logical] =
    typeof shown === 'string' ? (/^(\d{19})\.(\d{10})$/.exec(shown) ?? []) : []
  if (wall === undefined || logical === undefined) return [shown]
  return [new ExactNumber(wall), new ExactNumber(String(Number(logical)))]
}
