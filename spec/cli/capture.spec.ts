import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { data } from '../kafka/scripted-log.ts'
import { ScriptedBroker } from '../kafka/scripted-broker.ts'
import { tidemark } from './captured.ts'

const LOG = [
  data(0, { key: '{"id":1}', value: '{"id":1,"n":"a"}', headers: { origin: 'x' } }),
  data(1, { key: '{"id":2}', value: '{"id":2,"n":"b"}' }),
  data(5, { key: '{"id":1}', value: null }),
]

let directory: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tidemark-capture-'))
})

afterEach(() => {
  rmSync(directory, { recursive: true })
})

function flowsOver(name: string, source: object): string {
  const path = join(directory, name)
  const flow = { target: 'people', keys: 'id', sequence_by: '_offset', source }
  writeFileSync(path, JSON.stringify({ store: { sqlite: `${name}.db` }, flows: [flow] }))
  return path
}

function topicsOf(broker: ScriptedBroker): string {
  const kafka = { brokers: broker.address, topics: 'people' }
  return flowsOver('topics.json', { kafka, format: 'json' })
}

test('a dumped topic makes the table that the topic makes', async () => {
  await using broker = await ScriptedBroker.start({ people: { partitions: [{ log: LOG }] } })
  const flows = topicsOf(broker)
  const dump = join(directory, 'people.ndjson')
  expect(await tidemark(['capture', flows, '-o', dump])).toEqual({
    code: 0,
    out: `3 messages in ${dump}\n`,
    err: '',
  })
  expect(readFileSync(dump, 'utf8').split('\n')[0]).toMatch(
    /^\{"topic":"people","partition":0,"offset":0,"timestamp":"[^"]+","key":"\{\\"id\\":1\}","value":"\{\\"id\\":1,\\"n\\":\\"a\\"\}","headers":\[\["origin","x"\]\]\}$/,
  )

  const replay = flowsOver('replay.json', { files: 'people.ndjson', dump: true, format: 'json' })
  for (const each of [flows, replay]) expect((await tidemark(['run', each])).code).toBe(0)
  const shown = await tidemark(['show', flows, 'people', '--format', 'ndjson'])
  expect(shown.out).toBe('{"id":2,"n":"b"}\n')
  expect(await tidemark(['show', replay, 'people', '--format', 'ndjson'])).toEqual(shown)
})

test('a name with .gz packs the dump', async () => {
  await using broker = await ScriptedBroker.start({ people: { partitions: [{ log: LOG }] } })
  const dump = join(directory, 'people.ndjson.gz')
  expect((await tidemark(['capture', topicsOf(broker), '--output', dump])).code).toBe(0)
  expect(gunzipSync(readFileSync(dump)).toString().trimEnd().split('\n')).toHaveLength(3)
})

test('a file that is there already stays as it is', async () => {
  await using broker = await ScriptedBroker.start({ people: { partitions: [{ log: LOG }] } })
  const dump = join(directory, 'people.ndjson')
  writeFileSync(dump, 'mine')
  expect(await tidemark(['capture', topicsOf(broker), '-o', dump])).toEqual({
    code: 2,
    out: '',
    err: `tidemark: USAGE: ${dump} is there already; give the dump another name\n`,
  })
  expect(readFileSync(dump, 'utf8')).toBe('mine')
})

test.each([
  ['a folder that is not there', 'nowhere/x.ndjson', 'ENOENT'],
  ['a folder that is a file', 'topics.json/x.ndjson', 'ENOTDIR'],
  ['a name that is too long', 'x'.repeat(255), 'ENAMETOOLONG'],
])('%s is a mistake of who gave it', async (_, name, reason) => {
  await using broker = await ScriptedBroker.start({ people: { partitions: [{ log: LOG }] } })
  const flows = topicsOf(broker)
  const dump = join(directory, name)
  expect(await tidemark(['capture', flows, '-o', dump])).toEqual({
    code: 2,
    out: '',
    err: `tidemark: NOT_FOUND: ${dump} cannot be written: ${reason}\n`,
  })
})

test('a flow that reads no topics has nothing to capture', async () => {
  const flows = flowsOver('files.json', { files: '*.ndjson' })
  const { code, err } = await tidemark(['capture', flows, '-o', join(directory, 'x')])
  expect([code, err]).toEqual([
    2,
    'tidemark: USAGE: flow "people" reads no topics, so there is nothing to capture\n',
  ])
})
