import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test as base } from 'vitest'
import { planText } from '../../src/cli/render/plan.ts'
import { openTidemark, parseFlows } from '../../src/index.ts'
import type { PlanReport } from '../../src/index.ts'
import { DebeziumTopic } from '../semantics/debezium-topic.ts'

type Options = Readonly<Record<string, unknown>>

/** Plans a flow into `t` whose source is in a folder of its own. */
type Plan = (flow: Options, files: Readonly<Record<string, string>>) => Promise<PlanReport>

const test = base.extend<{ folder: string; plan: Plan }>({
  // oxlint-disable-next-line no-empty-pattern -- fixtures are found by the names they take apart
  folder: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'tidemark-plan-'))
    await use(folder)
    rmSync(folder, { recursive: true })
  },
  plan: async ({ folder }, use) => {
    await use(async (flow, files) => {
      for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
      const flows = [{ target: 't', ...flow }]
      using tidemark = openTidemark(parseFlows({ store: { memory: true }, flows }, folder))
      const [report] = await tidemark.validate()
      if (report === undefined) throw new Error('no plan')
      return report
    })
  },
})

test('a plan says what the format of a feed decides, and the keys that its first records tell', async ({
  plan,
}) => {
  const topic = new DebeziumTopic()
  const source = { files: 'feed.ndjson', dump: true, format: 'debezium-json', epoch: 2 }
  const feed = dumped(topic.put(5, 1, { v: 'a' }), topic.gone(7, 1))
  const report = await plan({ source, stored_as_scd_type: 2 }, { 'feed.ndjson': feed })
  expect(report.plan['resolved']).toEqual({
    keys: ['id'],
    columns: ['id', 'v'],
    sequence_type: 'number',
    target_exists: false,
    history_told_again: false,
    sampled_records: 2,
    preset: {
      format: 'debezium-json',
      keys: 'those that the feed tells',
      sequence: 'epoch 2, then the place that Debezium tells',
      deletes: 'those of the feed, and messages without a value',
      truncates: 'those of the feed',
      time: 'the one that the feed tells',
    },
    streams: ['feed.ndjson'],
  })
  expect(planText([report])).toContain(`
    preset:
      format: debezium-json
      keys: those that the feed tells
`)
})

test('and what the flow decides in its place', async ({ plan }) => {
  const own = {
    keys: 'id',
    sequence_by: 'at',
    time_by: 'at',
    stored_as_scd_type: 2,
    apply_as_deletes: 'gone',
    apply_as_truncates: false,
  }
  const source = { files: 'feed.ndjson', dump: true, format: 'debezium-json' }
  const report = await plan({ ...own, source }, { 'feed.ndjson': '' })
  expect(report.plan['resolved']).toMatchObject({
    preset: {
      keys: 'keys of the flow',
      sequence: 'sequence_by of the flow',
      deletes: 'apply_as_deletes of the flow, and messages without a value',
      truncates: 'ignored',
      time: 'time_by of the flow',
    },
  })
})

test('rows of a topic decide nothing but that a message without a value deletes', async ({
  plan,
}) => {
  const source = { files: 'feed.ndjson', dump: true, format: 'json' }
  const report = await plan({ keys: 'id', sequence_by: 'at', source }, { 'feed.ndjson': '' })
  expect(report.plan['resolved']).toMatchObject({
    preset: { deletes: 'messages without a value', truncates: 'none', time: 'none' },
  })
})

test('records that are no messages have no preset', async ({ plan }) => {
  const flow = { keys: 'id', sequence_by: 'at', source: { files: 'feed.ndjson' } }
  const report = await plan(flow, { 'feed.ndjson': '{"id":1,"at":1}\n' })
  expect(report.plan['resolved']).not.toHaveProperty('preset')
})

test('a message of several rows tells their columns', async ({ plan }) => {
  const value = { type: 'INSERT', pkNames: ['id'], data: [{ id: '1' }, { id: '2', v: 'b' }] }
  const feed = JSON.stringify({ topic: 't', offset: 0, value: JSON.stringify(value) })
  const source = { files: 'feed.ndjson', dump: true, format: 'canal-json' }
  const report = await plan({ source }, { 'feed.ndjson': feed })
  expect(report.plan['resolved']).toMatchObject({ keys: ['id'], columns: ['id', 'v'] })
})

test('rows of extracts tell all of their columns, before they have a version', async ({ plan }) => {
  const version = { file_name: '(\\d+)', type: 'integer' }
  const snapshots = { source: { snapshots: '*.ndjson', version } }
  const report = await plan({ keys: 'id', ...snapshots }, { '1.ndjson': '{"id":1,"v":2}\n' })
  expect(report.plan['resolved']).toMatchObject({ columns: ['id', 'v'], sampled_records: 1 })
})

test('so do rows of a query, as the flow selects them', async ({ plan, folder }) => {
  const db = new Database(join(folder, 'shop.db'))
  db.exec("CREATE TABLE prices (sku, price, note); INSERT INTO prices VALUES ('a', 1, 'x')")
  db.close()
  const snapshots = { sqlite: 'shop.db', query: 'SELECT * FROM prices' }
  const flow = { keys: 'sku', source: { snapshots }, except_column_list: ['note'] }
  expect((await plan(flow, {})).plan['resolved']).toMatchObject({ columns: ['sku', 'price'] })
})

/** Messages as lines of a dump. */
function dumped(...messages: readonly object[]): string {
  return messages.map((message) => JSON.stringify({ topic: 't', ...message })).join('\n')
}
