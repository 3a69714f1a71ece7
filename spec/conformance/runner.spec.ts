import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { findFiles } from './case-files.ts'
import { asProcess } from './command-line.ts'
import { compareRows } from './compare.ts'
import { conformance, drawTally } from './conformance.ts'
import { isObject, readJson } from './json.ts'
import type { JsonObject } from './json.ts'

// The runner must be able to fail: each case here but the right ones is wrong in one place.

test('right cases pass', async () => {
  expect(await verdict(scd2(), bitemporal(), refused(), numbers())).toBe('4 passed, 0 failed')
})

test('a wrong value fails', async () => {
  expect(
    await report(
      scd2({
        rows: '[{"id":1,"v":"x","__START_AT":1,"__END_AT":2},{"id":1,"v":"b","__START_AT":2}]',
      }),
    ),
  ).toBe(`\
FAIL cases.json: scd2
  delivered in order, at the end:
    - {"id":1,"v":"x","__START_AT":1,"__END_AT":2}
    + {"id":1,"v":"a","__START_AT":1,"__END_AT":2}
      {"id":1,"v":"b","__START_AT":2}
0 passed, 1 failed`)
})

test('a missing row fails', async () => {
  expect(
    await differences(
      scd2({
        rows: '[{"id":1,"v":"a","__START_AT":1,"__END_AT":2},{"id":1,"v":"b","__START_AT":2},{"id":2,"v":"b","__START_AT":2}]',
      }),
    ),
  ).toEqual(['- {"id":2,"v":"b","__START_AT":2}'])
})

test('an extra row fails', async () => {
  expect(await differences(scd2({ rows: '[{"id":1,"v":"b","__START_AT":2}]' }))).toEqual([
    '+ {"id":1,"v":"a","__START_AT":1,"__END_AT":2}',
  ])
})

test('a row that is there once and expected twice fails', async () => {
  expect(
    await differences(
      scd2({
        rows: '[{"id":1,"v":"a","__START_AT":1,"__END_AT":2},{"id":1,"v":"b","__START_AT":2},{"id":1,"v":"b","__START_AT":2}]',
      }),
    ),
  ).toEqual(['- {"id":1,"v":"b","__START_AT":2}'])
})

test('rows expected of a table that never came to be fail', async () => {
  expect(await differences(scd2({ batches: '[[]]', rows: '[{"id":1}]' }))).toEqual(['- {"id":1}'])
})

test('a wrong checkpoint fails', async () => {
  expect(await report(scd2({ checkpoints: '[{"after_batch":1,"rows":[{"id":1,"v":"a"}]}]' })))
    .toBe(`\
FAIL cases.json: scd2
  delivered in order, after batch 1:
    - {"id":1,"v":"a"}
    + {"id":1,"v":"a","__START_AT":1,"__END_AT":null}
0 passed, 1 failed`)
})

test('a case that may not be permuted and says so fails in some order, which is told', async () => {
  expect(await report(bitemporal({ permutable: 'true' }))).toMatch(
    /FAIL cases.json: bitemporal\n {2}delivered as records [\d |]+ \(seed 1\), at the end:\n/,
  )
})

test('a wrong system time fails', async () => {
  expect(
    await differences(
      bitemporal({
        rows: '[{"id":1,"v":"b","__START_AT":5,"__SYSTEM_START_AT":3},{"id":1,"v":"a","__START_AT":2,"__END_AT":5,"__SYSTEM_START_AT":2}]',
      }),
    ),
  ).toEqual([
    '- {"id":1,"v":"b","__START_AT":5,"__SYSTEM_START_AT":3}',
    '+ {"id":1,"v":"b","__START_AT":5,"__END_AT":null,"__SYSTEM_START_AT":1,"__SYSTEM_END_AT":null}',
  ])
})

test('a wrong value as of then fails', async () => {
  expect(await report(bitemporal({ as_of: '[{"key":1,"valid":3,"system":2,"expect":{"v":"b"}}]' })))
    .toBe(`\
FAIL cases.json: bitemporal
  delivered in order, key 1 at 3 as believed at 2:
    - {"v":"b"}
    + {"id":1,"v":"a","__START_AT":2,"__END_AT":5,"__SYSTEM_START_AT":TIME,"__SYSTEM_END_AT":null}
0 passed, 1 failed`)
})

