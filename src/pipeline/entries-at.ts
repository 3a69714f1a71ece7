import type { Key } from '../core/key.ts'
import type { Sequence } from '../core/sequence.ts'
import type { Entry } from '../core/timeline.ts'
import type { HistoryTable } from '../ports/store.ts'

/** What is stored of a key at one sequence. */
export function entriesAt(table: HistoryTable, key: Key, sequence: Sequence): readonly Entry[] {
  const at: Entry[] = []
  for (const { entry } of table.near(key, sequence).after) {
    if (entry.change.sequence !== sequence) break
    at.push(entry)
  }
  return at
}
