import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { TidemarkError } from '../../src/core/errors.ts'
import type { Environment } from '../../src/flow-files/environment.ts'
import { loadFlowFile } from '../../src/flow-files/load-flow-file.ts'
import type { FlowFile } from '../../src/pipeline/flow-spec-type.ts'
import { describeFlow, parseFlowFile, warningsOf } from '../../src/pipeline/flow-spec.ts'

const folder = mkdtempSync(join(tmpdir(), 'tidemark-flow-files-'))
afterAll(() => rmSync(folder, { recursive: true }))

function load(text: string | Uint8Array, env: Environment = {}, name = 'flows.yaml'): FlowFile {
  writeFileSync(join(folder, name), text)
  return loadFlowFile(join(folder, name), env)
}

/** The message of the fault, the folder left out. */
function faultOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (error instanceof TidemarkError) return error.message.replaceAll(`${folder}/`, '')
    throw error
  }
  return 'accepted'
}

function wrong(text: string | Uint8Array, env: Environment = {}): string {
  return faultOf(() => load(text, env))
}

const USERS = `
store: { sqlite: warehouse.db }          # relative to this file
flows:
  - target: users
    source: { files: "feed/*.ndjson" }
    keys: [id]
    sequence_by: seq
`

const USERS_JSON = {
  store: { sqlite: 'warehouse.db' },
  flows: [
    { target: 'users', source: { files: 'feed/*.ndjson' }, keys: ['id'], sequence_by: 'seq' },
  ],
}

test('a flow file is YAML, and its paths count from its folder', () => {
  expect(load(USERS)).toEqual(parseFlowFile(USERS_JSON, folder))
})

test('a flow file may be JSON, tabs and a byte order mark included', () => {
  const text = `\ufeff${JSON.stringify(USERS_JSON, null, '\t')}`
  expect(load(text, {}, 'flows.json')).toEqual(parseFlowFile(USERS_JSON, folder))
})

test('flows share options by anchors and merge keys', () => {
  const file = load(`
store: { memory: true }
flows:
  - &users { name: a, target: users, source: { events: true }, keys: id, sequence_by: s }
  - { <<: *users, name: b, where: 'id > 0' }
`)
  expect(file.flows.map(({ name, target, where }) => [name, target, where])).toEqual([
    ['a', 'users', null],
    ['b', 'users', 'id > 0'],
  ])
})

test('a file that is not there, or is no file, is named', () => {
  mkdirSync(join(folder, 'sub'))
  expect(faultOf(() => loadFlowFile(join(folder, 'none.yaml'), {}))).toBe(
    'NOT_FOUND: the flow file none.yaml does not exist',
  )
  expect(faultOf(() => loadFlowFile(join(folder, 'sub'), {}))).toBe(
    'NOT_FOUND: the flow file sub is a directory',
  )
  expect(wrong(new Uint8Array([0x61, 0xff]))).toBe('SPEC_INVALID: flows.yaml is not UTF-8 text')
})

test('broken YAML is shown by line and column', () => {
  expect(wrong('store:\n  - a\n b: 1\n')).toBe(
    'SPEC_INVALID: flows.yaml:3:1: all mapping items must start at the same column',
  )
  expect(wrong('store: { sqlite: a\nflows: []')).toMatch(/^SPEC_INVALID: flows\.yaml:2:\d+: /)
  expect(wrong('flows: []\nstore: { sqlite: a, sqlite: b }')).toBe(
    'SPEC_INVALID: flows.yaml:2:21: map keys must be unique',
  )
  expect(wrong('store: !secret a')).toBe('SPEC_INVALID: flows.yaml:1:8: unresolved tag: !secret')
  expect(wrong('a: 1\n---\nb: 2')).toMatch(/^SPEC_INVALID: flows\.yaml:2:1: /)
})

test('aliases that lead nowhere, in circles or too far are refused', () => {
  expect(wrong('store: *nothing')).toMatch(/^SPEC_INVALID: flows\.yaml: Unresolved alias/)
  expect(wrong('store: &me [*me]')).toBe(
    'SPEC_INVALID: flows.yaml: something is nested more than 50 deep, or contains itself',
  )
  const twice = (name: string, of: string) => `${name}: &${name} [${`*${of}, `.repeat(10)}]\n`
  expect(wrong(`a: &a [x]\n${twice('b', 'a')}${twice('c', 'b')}${twice('d', 'c')}`)).toMatch(
    /^SPEC_INVALID: flows\.yaml: Excessive alias count/,
  )
  expect(wrong('['.repeat(10_000))).toMatch(/^SPEC_INVALID: flows\.yaml:/)
})

test('every problem of a file is told with its name', () => {
  expect(wrong('store: { sqlite: a }\nflows:\n  - { target: t, keys: [], sequence_by: s }')).toBe(
    [
      'SPEC_INVALID: flows.yaml: 2 problems',
      '  flows[0].source: is required',
      '  flows[0].keys: needs at least one column',
    ].join('\n'),
  )
  expect(wrong('')).toBe(
    'SPEC_INVALID: flows.yaml: the file: must be an object with options, not null',
  )
})

