import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { test as base, expect } from 'vitest'
import { describeFlow, parseFlowFile } from '../../../src/pipeline/flow-spec.ts'
import { freePort } from '../../kafka/free-port.ts'
import { tidemark } from '../../cli/captured.ts'

/** A flow file with a query of a database next to it. */
class Shop {
  readonly folder = mkdtempSync(join(tmpdir(), 'tidemark-query-'))
  readonly env: Record<string, string> = {}

  sql(text: string): void {
    const db = new Database(join(this.folder, 'shop.db'))
    db.exec(text)
    db.close()
  }

  flow(source: object, options: object = {}): void {
    const flow = {
      target: 'prices',
      keys: 'sku',
      stored_as_scd_type: 2,
      source: {
        snapshots: { sqlite: 'shop.db', query: 'SELECT sku, price FROM prices' },
        ...source,
      },
      ...options,
    }
    const file = { store: { sqlite: 'warehouse.db' }, flows: [flow] }
    writeFileSync(join(this.folder, 'flow.yaml'), JSON.stringify(file))
  }

  async run(verb: string, ...words: readonly string[]): Promise<string> {
    const args = [...verb.split(' '), join(this.folder, 'flow.yaml'), ...words]
    const { code, out, err } = await tidemark(args, { env: this.env })
    return code === 0 ? out : `${code} ${err.replace('tidemark: ', '')}`
  }

  async rows(): Promise<string> {
    return (await this.run('show', 'prices', '--format', 'csv')).replaceAll('\r', '')
  }
}

const test = base.extend<{ shop: Shop }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the pattern
  shop: async ({}, use) => {
    const shop = new Shop()
    shop.sql(`CREATE TABLE prices (sku TEXT, price REAL, version INT);
      INSERT INTO prices VALUES ('a', 1.5, 7), ('b', 2, 7);`)
    await use(shop)
    rmSync(shop.folder, { recursive: true })
  },
})

test('the rows of a query are a snapshot at the version that another query gives', async ({
  shop,
}) => {
  shop.flow({ version: { query: 'SELECT max(version) FROM prices' } })
  expect(await shop.run('run')).toContain('snapshot 7')
  shop.sql(`UPDATE prices SET version = 8; UPDATE prices SET price = 3 WHERE sku = 'b';`)
  await shop.run('run')
  expect(await shop.rows()).toBe('sku,price,__START_AT,__END_AT\na,1.5,7,\nb,2,7,8\nb,3,8,\n')
})

test('the version may be a column of the rows, which all have to agree on', async ({ shop }) => {
  const query = 'SELECT * FROM prices ORDER BY sku'
  shop.flow(
    { snapshots: { sqlite: 'shop.db', query }, version: { column: 'version' } },
    { except_column_list: ['version'] },
  )
  await shop.run('run')
  expect(await shop.rows()).toBe('sku,price,__START_AT,__END_AT\na,1.5,7,\nb,2,7,\n')
  shop.sql(
    `UPDATE prices SET version = 8 WHERE sku = 'b'; UPDATE prices SET version = 9 WHERE sku = 'a'`,
  )
  expect(await shop.run('run')).toContain(
    'INCOMPLETE_SNAPSHOT: snapshot 9 of flow "prices" (shop.db) is not applied: row 2 of shop.db is refused, ENVELOPE: its version is 8, that of the first 9',
  )
})

test('without a version it is the time of the run; an unchanged table writes nothing', async ({
  shop,
}) => {
  shop.flow({})
  await shop.run('run')
  await shop.run('run')
  expect((await shop.rows()).split('\n')).toHaveLength(4)
  expect(await shop.run('status')).toContain('prices')
})

test('a version that was applied is compared again, a missing one is refused', async ({ shop }) => {
  shop.flow({ version: { query: 'SELECT max(version) FROM prices' } })
  await shop.run('run')
  expect(await shop.run('run')).toContain('snapshot 7: applied before')
  shop.sql('UPDATE prices SET price = 9')
  expect(await shop.run('run')).toMatch(/^3 [^]*VERSION_CONFLICT/)
  shop.sql('UPDATE prices SET version = NULL')
  expect(await shop.run('run')).toMatch(/^3 [^]*NULL_VERSION/)
})