test('a key that was not there as of then, or was, fails', async () => {
  expect(
    await differences(bitemporal({ as_of: '[{"key":1,"valid":3,"system":1,"expect":{"v":"a"}}]' })),
  ).toEqual(['- {"v":"a"}'])
  expect(
    await differences(bitemporal({ as_of: '[{"key":1,"valid":3,"system":2,"expect":null}]' })),
  ).toEqual([
    '- null',
    '+ {"id":1,"v":"a","__START_AT":2,"__END_AT":5,"__SYSTEM_START_AT":TIME,"__SYSTEM_END_AT":null}',
  ])
})

test('another refusal, none, an unexpected one, and other rows under one fail', async () => {
  expect(await verdict(refused({ expect: '"refused":"NULL_KEY","at_batch":2' }))).toBe(FAILED)
  expect(await verdict(refused({ expect: '"refused":"NULL_SEQUENCE","at_batch":1' }))).toBe(FAILED)
  expect(await verdict(refused({ expect: '"notes":""' }))).toBe(FAILED)
  expect(await verdict(refused({ rows: '[{"id":1,"v":"b"}]' }))).toBe(FAILED)
})

test('the last digit of a number that no double holds matters, its spelling does not', async () => {
  expect(await verdict(numbers({ rows: '[{"id":123456789012345678901,"v":0.10}]' }))).toBe(PASSED)
  expect(await verdict(numbers({ rows: '[{"id":123456789012345678902,"v":0.1}]' }))).toBe(FAILED)
  expect(
    await verdict(numbers({ rows: '[{"id":123456789012345678901,"v":0.10000000000000000001}]' })),
  ).toBe(FAILED)
})

test('a number is not its text, nor a boolean', async () => {
  expect(await verdict(numbers({ rows: '[{"id":"123456789012345678901","v":0.1}]' }))).toBe(FAILED)
  expect(await verdict(numbers({ rows: '[{"id":123456789012345678901,"v":"0.1"}]' }))).toBe(FAILED)
  expect(same('{"v":1}', '{"v":true}')).toBe(false)
  expect(same('{"v":0}', '{"v":null}')).toBe(false)
  expect(same('{"v":""}', '{"v":null}')).toBe(false)
})

test('a column that the expected row lacks must be null', async () => {
  expect(await verdict(numbers({ rows: '[{"id":123456789012345678901}]' }))).toBe(FAILED)
  expect(same('{"id":1}', '{"id":1,"v":null}')).toBe(true)
  expect(same('{"id":1}', '{"id":1,"v":false}')).toBe(false)
})

test('in nested values a null member is not an absent one, and the order of members is free', () => {
  expect(same('{"v":{"a":null}}', '{"v":{}}')).toBe(false)
  expect(same('{"v":[null]}', '{"v":[]}')).toBe(false)
  expect(same('{"v":[1,2]}', '{"v":[2,1]}')).toBe(false)
  expect(same('{"v":{"a":1,"b":[{}]}}', '{"v":{"b":[{}],"a":1}}')).toBe(true)
  expect(same('{"v":{"__proto__":1}}', '{"v":{}}')).toBe(false)
})

test('numbers compare by value in every spelling', () => {
  expect(same('{"v":-0.0}', '{"v":0}')).toBe(true)
  expect(same('{"v":1e3}', '{"v":1000}')).toBe(true)
  expect(same('{"v":12.30}', '{"v":1230E-2}')).toBe(true)
  expect(same('{"v":1e400}', '{"v":1e401}')).toBe(false)
  expect(same('{"v":1}', '{"v":-1}')).toBe(false)
})

test('a command line that cannot run as a process fails the cases', async () => {
  const { tally } = await judged([scd2()], ['node', '-e', 'process.exit(4)'])
  expect(tally).toBe(FAILED)
})

