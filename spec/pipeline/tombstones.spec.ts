import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { jsonText, loadFlows, openTidemark } from '../../src/index.ts'

/** Row 1 comes, goes and comes again; then what was said of its going is said again. */
const REDELIVERED = [
  upsert(1, 'first'),
  deletion(2),
  null,
  upsert(3, 'second'),
  upsert(1, 'first'),
  deletion(2),
  null,
]

test.each([1, 2])(
  '10 a redelivered deletion and its tombstone leave the newer row of an SCD %s table alone, wherever one run ends and the next begins',
  async (kind) => {
    const expected = kind === 1 ? ['1,"second"'] : ['1,"first",1,2', '1,"second",3,null']
    for (let cut = 0; cut <= REDELIVERED.length; cut += 1) {
      expect(await tableAfter(kind, cut)).toEqual(expected)
    }
  },
)

test('a tombstone without a deletion deletes the newest row before it, also in a run of its own', async () => {
  for (const cut of [2, 3]) {
    expect(await tableAfter(1, cut, [upsert(1, 'first'), upsert(2, 'second'), null])).toEqual([])
  }
})

/** The rows, without times, after two runs, the first of which finds only the messages before the cut. */
async function tableAfter(
  kind: number,
  cut: number,
  values: readonly (string | null)[] = REDELIVERED,
): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-tombstones-'))
  try {
    const feed = join(folder, 'feed.ndjson')
    const flows = join(folder, 'flows.json')
    const source = { files: 'feed.ndjson', format: 'debezium-json', dump: true }
    const flow = { target: 't', source, stored_as_scd_type: kind }
    writeFileSync(flows, JSON.stringify({ store: { sqlite: 'store.db' }, flows: [flow] }))
    const lines = values.map((value, offset) => `${JSON.stringify(dumped(value, offset))}\n`)

    writeFileSync(feed, lines.slice(0, cut).join(''))
    await run(flows)
    appendFileSync(feed, lines.slice(cut).join(''))
    await run(flows)
    using tidemark = openTidemark(loadFlows(flows, {}), { readOnly: true })
    return Array.from(tidemark.rows('t'), (row) => row.values.slice(0, 4).map(jsonText).join())
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function run(flows: string): Promise<void> {
  using tidemark = openTidemark(loadFlows(flows, {}))
  await tidemark.run({ mode: 'bounded' })
}

function dumped(value: string | null, offset: number) {
  const timestamp = '2026-01-01T00:00:00Z'
  return { topic: 't', partition: 0, offset, key: '{"id":1}', value, headers: [], timestamp }
}

function upsert(lsn: number, name: string): string {
  return JSON.stringify({ before: null, after: { id: 1, name }, op: 'u', source: sourceAt(lsn) })
}

function deletion(lsn: number): string {
  return JSON.stringify({ before: { id: 1 }, after: null, op: 'd', source: sourceAt(lsn) })
}

function sourceAt(lsn: number) {
  return { connector: 'postgresql', name: 'crm', snapshot: 'false', lsn, ts_ms: 1 }
}
