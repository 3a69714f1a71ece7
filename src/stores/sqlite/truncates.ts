import { compareChanges, type Stream, type Truncate } from '../../core/change.ts'
import type { Commit, StoredTruncate } from '../../ports/store.ts'
import type { Connection, SqlValue } from './connection.ts'
import { PREFIX } from './names.ts'
import {
  decodeStamp,
  encodeStamp,
  numberOf,
  ofTypedText,
  STAMP_COLUMNS,
  typedText,
} from './stamp-codec.ts'

/** Truncates by target: few, so they are kept in memory, in order. */
export class Truncates {
  private readonly connection: Connection
  private readonly streamOf: (id: number) => Stream
  private readonly loaded = new Map<number, readonly StoredTruncate[]>()

  constructor(connection: Connection, streamOf: (id: number) => Stream) {
    this.connection = connection
    this.streamOf = streamOf
  }

  of(target: number): readonly StoredTruncate[] {
    const known = this.loaded.get(target)
    if (known !== undefined) return known
    const truncates = this.load(target)
    this.loaded.set(target, truncates)
    return truncates
  }

  add(target: number, truncate: Truncate, commit: Commit): void {
    const cells: SqlValue[] = [target]
    encodeStamp(truncate, cells)
    cells.push(truncate.reach, typedText(truncate.time), commit.id)
    this.connection.run(
      `INSERT INTO ${PREFIX}truncates (target, ${STAMP_COLUMNS.join(', ')}, reach, tm, cm)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...cells,
    )
    this.loaded.delete(target)
  }

  reload(): void {
    this.loaded.clear()
  }

  private load(target: number): readonly StoredTruncate[] {
    return this.connection
      .all(
        `SELECT ${STAMP_COLUMNS.join(', ')}, reach, tm, cm FROM ${PREFIX}truncates WHERE target = ?`,
        target,
      )
      .map((cells) => ({
        truncate: {
          ...decodeStamp(cells, 0, this.streamOf),
          op: 'truncate' as const,
          reach: cells[6] === 'flow' ? ('flow' as const) : ('target' as const),
          time: ofTypedText(cells[7]),
        },
        commit: numberOf(cells[8]),
      }))
      .toSorted((a, b) => compareChanges(a.truncate, b.truncate))
  }
}