test('a case that is not written as it should be fails, and unknown members are told', async () => {
  expect(await report('{"name":"odd","flow":{},"batches":[[]],"expect":{"rows":7}}')).toBe(
    `\
FAIL cases.json: odd
  expect.rows: Invalid input: expected array, received string
0 passed, 1 failed`.replace('received string', 'received ExactNumber'),
  )
  expect(await report(scd2({ permutabel: 'true' }))).toBe(`\
note cases.json: member "permutabel" is not looked at
1 passed, 0 failed`)
})

test('a right case of snapshots passes', async () => {
  expect(await verdict(snapshots())).toBe('1 passed, 0 failed')
})

test('a wrong row after snapshots fails', async () => {
  expect(await differences(snapshots({ v: 'x' }))).toEqual([
    '- {"id":1,"v":"x","__START_AT":2}',
    '+ {"id":1,"v":"b","__START_AT":2,"__END_AT":null}',
  ])
})

test('a wrong count of a snapshot fails', async () => {
  expect(await verdict(snapshots({ updated: 0 }))).toBe('0 passed, 1 failed')
})

test('a snapshot that is applied where it must be refused fails', async () => {
  expect(await verdict(snapshots({ code: 'EMPTY_SNAPSHOT' }))).toBe('0 passed, 1 failed')
})

test('other JSON in a directory is named and passed by, broken JSON fails', async () => {
  const directory = await mkdtemp(join(root, 'mixed-'))
  await writeFile(join(directory, 'broken.json'), '[{')
  await writeFile(join(directory, 'options.json'), '{"a":1}')
  await writeFile(join(directory, 'plain.json'), '[1,2]')
  await writeFile(join(directory, 'notes.txt'), 'no JSON, not looked at')
  const lines: string[] = []
  const tally = await conformance(await findFiles([directory]), options(lines))
  expect(lines.map((line) => line.replaceAll(`${directory}/`, ''))).toEqual([
    "FAIL broken.json: no JSON: Quoted object key or end of object '}' expected but reached end of input at position 2",
    'note options.json: not a JSON array of cases, passed by',
    'note plain.json: not a JSON array of cases, passed by',
  ])
  expect(tally).toEqual({ passed: 0, failed: 1 })
})

test('a path that is not there or names a file without cases is of no use', async () => {
  await expect(findFiles(['nowhere'])).rejects.toThrow('there is no nowhere')
  const path = join(root, 'other.json')
  await writeFile(path, '{}')
  await expect(conformance(await findFiles([path]), options([]))).rejects.toThrow(
    'other.json: not a JSON array of cases',
  )
})

type Parts = Readonly<Record<string, string>>

/** A late change comes in a second batch. */
function scd2({ rows, ...others }: Parts = {}): string {
  return caseText('scd2', {
    flow: `{"keys":["id"],"sequence_by":"s","except_column_list":["s"],"stored_as_scd_type":2}`,
    batches: '[[{"id":1,"s":1,"v":"a"}],[{"id":1,"s":2,"v":"b"}]]',
    permutable: 'true',
    expect: `{"rows":${rows ?? '[{"id":1,"v":"a","__START_AT":1,"__END_AT":2},{"id":1,"v":"b","__START_AT":2}]'}}`,
    ...others,
  })
}

function bitemporal({ rows, ...others }: Parts = {}): string {
  return caseText('bitemporal', {
    flow: `{"keys":["id"],"sequence_by":"s","except_column_list":["s"],"stored_as_scd_type":"bitemporal"}`,
    batches: '[[{"id":1,"s":5,"v":"b"}],[{"id":1,"s":2,"v":"a"}]]',
    expect: `{"rows":${rows ?? '[{"id":1,"v":"b","__START_AT":5,"__SYSTEM_START_AT":1},{"id":1,"v":"a","__START_AT":2,"__END_AT":5,"__SYSTEM_START_AT":2}]'}}`,
    as_of:
      '[{"key":1,"valid":3,"system":1,"expect":null},{"key":1,"valid":3,"system":2,"expect":{"v":"a"}}]',
    ...others,
  })
}

