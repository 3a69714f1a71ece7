import type { Hint, SourceRecord } from '../ports/source.ts'
import type { Value } from '../core/value.ts'

/** The virtual column that a row of a snapshot is ordered by. */
export const VERSION_COLUMN = '_version'

/** The virtual column that stands for what the format of a feed orders its events by. */
export const SEQUENCE_COLUMN = '_sequence'

/** The virtual column with the time at which the source changed, by the feed's own account. */
export const TIME_COLUMN = '_time'

/** What records offer to expressions besides their own columns (semantics 1). */
const VIRTUAL: Readonly<Record<string, (record: SourceRecord, hint: Hint | null) => Value>> = {
  _topic: ({ stream }) => stream.name,
  _file: ({ stream }) => stream.name,
  _partition: ({ stream }) => stream.partition,
  _offset: ({ number }) => number,
  _record: ({ number }) => number,
  _timestamp: ({ timestamp }) => timestamp,
  [VERSION_COLUMN]: ({ version }) => version ?? null,
  [TIME_COLUMN]: (_, hint) => hint?.time ?? null,
}

/** What envelopes tell of a change besides its row, as far as each does: spec/formats/pages says which. */
const FIELDS: ReadonlySet<string> = new Set([
  '_op',
  '_table',
  '_schema',
  '_db',
  '_source',
  '_snapshot',
  '_ts_ms',
  '_tx_id',
])

/** Whether a name is one of these. */
export function isVirtual(name: string): boolean {
  return Object.hasOwn(VIRTUAL, name) || FIELDS.has(name) || name === SEQUENCE_COLUMN
}

/** The value of a virtual column; null for a name that is none, or that the record does not tell. */
export function virtualValue(name: string, record: SourceRecord, hint: Hint | null): Value {
  return VIRTUAL[name]?.(record, hint) ?? hint?.fields.get(name) ?? null
}
