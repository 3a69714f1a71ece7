import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { test as base, expect } from 'vitest'
import { openSqlite } from '../../../src/sources/sqlite/sqlite-session.ts'
import { faultOf, readAll, readOne } from './read-all.ts'

const test = base.extend<{ path: string }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the pattern
  path: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'tidemark-sqlite-'))
    await use(join(folder, 'shop.db'))
    rmSync(folder, { recursive: true })
  },
})

function fill(path: string, sql: string): void {
  const db = new Database(path)
  db.exec(sql)
  db.close()
}

test('every value comes as it is stored, whatever its column is declared as', async ({ path }) => {
  fill(path, 'CREATE TABLE t (d DATE)')
  await using session = openSqlite({ path, flow: 'shop' })
  expect(
    await readOne(
      session,
      `SELECT 9223372036854775807 AS big, -1 AS small, 0.1 AS twice, 1e308 AS large, -9e999 AS lowest, -0.0 AS zero,
        'ä😀' AS words, x'00ff' AS raw, NULL AS missing`,
    ),
  ).toEqual({
    big: 9223372036854775807n,
    small: -1,
    twice: 0.1,
    large: 10n ** 308n,
    lowest: { type: 'double', text: '-Infinity' },
    zero: 0,
    words: 'ä😀',
    raw: { type: 'bytes', text: '00ff' },
    missing: null,
  })
})

test('all queries of a session see one moment, while others write', async ({ path }) => {
  fill(path, 'PRAGMA journal_mode = wal; CREATE TABLE t (n); INSERT INTO t VALUES (1)')
  await using session = openSqlite({ path, flow: 'shop' })
  expect(await readOne(session, 'SELECT n FROM t')).toEqual({ n: 1 })
  fill(path, 'UPDATE t SET n = 2')
  expect(await readOne(session, 'SELECT n FROM t')).toEqual({ n: 1 })
})

test('many rows come in pieces, and may be left before their end', async ({ path }) => {
  fill(path, 'CREATE TABLE t (n)')
  await using session = openSqlite({ path, flow: 'shop' })
  const sizes: number[] = []
  const numbers = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2500)'
  for await (const { rows } of session.rows(`${numbers} SELECT i FROM n`)) sizes.push(rows.length)
  for await (const { rows } of session.rows(`${numbers} SELECT hex(zeroblob(500000)) FROM n`)) {
    sizes.push(rows.length)
    if (sizes.length === 5) break
  }
  expect(sizes).toEqual([1000, 1000, 500, 5, 5])
  expect(await readAll(session, 'SELECT 1')).toHaveLength(1)
})

test('what SQLite does not accept, and a file that is none, is told', async ({ path }) => {
  const open = () => openSqlite({ path, flow: 'shop' })
  expect(await faultOf(open)).toBe(`NOT_FOUND: flow "shop": there is no file ${path}`)
  fill(path, 'CREATE TABLE t (n)')
  const read = async (sql: string) => {
    await using session = open()
    await readAll(session, sql)
  }
  expect(await faultOf(() => read('SELECT no_such FROM t'))).toBe(
    `SOURCE_REFUSED: flow "shop": SQLite file ${path} does not accept the query: no such column: no_such`,
  )
  expect(await faultOf(() => read('DELETE FROM t'))).toContain('it gives no rows')
  expect(await faultOf(() => read('DELETE FROM t RETURNING n'))).toMatch(/^SOURCE_REFUSED: /)
  expect(await faultOf(() => read('SELECT 1; SELECT 2'))).toMatch(/^SOURCE_REFUSED: /)
  writeFileSync(path, 'no database at all, but long enough to be taken for one '.repeat(20))
  expect(await faultOf(() => read('SELECT 1'))).toMatch(
    /^SOURCE_REFUSED: .*file is not a database$/,
  )
})
