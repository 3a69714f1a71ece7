import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { SourceSnapshot } from '../../../src/ports/source.ts'
import {
  openSnapshotFiles,
  type SnapshotFilesOptions,
} from '../../../src/sources/files/snapshot-files.ts'

let base = ''

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'tidemark-snapshots-'))
})

afterEach(async () => {
  await rm(base, { recursive: true })
})

function write(name: string, content: string | Uint8Array): Promise<void> {
  return writeFile(join(base, name), content)
}

function open(pattern: string, version: Partial<SnapshotFilesOptions['version']>) {
  const from = version.from ?? 'run'
  return openSnapshotFiles({
    base,
    patterns: [pattern],
    version: { from, column: null, file_name: null, ...version },
    format: null,
    csv: {},
    maxRecordBytes: 1000,
  })
}

async function rowsOf({ read }: SourceSnapshot): Promise<string[]> {
  const rows: string[] = []
  for await (const records of read(new AbortController().signal)) {
    rows.push(...records.map(({ bytes }) => Buffer.from(bytes).toString()))
  }
  return rows
}

async function told(offers: readonly SourceSnapshot[]) {
  return Promise.all(offers.map(async (offer) => [offer.version, ...(await rowsOf(offer))]))
}

test('files with one version in their names are one snapshot, a file without one has none', async () => {
  await write('v1-a.ndjson', '{"id":1}\n')
  await write('v1-b.ndjson.gz', gzipSync('{"id":2}\n'))
  await write('v2.ndjson', '{"id":3}\n')
  await write('x.ndjson', '')
  const source = open('*.ndjson*', { from: 'file_name', file_name: 'v(\\d+)' })
  expect(await told(await source.offers([]))).toEqual([
    ['1', '{"id":1}', '{"id":2}'],
    ['2', '{"id":3}'],
    [null],
  ])
})

/** What each record of all offers is read with beside its bytes. */
async function readWith(pattern: string): Promise<(string | undefined)[]> {
  const offers = await open(pattern, { from: 'modified' }).offers([])
  const all: (string | undefined)[] = []
  for (const { read } of offers) {
    for await (const records of read(new AbortController().signal)) {
      all.push(...records.map((record) => record.readWith))
    }
  }
  return all
}

test('records tell alike what decides beside their bytes what they are: framing, header, dialect', async () => {
  await write('a.ndjson', '{"id":1}\n{"id":2}\n')
  await write('b.ndjson.gz', gzipSync('{"id":3}\n'))
  await write('a.json', '[{"id":1},{"id":2}]')
  await write('a.csv', 'id,v\n1,2\n')
  await write('b.csv', 'id,v\n3,4\n')
  await write('c.csv', 'v,id\n1,2\n')
  await write('d.tsv', 'id\tv\n1\t2\n')
  expect(new Set(await readWith('*.ndjson*')).size).toBe(1)
  expect(new Set(await readWith('{a,b}.csv')).size).toBe(1)
  expect(new Set(await readWith('*')).size).toBe(5)
})

test('a record that is none, or of which only the beginning is kept, is not told by its bytes', async () => {
  await write('a.csv', `id\n1,2\n${'x'.repeat(2000)}\n`)
  await write('a.json', `["${'x'.repeat(2000)}"]`)
  await write('a.ndjson', `"${'x'.repeat(2000)}"\n`)
  expect(await readWith('*')).toEqual([undefined, undefined, undefined, undefined])
})

test('a line is decoded when it is asked for, to what it is', async () => {
  await write('a.ndjson', '{"id":1}\n\noops\n{"id":1,"id":2}')
  const [offer] = await open('a.ndjson', { from: 'modified' }).offers([])
  const kinds: string[] = []
  for await (const records of offer?.read(new AbortController().signal) ?? []) {
    for (const { number, decoded } of records) kinds.push(`${number} ${decoded.kind}`)
  }
  expect(kinds).toEqual(['1 image', '3 refusal', '4 refusal'])
})

test('a version from a column is that of all rows of the file', async () => {
  await write('a.csv', 'id,at\n1,5\n2,5\n')
  await write('b.csv', 'id,at\n1,6\n2,7\n')
  const offers = await open('*.csv', { from: 'column', column: 'at' }).offers([])
  expect(offers.map(({ version }) => version)).toEqual(['5', '6'])
  await expect(told(offers.slice(1))).rejects.toThrow(
    'FILE_BROKEN: b.csv has rows of several versions',
  )
})

test('a version may be the time at which the file was changed', async () => {
  await write('a.ndjson', '{"id":1}\n')
  await utimes(join(base, 'a.ndjson'), 1, 1)
  expect(await told(await open('*.ndjson', { from: 'modified' }).offers([]))).toEqual([
    [{ type: 'timestamp', text: '1970-01-01T00:00:01Z' }, '{"id":1}'],
  ])
})

test('without a version all files are one snapshot, offered at every run', async () => {
  await write('a.ndjson', '{"id":1}\n')
  await write('b.ndjson', '{"id":2}\n')
  const [offer, ...others] = await open('*.ndjson', {}).offers([])
  expect([offer?.isOfTheRun, others]).toEqual([true, []])
  expect(await open('*.ndjson', {}).offers(offer?.checkpoints ?? [])).toHaveLength(1)
})

test('a file that was applied is offered again only if it or what is said of it changed', async () => {
  await write('1.ndjson', '{"id":1}\n')
  const source = open('*.ndjson', { from: 'file_name', file_name: '(\\d+)' })
  const [offer] = await source.offers([])
  expect(await source.offers(offer?.checkpoints ?? [])).toEqual([])
  await write('1.ndjson', '{"id":1}\n{"id":2}\n')
  expect(await source.offers(offer?.checkpoints ?? [])).toHaveLength(1)
})

test('a manifest names files, versions, scopes, rows and guards to force', async () => {
  await write('a.ndjson', '{"id":1}\n')
  const entry =
    '{"file":"a.ndjson","version":12345678901234567890,"scope":["x",1],"rows":1,"force":["empty"]}'
  await write('m.json', `{"snapshots":[${entry}]}`)
  const [offer] = await open('m.json', { from: 'manifest' }).offers([])
  expect(offer).toMatchObject({
    version: 12345678901234567890n,
    scope: ['x', 1],
    declaredRows: 1,
    force: ['empty'],
  })
  await write('m.json', '{"snapshots":[{"file":"a.ndjson","versoin":1}]}')
  await expect(open('m.json', { from: 'manifest' }).offers([])).rejects.toThrow(
    'SPEC_INVALID: m.json snapshots[0] has an unknown member "versoin"',
  )
})
