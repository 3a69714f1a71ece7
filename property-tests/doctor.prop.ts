import Database from 'better-sqlite3'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scenarios } from './arbitraries/scenarios.ts'
import { EngineUnderTest } from './engine/engine-under-test.ts'
import { StoreFile } from './engine/store-file.ts'

const numRuns = Number(process.env['FC_RUNS'] ?? 100)

/** One of each kind of cell that SQLite has, some of them JSON: whatever a column holds, most are wrong in it. */
const cells = fc.constantFrom(null, 7n, -1n, 1.5, 'x', '', '{}', '[]', 'null', Buffer.from([0]))

/** Any cell behind a target; taken modulo what there is. */
const places = fc.record({ table: fc.nat(), row: fc.nat(), column: fc.nat() })

test('doctor goes on, whichever cell was overwritten with whatever', () => {
  fc.assert(
    fc.property(scenarios, places, cells, ({ flows, deliveries }, place, cell) => {
      using file = new StoreFile()
      using engine = new EngineUnderTest(flows, { path: file.path })
      engine.deliverAll(deliveries)
      overwrite(file.path, place, cell)
      engine.restart()
      expect(engine.findings()).toBeInstanceOf(Array)
    }),
    { numRuns },
  )
})

type Place = { readonly table: number; readonly row: number; readonly column: number }

function overwrite(
  path: string,
  place: Place,
  cell: null | bigint | number | string | Buffer,
): void {
  const db = new Database(path)
  const tables = db
    .prepare<[], string>(
      `SELECT name FROM sqlite_schema WHERE type = 'table'
       AND (name LIKE '\\_\\_tidemark\\_t1\\_%' ESCAPE '\\' OR name = '__tidemark_truncates') ORDER BY 1`,
    )
    .pluck()
    .all()
  const table = pick(tables, place.table)
  // A cell that SQLite itself refuses takes its row along.
  if (table !== undefined) {
    const columns = db
      .prepare<[string], string>('SELECT name FROM pragma_table_info(?)')
      .pluck()
      .all(table)
    const rows = db.prepare<[], unknown[]>(`SELECT * FROM "${table}"`).raw().safeIntegers().all()
    const at = rows.length === 0 ? 0 : place.row % rows.length
    const column = place.column % columns.length
    const changed = rows.map((row, i) => (i === at ? row.with(column, cell) : row))
    const insert = db.prepare(
      `INSERT OR IGNORE INTO "${table}" VALUES (${columns.map(() => '?').join()})`,
    )
    db.transaction(() => {
      db.prepare(`DELETE FROM "${table}"`).run()
      for (const row of changed) insert.run(...row)
    })()
  }
  db.close()
}

function pick<T>(from: readonly T[], i: number): T | undefined {
  return from[i % from.length]
}
