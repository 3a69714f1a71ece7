import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { tidemark } from '../cli/captured.ts'
import type { Captured } from '../cli/captured.ts'

/** What a run says of one flow. */
export type Summary = Readonly<Record<string, number>> & { readonly flow: string }

/** A folder with feeds, flows and a store. */
export class Workspace implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'tidemark-abuse-'))

  /** Writes a file of the folder. */
  write(name: string, content: string | Buffer): void {
    writeFileSync(join(this.folder, name), content)
  }

  /** Writes the flow file. */
  flows(flows: readonly Readonly<Record<string, unknown>>[]): void {
    const filled = flows.map((flow) => ({
      keys: ['id'],
      sequence_by: 's',
      max_refused_fraction: null,
      ...flow,
    }))
    this.write('flows.json', JSON.stringify({ store: { sqlite: 'store.db' }, flows: filled }))
  }

  /** Runs a command of the command line on the flow file. */
  tidemark(command: string, ...words: readonly string[]): Promise<Captured> {
    return tidemark([...command.split(' '), join(this.folder, 'flows.json'), ...words])
  }

  /** Runs the flows; they must end well. */
  async run(): Promise<Summary[]> {
    const { code, out, err } = await this.tidemark('run', '--json')
    if (code !== 0) throw new Error(`exit code ${code}: ${err}`)
    return out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Summary)
  }

  /** Rows of a query on the store, past the engine. */
  query(sql: string): Record<string, unknown>[] {
    const db = new Database(join(this.folder, 'store.db'), { readonly: true })
    try {
      return db.prepare<[], Record<string, unknown>>(sql).all()
    } finally {
      db.close()
    }
  }

  /** Names of the tables, views and indexes that are not the engine's own, and what SQLite finds wrong. */
  visible(): string[] {
    const names = this.query(
      `SELECT name FROM sqlite_schema
       WHERE name NOT LIKE '\\_\\_tidemark\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite\\_autoindex%' ESCAPE '\\' ORDER BY name`,
    ).map(({ name }) => String(name))
    const faults = this.query('PRAGMA integrity_check').map(({ integrity_check: line }) =>
      String(line),
    )
    return [...names, ...faults]
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true })
  }
}
