import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { tidemark } from './captured.ts'

let directory: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tidemark-flows-'))
  writeFileSync(join(directory, 'b.ndjson'), '{"id":1,"seq":1}\n')
})

afterEach(() => {
  rmSync(directory, { recursive: true })
})

function flowsOver(...files: readonly string[]): string {
  const flows = files.map((file) => ({
    target: file.replace(/\.ndjson$/, ''),
    source: { files: file },
    keys: 'id',
    sequence_by: 'seq',
  }))
  const path = join(directory, 'flows.json')
  writeFileSync(path, JSON.stringify({ store: { sqlite: 'store.db' }, flows }))
  return path
}

test('a flow that stops keeps the flows after it from nothing, and decides the exit code', async () => {
  const flows = flowsOver('a.ndjson', 'b.ndjson')
  const { code, out, err } = await tidemark(['run', flows, '--json'])
  const ended = out
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line))
  expect({ code, err, ended }).toMatchObject({
    code: 2,
    err: `tidemark: NOT_FOUND: there is no file a.ndjson in ${directory}\n`,
    ended: [{ flow: 'b', read: 1, accepted: 1 }],
  })
})

test('of several faults the first decides, and all are told', async () => {
  const flows = flowsOver('a.ndjson', 'b.ndjson', 'c.ndjson')
  const { code, err } = await tidemark(['run', flows])
  expect({ code, err }).toEqual({
    code: 2,
    err: [
      `tidemark: NOT_FOUND: there is no file a.ndjson in ${directory}`,
      `  flow "c": NOT_FOUND: there is no file c.ndjson in ${directory}\n`,
    ].join('\n'),
  })
})