test('a plan shows the columns and what would be written, and writes nothing', async ({ shop }) => {
  shop.flow({ version: { query: 'SELECT max(version) FROM prices' } })
  expect(await shop.run('validate')).toContain('sku')
  expect(await shop.run('snapshot plan')).toContain('7')
  expect(await shop.run('snapshot list')).not.toContain('applied')
})

test('a query that cannot be one extract is refused with the name of its flow', async ({
  shop,
}) => {
  const tell = async (query: string, version = 'SELECT 1') => {
    shop.flow({ snapshots: { sqlite: 'shop.db', query }, version: { query: version } })
    return shop.run('run')
  }
  expect(await tell('SELECT sku, 1 AS sku FROM prices')).toContain(
    '2 SOURCE_REFUSED: flow "prices": the query gives two columns "sku"; tell them apart with AS',
  )
  expect(await tell('SELECT sku FROM prices', 'SELECT 1, 2')).toContain(
    'the query of the version gives several columns',
  )
  expect(await tell('SELECT sku FROM prices', 'SELECT sku FROM prices')).toContain(
    'the query of the version gives several rows',
  )
  expect(await tell('SELECT wrong')).toMatch(/^2 SOURCE_REFUSED: flow "prices": SQLite file /)
})

test('a row that is too large makes the snapshot incomplete', async ({ shop }) => {
  shop.flow({ max_record_bytes: 1000 })
  shop.sql(`UPDATE prices SET sku = hex(zeroblob(1000)) WHERE sku = 'b'`)
  expect(await shop.run('run')).toMatch(/^3 INCOMPLETE_SNAPSHOT: [^]*TOO_LARGE/)
})

test('what the options of a database contradict is told, a password never', async ({ shop }) => {
  const wrong = async (source: object) => {
    shop.flow(source)
    return shop.run('validate')
  }
  expect(await wrong({ version: 'modified' })).toContain(
    'flows[0].source.version: is run, { column } or { query } for a database',
  )
  expect(await wrong({ snapshots: '*.csv', version: { query: 'SELECT 1' } })).toContain(
    'flows[0].source.version: { query } is for databases; files have other versions',
  )
  expect(await wrong({ format: 'csv' })).toContain('format: is an option of files only')
  expect(await wrong({ snapshots: { sqlite: 'shop.db' } })).toContain(
    'flows[0].source.snapshots.query: is required',
  )
  expect(await wrong({ snapshots: { query: 'SELECT 1' } })).toContain(
    'needs one of sqlite, postgres, mysql, and a query',
  )
  const typed = await wrong({ snapshots: { postgres: 'mysql://u:geheim@h/d', query: 'x' } })
  expect(typed).toContain('needs a URL such as postgres://')
  expect(typed).not.toContain('geheim')
})

test('a plan shows where a database is as the file says it, without any password', () => {
  const snapshots = { postgres: 'postgres://u:geheim@h:5432/d?sslmode=require', query: 'SELECT 1' }
  const source = { snapshots, version: { query: 'SELECT 2' } }
  const file = { store: { memory: true }, flows: [{ target: 't', keys: 'k', source }] }
  expect(parseFlowFile(file, '/').flows.map(describeFlow)).toMatchObject([
    {
      source: {
        snapshots: { ...snapshots, postgres: 'postgres://u:***@h:5432/d?sslmode=require' },
        version: { query: 'SELECT 2', type: null },
      },
    },
  ])
})

test('a server that is away ends the run with 4, and nothing that is printed has its password', async ({
  shop,
}) => {
  const snapshots = { postgres: '${SHOP_URL}', query: 'SELECT sku, price FROM prices' }
  shop.env['SHOP_URL'] = `postgres://ann:geheim@127.0.0.1:${await freePort()}/shop`
  shop.flow({ snapshots })
  const run = await shop.run('run')
  expect(run).toMatch(/^4 SOURCE_UNAVAILABLE: flow "prices": PostgreSQL cannot be read now: /)
  const said = [run, await shop.run('validate'), await shop.run('status')]
  expect(said.join('')).not.toContain('geheim')
})