function refused({ rows = '[{"id":1,"v":"a"}]', expect: how, ...others }: Parts = {}): string {
  return caseText('refused', {
    flow: `{"keys":["id"],"sequence_by":"s","except_column_list":["s"],"stored_as_scd_type":1,"on_error":"fail"}`,
    batches: '[[{"id":1,"s":1,"v":"a"}],[{"id":1,"s":null,"v":"b"}],[{"id":1,"s":3,"v":"c"}]]',
    expect: `{${how ?? '"refused":"NULL_SEQUENCE","at_batch":2'},"rows":${rows}}`,
    ...others,
  })
}

function numbers({ rows = '[{"id":123456789012345678901,"v":0.1}]' }: Parts = {}): string {
  return caseText('numbers', {
    flow: `{"keys":["id"],"sequence_by":"s","except_column_list":["s"],"stored_as_scd_type":1}`,
    batches: '[[{"id":123456789012345678901,"s":1,"v":0.1}]]',
    expect: `{"rows":${rows}}`,
  })
}

function caseText(name: string, parts: Parts): string {
  const members = Object.entries(parts).map(([member, text]) => `"${member}":${text}`)
  return `{"name":"${name}",${members.join(',')}}`
}

const PASSED = '1 passed, 0 failed'
const FAILED = '0 passed, 1 failed'

const root = await mkdtemp(join(tmpdir(), 'tidemark-runner-'))
afterAll(() => rm(root, { recursive: true }))

/** The command line as a process, from the sources, so that no build is needed. */
const FROM_SOURCES = [
  process.execPath,
  '--import',
  'tsx',
  fileURLToPath(new URL('../../src/cli/bin.ts', import.meta.url)),
]

function options(
  lines: string[],
  program: readonly string[] = FROM_SOURCES,
): Parameters<typeof conformance>[1] {
  return {
    shuffles: 5,
    seed: 1,
    only: '',
    separate: asProcess(program),
    print: (line) => void lines.push(line),
  }
}

/** What the runner printed of a file of cases but for how long it took, and its last line. */
async function judged(
  cases: readonly string[],
  program?: readonly string[],
): Promise<{ readonly lines: readonly string[]; readonly tally: string }> {
  const directory = await mkdtemp(join(root, 'cases-'))
  const path = join(directory, 'cases.json')
  await writeFile(path, `[${cases.join(',')}]`)
  const printed: string[] = []
  const tally = drawTally(await conformance(await findFiles([path]), options(printed, program)))
  const lines = [...printed.slice(0, -1), ...tally].map((line) =>
    line.replaceAll(`${directory}/`, '').replaceAll(/"\d{4}-[^"]*Z"/g, 'TIME'),
  )
  return { lines, tally: tally.at(-1) ?? '' }
}

async function verdict(...cases: readonly string[]): Promise<string> {
  return (await judged(cases)).tally
}

async function report(one: string): Promise<string> {
  return (await judged([one])).lines.join('\n')
}

/** The rows that were only expected or only got. */
async function differences(one: string): Promise<readonly string[]> {
  const lines = (await report(one)).split('\n').map((line) => line.trim())
  return lines.filter((line) => line.startsWith('- ') || line.startsWith('+ '))
}

function same(expected: string, got: string): boolean {
  return compareRows([row(expected)], [row(got)]) === null
}

function row(text: string): JsonObject {
  const value = readJson(text)
  if (isObject(value)) return value
  throw new TypeError(`${text} is no object`)
}

/** Two snapshots, the second of which changes the one row. */
function snapshots({ v = 'b', updated = 1, code = '' } = {}): string {
  const second =
    code === ''
      ? `{"version":2,"accepted":true,"updated":${updated}}`
      : `{"version":2,"accepted":false,"code":"${code}"}`
  return `{"name":"snapshots","flow":{"keys":["id"],"stored_as_scd_type":2},
    "snapshots":[{"version":1,"rows":[{"id":1,"v":"a"}]},{"version":2,"rows":[{"id":1,"v":"b"}]}],
    "expect":{"rows":[{"id":1,"v":"a","__START_AT":1,"__END_AT":2},{"id":1,"v":"${v}","__START_AT":2}],
      "results":[{"version":1,"accepted":true,"inserted":1},${second}]}}`
}
