import { expect, test } from 'vitest'
import { jsonText, openTidemark, parseFlows, type Tidemark } from '../../src/index.ts'
import { Folder } from '../sources/files/folder.ts'

const EXTRACTS = {
  'extracts/1.csv': 'id,v\na,1\nb,1\n',
  'extracts/2.csv': 'id,v\na,2\nb,1\n',
  'extracts/10.csv': 'id,v\na,3\nb,1\n',
}

function open(base: string, source: Readonly<Record<string, unknown>>): Tidemark {
  const version = { file_name: '(\\d+)\\.csv$', type: 'integer' }
  const flow = { target: 't', keys: 'id', stored_as_scd_type: 2 }
  return openTidemark(
    parseFlows(
      {
        store: { memory: true },
        flows: [{ ...flow, source: { snapshots: 'extracts/*.csv', version, ...source } }],
      },
      base,
    ),
  )
}

function rows(tidemark: Tidemark): string[] {
  return Array.from(tidemark.rows('t'), ({ values }) => values.map(jsonText).join(' '))
}

test('from_version passes over what is older, by version and not by name', async () => {
  await using folder = await Folder.of(EXTRACTS)
  using tidemark = open(folder.path, { from_version: 2 })
  await tidemark.run({ mode: 'bounded' })
  expect(rows(tidemark)).toEqual(['"a" "2" 2 10', '"a" "3" 10 null', '"b" "1" 2 null'])
  expect(tidemark.snapshots().map(({ version }) => version)).toEqual(['2', '10'])
})

test('from_version is read as versions are: as text where they are text', async () => {
  await using folder = await Folder.of(EXTRACTS)
  using tidemark = open(folder.path, {
    version: { file_name: '(\\d+)\\.csv$', type: null },
    from_version: 2,
  })
  await tidemark.run({ mode: 'bounded' })
  expect(tidemark.snapshots().map(({ version }) => version)).toEqual(['"2"'])
})

test('from_version that does not compare with the versions is refused', async () => {
  await using folder = await Folder.of(EXTRACTS)
  using tidemark = open(folder.path, { from_version: 'soon' })
  await expect(tidemark.run({ mode: 'bounded' })).rejects.toThrow(
    'SPEC_INVALID: from_version "soon" does not compare with the version 1',
  )
})

test('a continuous run applies what is there and what comes, and goes on past a refusal', async () => {
  await using folder = await Folder.of(EXTRACTS)
  using tidemark = open(folder.path, {})
  const stop = new AbortController()
  const coming = [{ 'extracts/11.csv': 'id,v\n' }, { 'extracts/12.csv': 'id,v\na,4\nb,1\n' }]
  const run = tidemark.run({
    mode: 'continuous',
    signal: stop.signal,
    onProgress: () => {
      if (tidemark.snapshots().length < 3) return
      const next = coming.shift()
      if (next === undefined) stop.abort()
      else void folder.put(next)
    },
  })
  await expect(run).rejects.toThrow(/^EMPTY_SNAPSHOT: /)
  expect(tidemark.snapshots().map(({ version, outcome }) => `${version} ${outcome}`)).toEqual([
    '1 applied',
    '2 applied',
    '10 applied',
    '11 refused',
    '12 applied',
  ])
}, 30_000)
