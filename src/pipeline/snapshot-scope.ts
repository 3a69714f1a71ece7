import { jsonText } from '../core/display.ts'
import type { Scope } from '../core/snapshot.ts'
import { convert, NOT_CONVERTIBLE } from '../core/types.ts'
import type { SnapshotTask } from './snapshot-task.ts'

/** What a snapshot is limited to, its values of the type that the column is declared with. */
export function scopeOf({ flow, source, offer, draft }: SnapshotTask): Scope | null {
  const { scope: column } = source
  if (column === null || offer.scope === null) return null
  draft.reserve([column])
  const type = Object.hasOwn(flow.columns, column) ? flow.columns[column] : undefined
  const values = offer.scope.map((value) => {
    const converted = type === undefined ? value : convert(value, type)
    return converted === NOT_CONVERTIBLE ? value : converted
  })
  return { column: draft.ordinal(column) ?? 0, values }
}

/** A number that follows from a scope, whatever else arrived before. */
export function partOf({ values }: Scope): number {
  let hash = 0x811c9dc5
  for (const unit of values.map(jsonText).toSorted().join('\n')) {
    hash = Math.imul(hash ^ (unit.codePointAt(0) ?? 0), 0x01000193)
  }
  return (hash >>> 1) + 1
}
