import Database from 'better-sqlite3'
import { FingerprintPacker, type FingerprintPage } from '../../core/fingerprint.ts'
import type { Key } from '../../core/key.ts'
import type { FingerprintDraft } from '../../ports/fingerprints.ts'
import { pageCells, pageOf, type PageCells } from './fingerprints.ts'

/** How much of a draft is held in memory, in KiB. */
const CACHE_KIB = 8192

/** Fingerprints in a temporary database of their own, in the order of their snapshot. */
export class SqliteFingerprintDraft implements FingerprintDraft {
  private readonly db: Database.Database
  private readonly insert: Database.Statement<PageCells>
  private readonly packer = new FingerprintPacker()
  private added = 0

  constructor() {
    this.db = new Database('')
    this.db.pragma('journal_mode = OFF')
    this.db.pragma('synchronous = OFF')
    this.db.pragma(`cache_size = -${CACHE_KIB}`)
    this.db.exec('CREATE TABLE pages (words BLOB, shapes BLOB, keys TEXT, ends BLOB)')
    this.db.exec('BEGIN')
    this.insert = this.db.prepare('INSERT INTO pages VALUES (?, ?, ?, ?)')
  }

  get count(): number {
    return this.added
  }

  add(words: Uint32Array, at: number, shape: number, key: Key): void {
    this.added += 1
    this.keep(this.packer.add(words, at, shape, key))
  }

  *pages(): Iterable<FingerprintPage> {
    this.keep(this.packer.rest())
    const all = this.db.prepare<[], PageCells>('SELECT * FROM pages ORDER BY rowid').raw(true)
    for (const cells of all.iterate()) yield pageOf(cells)
  }

  [Symbol.dispose](): void {
    this.db.close()
  }

  private keep(page: FingerprintPage | null): void {
    if (page !== null) this.insert.run(...pageCells(page))
  }
}
