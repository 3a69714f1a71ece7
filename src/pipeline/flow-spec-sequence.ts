import { z } from 'zod'
import { scalarTypeOfDeclared } from '../core/types.ts'
import { custom, declaredType, name, parseWithin, sql, strict } from './flow-spec-fields.ts'
import type { SequencePart, SequenceSpec } from './flow-spec-type.ts'

/** JSON may hold an array, which counts as a list of columns. */
const orderedType = declaredType.refine(
  (type) => type === 'json' || scalarTypeOfDeclared(type) !== null,
  { error: '{} has no order that a sequence could have' },
)

const typed = strict({
  column: name.nullable().default(null),
  expr: sql.nullable().default(null),
  type: orderedType.nullable().default(null),
}).transform(({ column, expr, type }, context): SequencePart => {
  if (column !== null && expr === null) return { column, expr, type }
  if (column === null && expr !== null) return { column, expr, type }
  context.issues.push(custom('needs either a column or an expr'))
  return z.NEVER
})

const part = z.unknown().transform((input, context): SequencePart => {
  if (typeof input === 'string') {
    return { column: parseWithin(name, input, context), expr: null, type: null }
  }
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) {
    return parseWithin(typed, input, context)
  }
  context.issues.push(
    custom('must be a column, { column, type }, { expr, type } or a list of them'),
  )
  return z.NEVER
})

/** A column, `{ column, type }`, `{ expr, type }`, or a list of these. */
export const sequence = z.unknown().transform((input, context): SequenceSpec => {
  if (!Array.isArray(input)) {
    return { parts: [parseWithin(part, input, context)], list: false }
  }
  if (input.length === 0) context.issues.push(custom('needs at least one column'))
  const parts = input.map((each: unknown, i) => parseWithin(part, each, context, [i]))
  return { parts, list: true }
})
