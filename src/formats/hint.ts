import type { Hint } from '../ports/source.ts'

const PLAIN: Hint = {
  op: 'upsert',
  rank: 0,
  sequence: null,
  log: null,
  time: null,
  keys: [],
  unavailable: [],
  isPartial: false,
  merge: [],
  oldKey: null,
  newKey: null,
  keyValues: null,
  before: new Map(),
  origin: null,
  fields: new Map(),
}

/** A hint of what is said here, the rest being what holds of a plain row. */
export function hintOf(said: Partial<Hint>): Hint {
  return { ...PLAIN, ...said }
}
