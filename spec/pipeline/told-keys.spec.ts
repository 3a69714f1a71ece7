import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CaseRun } from '../feeds/case-run.ts'

const LINES = [
  { offset: 0, key: '{"wrong":1}', value: null },
  { offset: 1, key: '{"bogus":1}', value: change({ bogus: 1 }, null) },
  { offset: 2, key: '{"id":1}', value: change({ id: 1, n: 'a' }, 100) },
]

function change(after: object, lsn: number | null): string {
  return JSON.stringify({ before: null, after, source: { connector: 'postgresql', lsn }, op: 'c' })
}

test('the first record that is accepted tells the key, not one that is ignored or refused', async () => {
  const base = await mkdtemp(join(tmpdir(), 'tidemark-keys-'))
  try {
    const lines = LINES.map((line) => `${JSON.stringify({ topic: 't', partition: 0, ...line })}\n`)
    await writeFile(join(base, 'd.ndjson'), lines.join(''))
    const source = { files: 'd.ndjson', dump: true, format: 'debezium-json' }
    await using run = new CaseRun({ target: 'target', source }, base)
    await run.bounded()
    const { rows, ignored, quarantine } = run.outcome()
    expect({ rows: rows.map((row) => [...row]), ignored, quarantine }).toEqual({
      rows: [
        [
          ['id', 1],
          ['n', 'a'],
        ],
      ],
      ignored: [{ topic: 't', short: '0:0' }],
      quarantine: [{ topic: 't', short: '0:1' }],
    })
  } finally {
    await rm(base, { recursive: true })
  }
})
