import { afterAll, expect, test } from 'vitest'
import { Random } from '../../crash/random.ts'
import { startPostgres } from '../../kafka/postgres.ts'
import { KINDS, quoted, type Column } from '../../kafka/workload/literals.ts'
import { Table } from '../../kafka/workload/table.ts'
import { Workload } from '../../kafka/workload/workload.ts'
import { Follower, type TextRow } from './every-version.ts'
import { whereAvailable } from './where-available.ts'

const server = await whereAvailable('PostgreSQL', startPostgres)

afterAll(() => server?.[Symbol.asyncDispose]())

const VERSIONS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]

// The seed is told with a failure, so that it can be looked into.
test.skipIf(server === null).each([Number(process.env['SEED'] ?? Date.now() % 1_000_000)])(
  'a table of every type of PostgreSQL, changed at random, is at every version what it was: seed %i',
  async (seed) => {
    if (server === null) throw new Error('not started')
    const random = new Random(seed)
    const table = new Table('shop.kinds', KINDS)
    await server.run(`${Workload.schema()} CREATE TABLE version (n int);`)
    const url = `postgres://postgres@127.0.0.1:${server.port}/${server.database}`
    using follower = new Follower(
      { postgres: url, query: 'SELECT * FROM shop.kinds' },
      'SELECT n FROM version',
    )

    for (const version of VERSIONS) {
      const statements = Array.from({ length: 25 }, () => table.change(random))
      if (random.chance(0.1)) statements.push(table.truncate())
      statements.push(`DELETE FROM version; INSERT INTO version VALUES (${version});`)
      statements.push(`CREATE TABLE shop.at_${version} AS TABLE shop.kinds;`)
      await server.run(statements.join('\n'))
      await follower.follow()
    }

    for (const version of VERSIONS) {
      expect(await server.rows(difference(version, follower.rows(version)))).toEqual([])
    }
  },
)

/** Which rows of a copy differ from rows that are told as text, and in which columns, by what PostgreSQL holds for equal. */
function difference(version: number, rows: readonly TextRow[]): string {
  const told = KINDS.map(({ name }) => `${name} text`).join(', ')
  const wrong = KINDS.map(
    (column) =>
      `CASE WHEN ${sourceOf(column)} IS DISTINCT FROM ${toldOf(column)} THEN '${column.name}' END`,
  )
  return `SELECT id, wrong FROM (
      SELECT id, s.id IS NULL AS extra, b.id IS NULL AS missing, array_remove(ARRAY[${wrong.join(', ')}], NULL) AS wrong
      FROM shop.at_${version} s
      FULL JOIN json_to_recordset(${quoted(JSON.stringify(rows))}) AS b(id int, ${told}) USING (id)
    ) compared WHERE extra OR missing OR wrong <> '{}'`
}

/** A value of the table, as something that can be compared. */
function sourceOf({ name, type }: Column): string {
  // Null and the null of JSON are one.
  if (type === 'json' || type === 'jsonb') return `nullif(s.${name}::text, 'null')::jsonb`
  return WITHOUT_EQUALITY.has(type) ? `s.${name}::text` : `s.${name}`
}

/** The same from what is told of it. */
function toldOf({ name, type }: Column): string {
  const text = `b.${name}`
  if (WITHOUT_EQUALITY.has(type)) return text
  if (type === 'bytea') return `decode(${text}, 'base64')`
  if (type === 'json' || type === 'jsonb') {
    return `CASE WHEN ${text} ~ '^[[{]' THEN ${text}::jsonb ELSE to_jsonb(${text}) END`
  }
  if (!type.endsWith('[]')) return `${text}::${type}`
  const elements = `jsonb_array_elements_text(${text}::jsonb) WITH ORDINALITY AS each(element, n)`
  const list = `SELECT array_agg(element ORDER BY n) FROM ${elements}`
  return `CASE WHEN ${text} IS NOT NULL THEN coalesce((${list}), '{}')::${type} END`
}

const WITHOUT_EQUALITY: ReadonlySet<string> = new Set(['point', 'xml'])
