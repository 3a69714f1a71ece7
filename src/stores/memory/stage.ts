import type { Key } from '../../core/key.ts'
import type { SnapshotRow } from '../../core/snapshot.ts'
import { cell, sameRow, sameValue } from '../../core/value.ts'
import type { Stage, Staged } from '../../ports/stage.ts'
import { jsonText } from '../../core/display.ts'
import { isTagged } from '../../core/value.ts'
import { inKeyOrder } from './key-order.ts'

/** A stage in memory. */
export class MemoryStage implements Stage {
  private readonly kept = new Map<Key, SnapshotRow>()
  private readonly texts = new Set<string>()

  get size(): number {
    return this.kept.size
  }

  put(row: SnapshotRow, keep: 'first' | 'last'): Staged {
    this.texts.add(spell(row))
    const before = this.kept.get(row.key)
    if (before === undefined || keep === 'last') this.kept.set(row.key, row)
    if (before === undefined) return 'new'
    const isSame = sameRow(before.row, row.row) && sameValue(before.time, row.time)
    return isSame ? 'same' : 'other'
  }

  has(key: Key): boolean {
    return this.kept.has(key)
  }

  keys(): Iterable<Key> {
    return this.kept.keys()
  }

  *rows(): Iterable<SnapshotRow> {
    for (const key of inKeyOrder([...this.kept.keys()])) {
      const row = this.kept.get(key)
      if (row !== undefined) yield row
    }
  }

  digest(): string {
    return textOf(this.texts)
  }

  digestInstead(known: string, gone: Iterable<SnapshotRow>): string {
    const rows = new Set(known === '' ? [] : known.split('\n'))
    for (const row of gone) rows.delete(spell(row))
    return textOf(new Set([...rows, ...this.texts]))
  }

  hasDigest(digest: string): boolean {
    return digest === this.digest()
  }

  [Symbol.dispose](): void {
    this.kept.clear()
  }
}

function spell({ row }: SnapshotRow): string {
  const width = row.findLastIndex((value) => value !== null) + 1
  return Array.from({ length: width }, (_, column) => {
    const value = cell(row, column)
    return `${isTagged(value) ? value.type : typeof value} ${jsonText(value)}`
  }).join(' | ')
}

/** The rows themselves: text in a row is spelled without line breaks. */
function textOf(texts: ReadonlySet<string>): string {
  return [...texts].toSorted().join('\n')
}
