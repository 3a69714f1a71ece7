import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'

/** A place for the file of a store, gone when disposed of. */
export class StoreFile implements Disposable {
  private readonly folder = mkdtempSync(join(tmpdir(), 'tidemark-law-'))

  get path(): string {
    return join(this.folder, 'store.db')
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true })
  }
}

/** Every table of a store with its rows, the hidden ones included, byte by byte. */
export type Dump = Readonly<Record<string, readonly string[]>>

/** What a dump leaves out: tables by the ends of their names, columns by theirs. */
export type Leaving = { readonly tables?: readonly string[]; readonly columns?: readonly string[] }

/** All that a store holds, read past the engine. */
export function dump(path: string, { tables = [], columns = [] }: Leaving = {}): Dump {
  using db = opened(path)
  const names = db.file
    .prepare<[], { name: string }>(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY 1`)
    .all()
    .map(({ name }) => name)
    .filter((name) => !tables.some((end) => name.endsWith(end)))
  return Object.fromEntries(names.map((name) => [name, rowsOf(db.file, name, columns)]))
}

function rowsOf(db: Database.Database, table: string, without: readonly string[]): string[] {
  const name = `"${table.replaceAll('"', '""')}"`
  const kept = db
    .prepare<[string], { name: string }>('SELECT name FROM pragma_table_info(?)')
    .all(table)
    .filter((column) => !without.includes(column.name))
    .map((column) => `"${column.name.replaceAll('"', '""')}"`)
  const rows = db.prepare<[], unknown[]>(`SELECT ${kept.join()} FROM ${name}`).raw().safeIntegers()
  return rows
    .all()
    .map((row) => row.map(cellText).join(' | '))
    .toSorted()
}

function cellText(cell: unknown): string {
  if (Buffer.isBuffer(cell)) return `x'${cell.toString('hex')}'`
  return `${typeof cell} ${String(cell)}`
}

function opened(path: string) {
  const file = new Database(path, { readonly: true })
  return { file, [Symbol.dispose]: () => void file.close() }
}
