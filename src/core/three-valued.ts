import { isTagged } from './value.ts'
import type { Value } from './value.ts'

/** Stands for what only SQLite can tell; it may turn out to be null (`NULL OR ?`). */
export const ASK = Symbol('ask SQLite')

/** What a part of a condition gives: an SQL value, booleans being 1 and 0, or word to ask SQLite. */
export type Scalar = null | number | bigint | string | typeof ASK

/** A part of a condition, as a function of the values of its columns. */
export type Term = (values: readonly Value[]) => Scalar

const MAX_INT64 = 2n ** 63n - 1n
const MIN_INT64 = -(2n ** 63n)

/** A column's value as it would be bound; one that has no equal here is SQLite's to compare. */
export function scalarOf(value: Value): Scalar {
  if (typeof value === 'string' || value === null) return value
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value === 'number') return value
  if (typeof value === 'bigint') return value >= MIN_INT64 && value <= MAX_INT64 ? value : ASK
  return isTagged(value) && value.type !== 'bytes' ? value.text : ASK
}

/** 1, 0 or null; text is true if it starts like a number that is not zero, and SQLite knows numbers best. */
export function truthOf(value: Scalar): Scalar {
  if (value === null || value === ASK) return value
  if (typeof value === 'string') return ASK
  return value === 0 || value === 0n ? 0 : 1
}

/** `=`: null if either side is null. */
export function equalsOf(left: Term, right: Term): Term {
  return (values) => {
    const a = left(values)
    const b = right(values)
    if (a === null || b === null) return null
    if (a === ASK || b === ASK) return ASK
    return a === b ? 1 : 0
  }
}

/** `IS`: equality in which null equals null. */
export function isOf(left: Term, right: Term): Term {
  return (values) => {
    const a = left(values)
    const b = right(values)
    if (a === ASK || b === ASK) return ASK
    return a === b ? 1 : 0
  }
}

/** `IS TRUE`, `IS FALSE`: truth rather than equality, so that 2 IS TRUE. */
export function isTruthOf(left: Term, right: Term): Term {
  return isOf((values) => truthOf(left(values)), right)
}

/** `NOT`. */
export function notOf(term: Term): Term {
  return (values) => {
    const truth = truthOf(term(values))
    if (truth === null || truth === ASK) return truth
    return truth === 1 ? 0 : 1
  }
}

/** `AND`: false decides, whatever the other side is. */
export function andOf(left: Term, right: Term): Term {
  return (values) => {
    const a = truthOf(left(values))
    if (a === 0) return 0
    const b = truthOf(right(values))
    if (b === 0) return 0
    if (a === ASK || b === ASK) return ASK
    return a === null || b === null ? null : 1
  }
}

/** `OR`: true decides, whatever the other side is. */
export function orOf(left: Term, right: Term): Term {
  return (values) => {
    const a = truthOf(left(values))
    if (a === 1) return 1
    const b = truthOf(right(values))
    if (b === 1) return 1
    if (a === ASK || b === ASK) return ASK
    return a === null || b === null ? null : 0
  }
}
