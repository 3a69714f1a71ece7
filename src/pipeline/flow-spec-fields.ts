import { z } from 'zod'
import { asciiLowerCase } from '../core/sql-tokens.ts'
import { parseDeclaredType, TYPE_ALIASES } from '../core/types.ts'
import type { DeclaredType } from '../core/types.ts'
import { didYouMean } from './flow-spec-nearest.ts'
import { paramsOf, quoted } from './flow-spec-problems.ts'

/**
 * An object without other keys than those of the shape.
 *
 * @param homes where keys belong that stand here by mistake
 */
export function strict<const Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
  homes: Readonly<Record<string, string>> = {},
): z.ZodObject<Shape, z.core.$strict> {
  const known = Object.keys(shape)
  const unknown = (key: string): string => {
    const home = Object.hasOwn(homes, key) ? homes[key] : undefined
    return `unknown key ${quoted(key)}${home === undefined ? didYouMean(key, known) : `; it belongs ${home}`}`
  }
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map(unknown).join('\n')
        : 'must be an object with options',
  })
}

/** Runs another schema inside of a transformation, its issues being those of the value. */
export function parseWithin<T>(
  schema: z.ZodType<T>,
  input: unknown,
  context: z.core.$RefinementCtx,
  path: readonly PropertyKey[] = [],
): T {
  const result = schema.safeParse(input)
  if (result.success) return result.data
  for (const issue of result.error.issues) {
    context.issues.push(custom(issue.message, [...path, ...issue.path], paramsOf(issue)))
  }
  return z.NEVER
}

/** A name of a column, a target, a flow: any text that SQLite can carry as one. */
export const name = z
  .string({ error: 'must be a name' })
  .min(1, { error: 'must be a name' })
  .refine((text) => !/[\0\p{Surrogate}]/u.test(text), {
    error: 'no name can have a NUL character or half a surrogate pair, as {} has',
  })

/** A list of names. Naming one twice says no more than naming it once. */
export const names = z.array(name, { error: 'must be a list of column names' })

/** One value or a list of at least one, as a list. */
export function oneOrMany<T>(item: z.ZodType<T>, what: string): z.ZodType<T[]> {
  return z.unknown().transform((input, context): T[] => {
    if (!Array.isArray(input)) return [parseWithin(item, input, context)]
    if (input.length === 0) context.issues.push(custom(`needs at least one ${what}`))
    return input.map((each: unknown, i) => parseWithin(item, each, context, [i]))
  })
}

/** Names of which SQLite can tell each from the others. */
export function distinct(columns: z.ZodType<string[]>): z.ZodType<string[]> {
  return columns.superRefine((list, context) => {
    for (const [i, before] of sameColumns(list)) {
      const params = { sibling: before }
      context.issues.push(custom('{} is the same column as {sibling}', [i], params))
    }
  })
}

/** Text that is not empty; `what` says what it has to be. */
export function filledText(what: string): z.ZodString {
  const error = `must be ${what}`
  return z.string({ error }).min(1, { error })
}

/** SQL, to be compiled when the flow is opened. */
export const sql = z
  .string({ error: 'must be an SQL expression as text' })
  .refine((text) => text.trim() !== '', { error: 'must be an SQL expression' })

/** An option that is true or false. */
export const flag = z.boolean({ error: 'must be true or false' })

/** One of a few words. */
export function word<const Words extends readonly string[]>(
  words: Words,
): z.ZodType<Words[number]> {
  const all = words.length > 2 ? `one of ${words.join(', ')}` : words.join(' or ')
  return z.literal(words, { error: `must be ${all}` })
}

/** A whole number from `least` on that a double holds exactly. */
export function count(least: number, most = Number.MAX_SAFE_INTEGER): z.ZodType<number> {
  const error = `must be a whole number from ${least} to ${most}`
  return z.int({ error }).min(least, { error }).max(most, { error })
}

/** A duration in milliseconds, given as such or as text: `500ms`, `2s`, `1m`, `12h`, `7d`, `2w`. */
export function duration(most = Number.MAX_SAFE_INTEGER): z.ZodType<number> {
  const error = `must be milliseconds or a duration such as 500ms, 2s, 1m, 12h or 7d${
    most === Number.MAX_SAFE_INTEGER ? '' : `, at most ${most} ms`
  }`
  return z
    .union([z.number(), z.string().transform(millisecondsOf)], { error })
    .pipe(z.int({ error }).min(0, { error }).max(most, { error }))
}

/** A type by its name or one of its aliases. */
export const declaredType = z
  .string({ error: 'must be the name of a type' })
  .transform((text, context): DeclaredType => {
    const type = parseDeclaredType(text)
    if (type !== null) return type
    context.issues.push(custom('{} is not a type', [], { known: TYPE_NAMES }))
    return z.NEVER
  })

const TYPES: Readonly<Record<DeclaredType, true>> = {
  boolean: true,
  integer: true,
  number: true,
  double: true,
  text: true,
  bytes: true,
  hex: true,
  date: true,
  time: true,
  timestamp: true,
  local_timestamp: true,
  epoch_s: true,
  epoch_ms: true,
  epoch_us: true,
  epoch_ns: true,
  local_epoch_s: true,
  local_epoch_ms: true,
  local_epoch_us: true,
  local_epoch_ns: true,
  epoch_days: true,
  json: true,
}
const TYPE_NAMES = [...Object.keys(TYPES), ...Object.keys(TYPE_ALIASES)]

/** An object of any names, in its own order. Names that SQLite takes for one column are refused. */
export function byColumn<T>(value: z.ZodType<T>, what: string): z.ZodType<Record<string, T>> {
  return z
    .custom<Record<string, unknown>>(isRecord, { error: `must be an object: column to ${what}` })
    .transform((record, context) => {
      const columns = Object.keys(record)
      for (const [i, before] of sameColumns(columns)) {
        const params = { name: columns[before] }
        context.issues.push(custom('is the same column as {name}', [columns[i] ?? ''], params))
      }
      // Not by assignment: a column may be called __proto__.
      return Object.fromEntries(
        Object.entries(record).map(([column, given]): [string, T] => {
          parseWithin(name, column, context, [column])
          return [column, parseWithin(value, given, context, [column])]
        }),
      )
    })
}

/** The places of names that SQLite takes for one before them, and the places of those. */
function sameColumns(columns: readonly string[]): (readonly [number, number])[] {
  const first = new Map<string, number>()
  return columns.flatMap((column, i) => {
    const folded = asciiLowerCase(column)
    const before = first.get(folded)
    if (before === undefined) first.set(folded, i)
    return before === undefined ? [] : [[i, before] as const]
  })
}

/**
 * An issue at a path below the value. In its message `{}` stands for the value and `{name}` for the
 * name in `params`; `{sibling}` for what is at that key beside the value. A message that begins
 * with `must` has the value added at its end, and is about a missing one where there is none.
 * No message has the value itself: it may come from the environment.
 */
export function custom(
  message: string,
  path: readonly PropertyKey[] = [],
  params: Readonly<Record<string, unknown>> = {},
): z.core.$ZodRawIssue {
  return { code: 'custom', message, path: [...path], input: undefined, params: { ...params } }
}

/** Whether a value is an object with members, not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function millisecondsOf(text: string): number {
  const [, digits, unit] = /^(\d+(?:\.\d+)?) ?(ms|s|m|min|h|d|w)$/.exec(text.trim()) ?? []
  if (digits === undefined || unit === undefined) return Number.NaN
  return Math.round(Number(digits) * (UNITS_MS[unit] ?? Number.NaN))
}

const UNITS_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}
