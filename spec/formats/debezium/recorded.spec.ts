import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { test as base, expect } from 'vitest'
import { tidemark } from '../../cli/captured.ts'
import { BARE_TYPES, byKey, sourceRow, targetRow } from '../../kafka/workload/comparable.ts'
import { Workload } from '../../kafka/workload/workload.ts'

const FIXTURES = fileURLToPath(new URL('fixtures/', import.meta.url))

const test = base.extend<{ folder: string }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest wants a pattern here
  folder: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'tidemark-recorded-'))
    await use(folder)
    await rm(folder, { recursive: true })
  },
})

const RUNS: readonly {
  readonly run: string
  readonly columns: Readonly<Record<string, Readonly<Record<string, string>>>>
}[] = [
  { run: 'with-schema', columns: {} },
  { run: 'bare', columns: BARE_TYPES },
]

test.for(RUNS)('the feed $run makes the tables that PostgreSQL had', async (given, { folder }) => {
  const { run, columns } = given
  const messages = await lines(`${run}.ndjson`)
  const flows = Object.keys(Workload.TABLES).map((table) => ({
    name: table,
    target: table,
    source: { files: `${table}.ndjson`, dump: true, format: 'debezium-json' },
    columns: columns[table] ?? {},
  }))
  await writeFile(
    join(folder, 'flow.json'),
    JSON.stringify({ store: { sqlite: 'store.db' }, flows }),
  )
  for (const table of Object.keys(Workload.TABLES)) {
    await writeFile(
      join(folder, `${table}.ndjson`),
      messages.filter((line) => isFor(table, line)).join('\n'),
    )
  }

  const { code, out, err } = await tidemark(['run', join(folder, 'flow.json'), '--json'])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  for (const line of out.trimEnd().split('\n'))
    expect(JSON.parse(line)).toMatchObject({ quarantined: 0 })

  for (const [table, types] of Object.entries(Workload.TABLES)) {
    const shown = await tidemark(['show', join(folder, 'flow.json'), table, '--format', 'ndjson'])
    const target = shown.out
      .trimEnd()
      .split('\n')
      .map((line) => targetRow(line, types))
    const source = (await lines(`${run}.${table}.ndjson`)).map((line) => sourceRow(line, types))
    expect(target.toSorted(byKey)).toEqual(source.toSorted(byKey))
  }
})

/** Messages of a table's topic, and all that is of no table: transactions, heartbeats and messages. */
function isFor(table: string, line: string): boolean {
  return line.startsWith(`{"topic":"srv.shop.${table}"`) || !line.startsWith('{"topic":"srv.shop.')
}

async function lines(name: string): Promise<string[]> {
  const text = gunzipSync(await readFile(`${FIXTURES}${name}.gz`)).toString('utf8')
  return text.trimEnd().split('\n')
}
