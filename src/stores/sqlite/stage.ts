import { createHash } from 'node:crypto'

import Database from 'better-sqlite3'

import { BugError } from '../../core/errors.ts'
import type { Key } from '../../core/key.ts'
import { storedKey } from '../../core/key.ts'
import type { SnapshotRow } from '../../core/snapshot.ts'
import { storedJson } from '../../core/stored-json.ts'
import type { Writes } from '../../core/writes.ts'
import type { Stage, Staged } from '../../ports/stage.ts'
import { ofTypedCells, typedCells, type TypedCells } from './cells-text.ts'
import { RowSum } from './row-sum.ts'
import { ofTypedText, typedText } from './stamp-codec.ts'

/** How much of a stage is held in memory, in KiB; the rest is in a temporary file of SQLite's. */
const CACHE_KIB = 65_536

/** A stage in a temporary database of its own, so that it can be walked while the store is written. */
export class SqliteStage implements Stage {
  private readonly db: Database.Database
  private readonly insert: Database.Statement<[string, string]>
  private readonly find: Database.Statement<[string], { v: string }>
  private readonly replace: Database.Statement<[string, string]>
  private readonly addOther: Database.Statement<[string, string]>
  private readonly findOther: Database.Statement<[string, string]>
  private readonly sum = RowSum.empty()
  private count = 0

  constructor() {
    this.db = new Database('')
    this.db.pragma('journal_mode = OFF')
    this.db.pragma('synchronous = OFF')
    this.db.pragma(`cache_size = -${CACHE_KIB}`)
    this.db.exec(`CREATE TABLE rows (k TEXT PRIMARY KEY, v TEXT NOT NULL) WITHOUT ROWID`)
    this.db.exec(`CREATE TABLE others (k TEXT, v TEXT, PRIMARY KEY (k, v)) WITHOUT ROWID`)
    this.db.exec('BEGIN')
    this.insert = this.db.prepare('INSERT INTO rows VALUES (?, ?) ON CONFLICT DO NOTHING')
    this.find = this.db.prepare('SELECT v FROM rows WHERE k = ?')
    this.replace = this.db.prepare('UPDATE rows SET v = ? WHERE k = ?')
    this.findOther = this.db.prepare('SELECT 1 FROM others WHERE k = ? AND v = ?')
    this.addOther = this.db.prepare('INSERT OR IGNORE INTO others VALUES (?, ?)')
  }

  get size(): number {
    return this.count
  }

  put(row: SnapshotRow, keep: 'first' | 'last'): Staged {
    const text = spell(row)
    if (this.insert.run(row.key, text).changes === 1) {
      this.count += 1
      this.sum.add(text)
      return 'new'
    }
    const before = this.find.get(row.key)?.v ?? text
    if (before === text) return 'same'
    if (this.findOther.get(row.key, text) === undefined) this.sum.add(text)
    this.addOther.run(row.key, keep === 'last' ? before : text)
    if (keep === 'last') this.replace.run(text, row.key)
    return 'other'
  }

  has(key: Key): boolean {
    return this.find.get(key) !== undefined
  }

  *keys(): Iterable<Key> {
    const all = this.db.prepare<[], string>('SELECT k FROM rows').pluck()
    for (const k of all.iterate()) yield storedKey(k)
  }

  *rows(): Iterable<SnapshotRow> {
    const all = this.db.prepare<[], { k: string; v: string }>('SELECT k, v FROM rows ORDER BY k')
    for (const { k, v } of all.iterate()) yield read(storedKey(k), v)
  }

  digest(): string {
    return this.sum.toString()
  }

  digestInstead(known: string, gone: Iterable<SnapshotRow>): string {
    const sum = RowSum.of(known)
    if (sum === null) throw new BugError(`no sum of rows: ${known}`)
    for (const row of gone) sum.remove(spell(row))
    return sum.plus(this.sum).toString()
  }

  hasDigest(digest: string): boolean {
    return digest === (RowSum.of(digest) === null ? this.listed() : this.digest())
  }

  /** The digest of earlier versions: of all rows in order. */
  private listed(): string {
    const hash = createHash('sha256')
    const all = this.db.prepare<[], { k: string; v: string }>(
      'SELECT k, v FROM rows UNION SELECT k, v FROM others ORDER BY k, v',
    )
    // The key is in the row, so the row alone says it.
    for (const { v } of all.iterate()) hash.update(`${v}\n`)
    return hash.digest('hex')
  }

  [Symbol.dispose](): void {
    this.db.close()
  }
}

/** Equal rows have equal text: the cells past the last one that is not null are left out. */
function spell({ row, writes, time }: SnapshotRow): string {
  const cells = typedCells(row)
  return JSON.stringify(
    writes === 'all' && time === null ? [cells] : [cells, writes, typedText(time)],
  )
}

function read(key: Key, text: string): SnapshotRow {
  const [cells, writes = 'all', time = null] = storedJson<StoredRow>(text)
  return { key, row: ofTypedCells(cells), writes, time: ofTypedText(time ?? undefined) }
}

type StoredRow = [TypedCells, Writes?, (string | null)?]
