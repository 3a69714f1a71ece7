import Database from 'better-sqlite3'

import { compareCodePoints } from '../../core/code-points.ts'
import { storedKey, type Key } from '../../core/key.ts'
import type { Row } from '../../core/value.ts'
import type { DiffStage, Side, SpelledChange, SpelledRow } from '../../ports/diff-stage.ts'
import { readCells, spellCells } from './cells-text.ts'

/** How much of each of three temporary databases is held in memory, in KiB; a sort takes as much again. */
const CACHE_KIB = 32_768

/**
 * Two tables and what differs between them, each in a temporary file of SQLite's own.
 *
 * Rows are appended and sorted at the end, which takes a few passes over the file in order;
 * an index kept up to date would touch a page at random for every row.
 */
export class SqliteDiffStage implements DiffStage {
  private readonly sides: Readonly<Record<Side, Heap>> = { old: new Heap(), new: new Heap() }
  private readonly changes = temporary()
  private readonly insert: Database.Statement<[string, string | null, string | null]>

  constructor() {
    this.changes.exec('CREATE TABLE changes (k TEXT NOT NULL, before TEXT, after TEXT)')
    this.changes.exec('BEGIN')
    this.insert = this.changes.prepare('INSERT INTO changes VALUES (?, ?, ?)')
  }

  put(side: Side, key: Key, row: Row): void {
    this.sides[side].put(key, spellCells(row))
  }

  sorted(side: Side): Iterable<SpelledRow> {
    return this.sides[side].sorted()
  }

  keep({ key, before, after }: SpelledChange): void {
    this.insert.run(key, before, after)
  }

  *kept(): Iterable<SpelledChange> {
    const all = this.changes.prepare<
      [],
      { k: string; before: string | null; after: string | null }
    >('SELECT k, before, after FROM changes ORDER BY rowid')
    for (const { k, before, after } of all.iterate()) yield { key: storedKey(k), before, after }
  }

  read(text: string): Row {
    return readCells(text)
  }

  [Symbol.dispose](): void {
    this.sides.old.close()
    this.sides.new.close()
    this.changes.close()
  }
}

/** The rows of one side as they came. */
class Heap {
  private readonly db = temporary()
  private readonly insert: Database.Statement<[string, string]>
  /** Rows that somebody reads, and may have stopped reading because of a fault. */
  private reading: IterableIterator<unknown> | null = null
  private last: string | null = null
  private isInOrder = true

  constructor() {
    this.db.exec('CREATE TABLE rows (k TEXT NOT NULL, v TEXT NOT NULL)')
    this.db.exec('BEGIN')
    this.insert = this.db.prepare('INSERT INTO rows VALUES (?, ?)')
  }

  put(key: Key, text: string): void {
    if (this.isInOrder && this.last !== null)
      this.isInOrder = compareCodePoints(this.last, key) <= 0
    this.last = key
    this.insert.run(key, text)
  }

  *sorted(): Iterable<SpelledRow> {
    const order = this.isInOrder ? 'rowid' : 'k'
    const all = this.db.prepare<[], { k: string; v: string }>(
      `SELECT k, v FROM rows ORDER BY ${order}`,
    )
    const rows = all.iterate()
    this.reading = rows
    for (const { k, v } of rows) yield { key: storedKey(k), text: v }
  }

  close(): void {
    // SQLite closes nothing that is still being read, and would hide why the reading stopped.
    this.reading?.return?.()
    this.db.close()
  }
}

/** A database in a file that nobody else sees and that goes away with it. */
function temporary(): Database.Database {
  const db = new Database('')
  db.pragma('journal_mode = OFF')
  db.pragma('synchronous = OFF')
  db.pragma(`cache_size = -${CACHE_KIB}`)
  return db
}
