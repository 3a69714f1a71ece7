import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { dumpLine } from '../../src/formats/topic-dump.ts'
import type { Message } from '../../src/formats/message.ts'
import { openTidemark, parseFlows } from '../../src/index.ts'

test('before the first record that tells the key a flow has a status, and no table', async () => {
  await inFolder(async (folder) => {
    writeFileSync(join(folder, '0.ndjson'), line(0, '{"serverName":"srv"}', { ts_ms: 1 }))
    using tidemark = openTidemark(parseFlows(FLOWS, folder))
    await tidemark.run({ mode: 'bounded' })
    const [status] = await tidemark.status()
    expect(status?.counts).toMatchObject({ read: 1, ignored: 1 })
    expect(status?.tables).toEqual({ rows: 0, version: null })
    expect(() => tidemark.rows('t')).toThrow('NOT_FOUND: no flow has written to the target "t" yet')
    expect(() => tidemark.history('t', { id: 1 })).toThrow('NOT_FOUND')

    const source = { connector: 'postgresql', name: 'srv', lsn: 5 }
    const change = { op: 'c', after: { id: 1, v: 'a' }, source }
    writeFileSync(join(folder, '1.ndjson'), line(1, '{"id":1}', change))
    await tidemark.run({ mode: 'bounded' })
    expect([...tidemark.rows('t')]).toEqual([{ names: ['id', 'v'], values: [1, 'a'] }])
    expect(tidemark.history('t', { id: 1 }).events).toHaveLength(1)
  })
})

const FLOWS = {
  store: { sqlite: 'store.db' },
  flows: [{ target: 't', source: { files: '*.ndjson', dump: true, format: 'debezium-json' } }],
}

function line(offset: number, key: string, value: object): string {
  const stream = { name: 'topic', partition: 0 }
  const bytes = Buffer.from(JSON.stringify(value))
  const message: Message = {
    stream,
    offset,
    key: Buffer.from(key),
    value: bytes,
    headers: [],
    timestamp: null,
  }
  return `${dumpLine(message)}\n`
}

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-first-'))
  try {
    await work(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
