import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tidemark } from '../cli/captured.ts'
import { startDebezium, type DebeziumOptions } from './debezium.ts'
import { describeWithDebezium } from './describe-with-kafka.ts'
import { startBroker, type Broker } from './kafka.ts'
import { startPostgres, type Postgres } from './postgres.ts'
import { readTopics } from './read-topics.ts'
import { BARE_TYPES, byKey, sourceQuery, sourceRow, targetRow } from './workload/comparable.ts'
import { Workload } from './workload/workload.ts'

/** How many statements: thousands in the long form. */
const STATEMENTS = Number(process.env['DEBEZIUM_STATEMENTS'] ?? 1500)
const SEED = Number(process.env['DEBEZIUM_SEED'] ?? Date.now() % 1_000_000)
const SLICES = 6

/**
 * Two feeds of the same tables, each with a connector of its own. The second has several partitions,
 * so that a row whose key changes moves between them.
 */
const FEEDS = [
  { prefix: 'typed', schemas: true, properties: {}, columns: {} },
  {
    prefix: 'bare',
    schemas: false,
    properties: {
      'decimal.handling.mode': 'string',
      'topic.creation.groups': 'spread',
      'topic.creation.spread.include': String.raw`bare\.shop\.(kinds|accounts|documents)`,
      'topic.creation.spread.replication.factor': '1',
      'topic.creation.spread.partitions': '3',
    },
    columns: BARE_TYPES,
  },
] as const

type Feed = (typeof FEEDS)[number]

describeWithDebezium('real Debezium', () => {
  test(
    `makes the tables of its source, killed in between (DEBEZIUM_SEED=${SEED})`,
    { timeout: 600_000 },
    async () => {
      await using folder = await temporaryFolder()
      await using broker = await startBroker()
      await using postgres = await startPostgres()
      const workload = new Workload(SEED, { truncates: true })
      const run = (): Promise<void> =>
        postgres.run(workload.statements(STATEMENTS / SLICES).join('\n'))
      await postgres.run(Workload.schema())
      await run()
      await postgres.run(Workload.firstRows())

      const [typed, bare] = FEEDS
      await using first = await startDebezium(optionsOf(typed, broker, postgres))
      await using second = await startDebezium(optionsOf(bare, broker, postgres))
      const connectors = [first, second]
      await Promise.all(connectors.map((connector) => connector.caughtUp()))
      await writeFile(join(folder.path, 'flow.json'), JSON.stringify(flowFile(broker)))
      await readAll(folder.path)

      for (let slice = 1; slice < SLICES; slice += 1) {
        await run()
        if (slice % 2 === 1) {
          await Promise.all(
            connectors.map(async (connector) => {
              await connector.writing()
              await connector.kill('SIGKILL')
              await connector.restart()
            }),
          )
        }
        await readAll(folder.path)
      }
      await Promise.all(connectors.map((connector) => connector.caughtUp()))
      await readAll(folder.path)

      for (const [table, columns] of Object.entries(Workload.TABLES)) {
        const rows = await postgres.rows(sourceQuery(`shop.${table}`, columns))
        const source = rows.map((row) => sourceRow(row, columns)).toSorted(byKey)
        for (const { prefix } of FEEDS) {
          const target = (await shown(folder.path, `${prefix}_${table}`)).map((row) =>
            targetRow(row, columns),
          )
          expect({ prefix, table, rows: target.toSorted(byKey) }).toEqual({
            prefix,
            table,
            rows: source,
          })
        }
      }
      expect(await tidemark(['doctor', join(folder.path, 'flow.json')])).toMatchObject({ code: 0 })
      for (const { prefix } of FEEDS) expect(await repetitions(broker, prefix)).toBeGreaterThan(0)
    },
  )
})

function optionsOf(feed: Feed, broker: Broker, postgres: Postgres): DebeziumOptions {
  const { prefix, schemas, properties } = feed
  return {
    broker,
    postgres,
    prefix,
    schemas,
    tables: String.raw`shop\..*`,
    properties,
  }
}

function flowFile({ bootstrap }: Broker): unknown {
  const flows = FEEDS.flatMap(({ prefix, columns }) =>
    Object.keys(Workload.TABLES).map((table) => ({
      name: `${prefix}_${table}`,
      target: `${prefix}_${table}`,
      source: {
        kafka: { brokers: [bootstrap], topics: [`${prefix}.shop.${table}`] },
        format: 'debezium-json',
      },
      columns: new Map(Object.entries(columns)).get(table) ?? {},
    })),
  )
  return { store: { sqlite: 'store.db' }, flows }
}

/** A run of few records, or of deletions only, need not meet every column that a flow declares. */
const UNMET = /^tidemark: warning: .* names the column ".*", which no record of this run had\n/gm

/** Runs all flows to the ends of their topics, with nothing refused. */
async function readAll(folder: string): Promise<void> {
  const { code, out, err } = await tidemark(['run', join(folder, 'flow.json'), '--json'])
  expect({ code, err: err.replaceAll(UNMET, '') }).toEqual({ code: 0, err: '' })
  for (const line of out.trimEnd().split('\n')) {
    expect(JSON.parse(line)).toMatchObject({ quarantined: 0 })
  }
}

async function shown(folder: string, target: string): Promise<string[]> {
  const { code, out, err } = await tidemark([
    'show',
    join(folder, 'flow.json'),
    target,
    '--format',
    'ndjson',
  ])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  return out.split('\n').filter((line) => line !== '')
}

/** How many transactions Debezium began to tell of more than once: the kills had a consequence. */
async function repetitions(broker: Broker, prefix: string): Promise<number> {
  const messages = await readTopics(broker, [`${prefix}.transaction`])
  const begins = messages
    .filter(({ value }) => value?.includes('"status":"BEGIN"') === true)
    .map(({ key }) => String(key))
  return begins.length - new Set(begins).size
}

async function temporaryFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'tidemark-real-debezium-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) }
}
