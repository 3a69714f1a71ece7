import type { SourceRecord } from '../ports/source.ts'
import type { Value } from '../core/value.ts'

/** The virtual column that a row of a snapshot is ordered by. */
export const VERSION_COLUMN = '_version'

/** What records offer to expressions besides their own columns (semantics 1). */
const VIRTUAL: Readonly<Record<string, (record: SourceRecord) => Value>> = {
  _topic: ({ stream }) => stream.name,
  _file: ({ stream }) => stream.name,
  _partition: ({ stream }) => stream.partition,
  _offset: ({ number }) => number,
  _record: ({ number }) => number,
  _timestamp: ({ timestamp }) => timestamp,
  [VERSION_COLUMN]: ({ version }) => version ?? null,
}

/** Whether a name is one of these. */
export function isVirtual(name: string): boolean {
  return Object.hasOwn(VIRTUAL, name)
}

/** The value of a virtual column; null for a name that is none. */
export function virtualValue(name: string, record: SourceRecord): Value {
  return VIRTUAL[name]?.(record) ?? null
}