test('an integer longer than a double holds is neither rounded nor accepted', () => {
  const text = USERS.replace('"feed/*.ndjson"', 'a, max_columns: 9007199254740993')
  expect(wrong(text)).toBe(
    'SPEC_INVALID: flows.yaml: flows[0].source.max_columns: must be a whole number from 1 to 9007199254740991, not 9007199254740993',
  )
})

test('texts take values from the environment', () => {
  const text = USERS.replace('warehouse.db', '"${DIR}/${NAME:-main}.db"').replace(
    'feed/',
    '${EMPTY}${FEED:-in/}',
  )
  const { store, flows } = load(text, { DIR: '/data', EMPTY: '', FEED: '' })
  expect(store).toEqual({ sqlite: '/data/main.db' })
  expect(flows[0]?.source).toMatchObject({ files: ['in/*.ndjson'] })
})

test('a value of the environment is not read as YAML, nor searched for variables', () => {
  const text = USERS.replace('sequence_by: seq', 'sequence_by: "${SEQ}"')
  const { flows } = load(text, { SEQ: '[a, ${b}] #' })
  expect(flows[0]?.sequence_by.parts).toEqual([{ column: '[a, ${b}] #', expr: null, type: null }])
})

test('a doubled dollar is a dollar before a brace', () => {
  const { flows } = load(`${USERS}    where: "x = '$\${a}' AND y = '$b$$'"\n`)
  expect(flows[0]?.where).toBe("x = '${a}' AND y = '$b$$'")
})

test('variables that are not set are named with the place that asks for them', () => {
  const text = USERS.replace('users', '${TABLE}').replace('[id]', '["${constructor}", "${1}"]')
  expect(wrong(text)).toBe(
    [
      'SPEC_INVALID: flows.yaml: 3 problems',
      '  flows[0].target: the environment has no TABLE; set it, or write ${TABLE:-default}',
      '  flows[0].keys[0]: the environment has no constructor; set it, or write ${constructor:-default}',
      '  flows[0].keys[1]: ${ is not followed by a variable as in ${VAR} or ${VAR:-default}; $${ is a plain ${',
    ].join('\n'),
  )
})

test('no message has a value of the environment', () => {
  const text = `
store: { sqlite: "\${SECRET}" }
flows:
  - &flow
    target: "\${SECRET}"
    source: { files: "\${SECRET}", format: "\${SECRET}" }
    keys: ["\${SECRET}", "\${SECRET}"]
    sequence_by: { column: "\${SECRET}", type: "\${SECRET}" }
    except_column_list: ["\${SECRET}"]
    columns: { a: "\${SECRET}" }
    once: "\${SECRET}"
    expectations: [{ name: "\${SECRET}", expect: a }, { name: "\${SECRET}", expect: b }]
  - *flow
`
  const message = wrong(text, { SECRET: 'integr' })
  expect(message).toContain('flows[0].columns.a: "${SECRET}" is not a type\n')
  expect(message).not.toMatch(/integ/)
})

test('flows that disagree are told as they are written', () => {
  const text = `
store: { memory: true }
flows:
  - { target: "\${SECRET}", source: { events: true }, keys: "\${SECRET}", sequence_by: s }
  - { target: "\${SECRET}", name: b, source: { events: true }, keys: [x, y], sequence_by: s }
`
  expect(wrong(text, { SECRET: 'hunter2' })).toBe(
    'FLOWS_DISAGREE: flows.yaml: flows[1].keys: flows into one target agree on keys, but flow "b" has ["x", "y"], and flow "${SECRET}" has "${SECRET}"',
  )
})

test('what is told of a flow has no value of the environment either', () => {
  const { flows } = load(
    `
store: { memory: true }
flows:
  - target: "\${SECRET}_users"
    source: { files: "\${SECRET}/*.csv", header: [a, "\${SECRET}"] }
    keys: "\${SECRET}"
    sequence_by: { column: "\${SECRET}" }
    system_sequence_by: [a, { expr: "\${SECRET} + 1" }]
    time_by: "\${SECRET}"
    select: { a: "\${SECRET}", b: c }
    columns: { d: "\${TYPE}" }
    stored_as_scd_type: "\${KIND}"
    except_column_list: [b, b, "\${SECRET}x", c]
`,
    { SECRET: 'hunter2_ts', TYPE: 'date', KIND: '2' },
  )
  const told = flows.map((flow) => ({ plan: describeFlow(flow), warnings: warningsOf(flow) }))
  expect(JSON.stringify(told)).not.toContain('hunter2')
  expect(told[0]?.plan).toMatchObject({
    name: '${SECRET}_users',
    target: '${SECRET}_users',
    source: { files: ['${SECRET}/*.csv'], header: ['a', '${SECRET}'] },
    keys: ['${SECRET}'],
    sequence_by: '${SECRET}',
    system_sequence_by: ['a', { expr: '${SECRET} + 1' }],
    time_by: '${SECRET}',
    select: { a: '${SECRET}', b: 'c' },
    columns: { d: '${TYPE}' },
    stored_as_scd_type: '${KIND}',
    except_column_list: ['b', 'b', '${SECRET}x', 'c'],
  })
})
