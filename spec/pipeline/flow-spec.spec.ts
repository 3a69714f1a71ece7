import { expect, test } from 'vitest'
import { TidemarkError } from '../../src/core/errors.ts'
import { csvOptionsOf } from '../../src/pipeline/flow-spec-source.ts'
import type { FlowSpec } from '../../src/pipeline/flow-spec-type.ts'
import { describeFlow, parseFlowFile, warningsOf } from '../../src/pipeline/flow-spec.ts'

/** The least that a flow says. */
const LEAST = {
  target: 'users',
  source: { files: 'feed/*.ndjson' },
  keys: 'id',
  sequence_by: 'seq',
}

const HISTORY = { ...LEAST, stored_as_scd_type: 2 }

const STORE = { sqlite: 'warehouse.db' }

function flow(options: object = {}): FlowSpec {
  const [only] = parseFlowFile({ store: STORE, flows: [{ ...LEAST, ...options }] }, '/base').flows
  if (only === undefined) throw new Error('no flow')
  return only
}

/** The message of the fault, its lines. */
function faultOf(spec: unknown): string[] {
  try {
    parseFlowFile(spec, '/base')
  } catch (error) {
    if (error instanceof TidemarkError) return error.message.split('\n')
    throw error
  }
  return ['accepted']
}

/** What is wrong with one flow of these options. */
function wrong(options: object): string[] {
  return faultOf({ store: STORE, flows: [{ ...LEAST, ...options }] })
}

/** What is wrong with several flows. */
function wrongOf(...flows: object[]): string[] {
  return faultOf({ store: STORE, flows: flows.map((options) => ({ ...LEAST, ...options })) })
}

test('a flow that says the least has every default filled in', () => {
  expect(parseFlowFile({ store: STORE, flows: [LEAST] }, '/base')).toEqual({
    base: '/base',
    store: { sqlite: 'warehouse.db' },
    flows: [
      {
        name: 'users',
        target: 'users',
        source: {
          kind: 'files',
          files: ['feed/*.ndjson'],
          format: null,
          header: true,
          delimiter: null,
          quote: '"',
          escape: null,
          epoch: 0,
          max_batch_records: null,
          max_batch_bytes: 67_108_864,
          max_batch_delay: 1000,
          max_record_bytes: 16_777_216,
          max_columns: 1000,
          dump: false,
          unavailable_value: '__debezium_unavailable_value',
          registry: null,
        },
        keys: ['id'],
        sequence_by: { parts: [{ column: 'seq', expr: null, type: null }], list: false },
        time_by: null,
        system_sequence_by: null,
        ignore_null_updates: false,
        ignore_null_updates_column_list: null,
        ignore_null_updates_except_column_list: null,
        columns_to_update: null,
        missing_columns: 'null',
        apply_as_deletes: null,
        apply_as_truncates: null,
        select: null,
        where: null,
        columns: {},
        column_list: null,
        except_column_list: null,
        stored_as_scd_type: 1,
        track_history_column_list: null,
        track_history_except_column_list: null,
        reach: 'target',
        once: false,
        on_sequence_tie: 'source_order',
        on_error: 'quarantine',
        max_refused_fraction: 0.5,
        expectations: [],
        retention: null,
        indexes: [],
        environment: [],
      },
    ],
  })
})

test('every option of a flow is taken', () => {
  const options = {
    name: 'users from the shop',
    target: 'users',
    source: { events: true, max_batch_records: 10 },
    keys: ['tenant', 'id'],
    sequence_by: ['ts', { column: 'n', type: 'bigint' }, { expr: 'a + b', type: 'number' }],
    time_by: 'at',
    system_sequence_by: { column: 'seen', type: 'timestamp' },
    ignore_null_updates: false,
    ignore_null_updates_column_list: ['a', 'b'],
    ignore_null_updates_except_column_list: null,
    columns_to_update: 'changed',
    missing_columns: 'keep',
    apply_as_deletes: "op = 'D'",
    apply_as_truncates: "op = 'T'",
    select: { full: "first || ' ' || last" },
    where: 'id > 0',
    columns: { price: 'decimal', born: 'date' },
    column_list: ['a', 'b'],
    stored_as_scd_type: 'bitemporal',
    track_history_except_column_list: ['b'],
    reach: 'flow',
    once: true,
    on_sequence_tie: 'fail',
    on_error: 'fail',
    max_refused_fraction: null,
    expectations: [
      { name: 'has_a', expect: 'a IS NOT NULL' },
      { name: 'has_b', expect: 'b IS NOT NULL', on_violation: 'drop' },
    ],
    retention: '7d',
  }
  expect(flow(options)).toEqual({
    ...flow(),
    ...options,
    source: {
      kind: 'events',
      epoch: 0,
      max_batch_records: 10,
      max_batch_bytes: 67_108_864,
      max_batch_delay: 1000,
      max_record_bytes: 16_777_216,
      max_columns: 1000,
    },
    sequence_by: {
      parts: [
        { column: 'ts', expr: null, type: null },
        { column: 'n', expr: null, type: 'integer' },
        { column: null, expr: 'a + b', type: 'number' },
      ],
      list: true,
    },
    system_sequence_by: {
      parts: [{ column: 'seen', expr: null, type: 'timestamp' }],
      list: false,
    },
    columns: { price: 'number', born: 'date' },
    expectations: [
      { name: 'has_a', expect: 'a IS NOT NULL', on_violation: 'warn' },
      { name: 'has_b', expect: 'b IS NOT NULL', on_violation: 'drop' },
    ],
    retention: 604_800_000,
  })
})

test('a list of one column is remembered as a list', () => {
  expect(flow({ sequence_by: ['seq'] }).sequence_by).toEqual({
    parts: [{ column: 'seq', expr: null, type: null }],
    list: true,
  })
})

test('storage kinds may be text, and a null of YAML is the default', () => {
  const kinds = [1, 2, '1', '2', 'bitemporal'].map(
    (stored_as_scd_type) => flow({ stored_as_scd_type }).stored_as_scd_type,
  )
  expect(kinds).toEqual([1, 2, 1, 2, 'bitemporal'])
  expect(flow({ missing_columns: null, where: null, select: null })).toEqual(flow())
})

test('truncates of a preset can be switched off', () => {
  expect(flow({ apply_as_truncates: false }).apply_as_truncates).toBe(false)
})

test('durations are milliseconds, or text with a unit', () => {
  const delays = [0, 20, '500ms', '2s', '1.5s', '1m', '1 min', '1h'].map(
    (max_batch_delay) => flow({ source: { events: true, max_batch_delay } }).source.max_batch_delay,
  )
  expect(delays).toEqual([0, 20, 500, 2000, 1500, 60_000, 60_000, 3_600_000])
  expect(['1d', '2w'].map((retention) => flow({ retention }).retention)).toEqual([
    86_400_000, 1_209_600_000,
  ])
})

test('options of CSV files reach the decoder as it takes them', () => {
  const csv = (options: object) => {
    const { source } = flow({ source: { files: ['a.csv', 'b.csv'], ...options } })
    return source.kind === 'files' ? csvOptionsOf(source) : null
  }
  expect(csv({})).toEqual({ header: true, quote: '"' })
  expect(csv({ format: 'csv', delimiter: '\\t', quote: null, header: ['a', 'b'] })).toEqual({
    header: ['a', 'b'],
    quote: null,
    delimiter: '\t',
  })
  expect(csv({ delimiter: ';', quote: "'", escape: '\\' })).toEqual({
    header: true,
    quote: "'",
    delimiter: ';',
    escape: '\\',
  })
})

test('columns may have names that JavaScript uses itself', () => {
  const columns: unknown = JSON.parse('{"__proto__":"integer","constructor":"text"}')
  expect(Object.entries(flow({ columns }).columns)).toEqual([
    ['__proto__', 'integer'],
    ['constructor', 'text'],
  ])
})

test('a store may be in memory', () => {
  expect(parseFlowFile({ store: { memory: true }, flows: [LEAST] }, '/base').store).toEqual({
    memory: true,
  })
})

test('an unknown key is named with the known one it is nearest to', () => {
  expect(wrong({ apply_as_delete: 'x' })).toEqual([
    'SPEC_INVALID: flows[0]: unknown key "apply_as_delete"; did you mean "apply_as_deletes"?',
  ])
  expect(wrong({ sequenceBy: 'seq' })).toEqual([
    'SPEC_INVALID: flows[0]: unknown key "sequenceBy"; did you mean "sequence_by"?',
  ])
  expect(wrong({ colour: 'blue' })).toEqual(['SPEC_INVALID: flows[0]: unknown key "colour"'])
})

test('a key in the wrong place is told where it belongs', () => {
  expect(wrong({ format: 'csv' })).toEqual([
    'SPEC_INVALID: flows[0]: unknown key "format"; it belongs under source',
  ])
  expect(faultOf({ store: STORE, keys: ['id'], flows: [LEAST] })).toEqual([
    'SPEC_INVALID: the file: unknown key "keys"; it belongs to a flow, under flows',
  ])
})

test('every problem of a file is reported at once, each by its path', () => {
  const flows = [
    {
      target: '',
      source: { files: [], formt: 'csv', max_columns: 0 },
      keys: [],
      sequence_by: { column: 'a', expr: 'b', kind: 'text' },
      stored_as_scd_type: 3,
      on_error: 'ignore',
      columns: { a: 'intger', 'b c': 'nonsense' },
      column_list: ['a'],
      except_column_list: ['a'],
      expectations: [{ name: 'x', expect: ' ' }, { expect: 'a' }],
      once: 'yes',
      max_refused_fraction: 2,
    },
    'not a flow',
  ]
  expect(faultOf({ store: { sqlite: 'a', memory: true }, flow: [], flows })).toEqual([
    'SPEC_INVALID: 19 problems',
    '  store: needs either sqlite, the path of a database file, or memory: true',
    '  the file: unknown key "flow"; did you mean "flows"?',
    '  flows[0].target: must be a name, not ""',
    '  flows[0].source.files: needs at least one path or glob',
    '  flows[0].source.max_columns: must be a whole number from 1 to 9007199254740991, not 0',
    '  flows[0].source: unknown key "formt"; did you mean "format"?',
    '  flows[0].keys: needs at least one column',
    '  flows[0].sequence_by: unknown key "kind"',
    '  flows[0].sequence_by: needs either a column or an expr',
    '  flows[0].columns.a: "intger" is not a type; did you mean "integer"?',
    '  flows[0].columns["b c"]: "nonsense" is not a type',
    '  flows[0].stored_as_scd_type: must be 1, 2 or bitemporal, not 3',
    '  flows[0].once: must be true or false, not "yes"',
    '  flows[0].on_error: must be quarantine or fail, not "ignore"',
    '  flows[0].max_refused_fraction: must be a share from 0 to 1, or null, not 2',
    '  flows[0].expectations[0].expect: must be an SQL expression, not " "',
    '  flows[0].expectations[1].name: is required',
    '  flows[0].except_column_list: cannot go together with column_list; keep one of them',
    '  flows[1]: must be an object with options, not "not a flow"',
  ])
})

test('the problems are in the details too', () => {
  try {
    parseFlowFile({ store: STORE, flows: [{ ...LEAST, once: 1 }] }, '/base')
  } catch (error) {
    expect(error instanceof TidemarkError && error.details).toEqual({
      problems: [{ path: 'flows[0].once', message: 'must be true or false, not 1' }],
    })
  }
  expect.assertions(1)
})

test('what must be given is asked for', () => {
  expect(faultOf({})).toEqual([
    'SPEC_INVALID: 2 problems',
    '  store: is required',
    '  flows: is required',
  ])
  expect(faultOf({ store: STORE, flows: [] })).toEqual([
    'SPEC_INVALID: flows: must be a list of at least one flow, not an empty list',
  ])
  expect(faultOf({ store: STORE, flows: [{}] })).toEqual([
    'SPEC_INVALID: 4 problems',
    '  flows[0].target: is required',
    '  flows[0].source: is required',
    '  flows[0].keys: is required',
    '  flows[0].sequence_by: is required',
  ])
})

test('something that is no flow file says so', () => {
  const faults = [null, 'x', 7, [], () => 1].map((spec) => faultOf(spec)[0])
  expect(faults).toEqual([
    'SPEC_INVALID: the file: must be an object with options, not null',
    'SPEC_INVALID: the file: must be an object with options, not "x"',
    'SPEC_INVALID: the file: must be an object with options, not 7',
    'SPEC_INVALID: the file: must be an object with options, not an empty list',
    'SPEC_INVALID: the file: must be an object with options, not a function',
  ])
})

test('keys are columns that SQLite can tell apart', () => {
  expect(wrong({ keys: ['id', 'x', 'ID'] })).toEqual([
    'SPEC_INVALID: flows[0].keys[2]: "ID" is the same column as "id"',
  ])
  expect(wrong({ keys: [1] })).toEqual(['SPEC_INVALID: flows[0].keys[0]: must be a name, not 1'])
  expect(wrong({ keys: 'a\0b' })).toEqual([
    'SPEC_INVALID: flows[0].keys: no name can have a NUL character or half a surrogate pair, as "a\\u0000b" has',
  ])
  expect(wrong({ columns: { Name: 'text', name: 'text' } })).toEqual([
    'SPEC_INVALID: flows[0].columns.name: is the same column as "Name"',
  ])
})

test('a target has a name of its own', () => {
  expect(wrong({ target: '__tidemark_flow' })).toEqual([
    'SPEC_INVALID: flows[0].target: "__tidemark_flow" begins like the tables of SQLite or of Tidemark itself',
  ])
  expect(wrong({ target: 'SQLite_x' })).toEqual([
    'SPEC_INVALID: flows[0].target: "SQLite_x" begins like the tables of SQLite or of Tidemark itself',
  ])
})

test('a source is of one kind', () => {
  expect(wrong({ source: 'feed.ndjson' })).toEqual([
    'SPEC_INVALID: flows[0].source: must be an object such as { files: "feed/*.ndjson" }, not "feed.ndjson"',
  ])
  expect(wrong({ source: { file: 'feed.ndjson' } })).toEqual([
    'SPEC_INVALID: flows[0].source: needs one of files, kafka, snapshots, events; did you mean "files"?',
  ])
  expect(wrong({ source: { files: 'a', events: true } })).toEqual([
    'SPEC_INVALID: flows[0].source: is one of files, kafka, snapshots, events, not files and events',
  ])
  expect(wrong({ source: { files: 'a', snapshots: 'b' } })).toEqual([
    'SPEC_INVALID: flows[0].source: is one of files, kafka, snapshots, events, not files and snapshots',
  ])
  expect(wrong({ indexes: [['a']] })).toEqual([
    'SPEC_INVALID: flows[0].indexes: indexes are not supported yet',
  ])
})

test('options of CSV files need CSV files', () => {
  expect(wrong({ source: { files: 'a.json', format: 'json', delimiter: ';' } })).toEqual([
    'SPEC_INVALID: flows[0].source.delimiter: is an option of csv files only',
  ])
  expect(wrong({ source: { files: 'a.csv', quote: '""', escape: 'é', header: false } })).toEqual([
    'SPEC_INVALID: 3 problems',
    '  flows[0].source.header: must be true (the first row names the columns) or a list of names, not false',
    '  flows[0].source.quote: must be one ASCII character, not "\\"\\""',
    '  flows[0].source.escape: must be one ASCII character, not "é"',
  ])
  expect(wrong({ source: { files: 'a.csv', header: ['a', 'A'] } })).toEqual([
    'SPEC_INVALID: flows[0].source.header[1]: "A" is the same column as "a"',
  ])
})

test('limits and durations are whole and in range', () => {
  expect(
    wrong({
      source: { events: true, max_batch_records: 1.5, epoch: 2n ** 60n, max_batch_delay: '2y' },
      retention: -1,
    }),
  ).toEqual([
    'SPEC_INVALID: 4 problems',
    '  flows[0].source.epoch: must be a whole number from 0 to 9007199254740991, not 1152921504606846976',
    '  flows[0].source.max_batch_records: must be a whole number from 1 to 9007199254740991, not 1.5',
    '  flows[0].source.max_batch_delay: must be milliseconds or a duration such as 500ms, 2s, 1m, 12h or 7d, at most 2147483647 ms, not "2y"',
    '  flows[0].retention: must be milliseconds or a duration such as 500ms, 2s, 1m, 12h or 7d, not -1',
  ])
})

test('a part of a sequence is a column or an expression, of a type that has an order', () => {
  expect(wrong({ sequence_by: [] })).toEqual([
    'SPEC_INVALID: flows[0].sequence_by: needs at least one column',
  ])
  expect(wrong({ sequence_by: { type: 'text' } })).toEqual([
    'SPEC_INVALID: flows[0].sequence_by: needs either a column or an expr',
  ])
  expect(wrong({ sequence_by: ['a', { column: 'b', type: 'boolean' }] })).toEqual([
    'SPEC_INVALID: flows[0].sequence_by[1].type: "boolean" has no order that a sequence could have',
  ])
  expect(wrong({ sequence_by: 5 })).toEqual([
    'SPEC_INVALID: flows[0].sequence_by: must be a column, { column, type }, { expr, type } or a list of them, not 5',
  ])
})

test('one of the three ways to ignore null updates is enough', () => {
  expect(
    wrong({ ignore_null_updates: true, ignore_null_updates_except_column_list: ['a'] }),
  ).toEqual([
    'SPEC_INVALID: flows[0].ignore_null_updates_except_column_list: cannot go together with ignore_null_updates; keep one of them',
  ])
  expect(wrong({ ignore_null_updates_column_list: [] })).toEqual([
    'SPEC_INVALID: flows[0].ignore_null_updates_column_list: needs at least one column',
  ])
  expect(flow({ ignore_null_updates_except_column_list: [] })).toEqual({
    ...flow(),
    ignore_null_updates_except_column_list: [],
  })
})

test('keys stay in the target', () => {
  expect(wrong({ except_column_list: ['op', 'id'], columns_to_update: 'id' })).toEqual([
    'SPEC_INVALID: 2 problems',
    '  flows[0].except_column_list[1]: "id" is a key, and keys are always columns of the target',
    '  flows[0].columns_to_update: "id" is a key; the column that names columns is none of the target\'s',
  ])
  expect(flow({ except_column_list: ['ID'] }).except_column_list).toEqual(['ID'])
})

test('type 1 keeps no history to time or to track', () => {
  expect(wrong({ time_by: 'at', track_history_column_list: ['a'] })).toEqual([
    'SPEC_INVALID: 2 problems',
    '  flows[0].time_by: needs stored_as_scd_type: 2 or bitemporal; type 1 keeps no history',
    '  flows[0].track_history_column_list: needs stored_as_scd_type: 2 or bitemporal; type 1 keeps no history',
  ])
})

test('keys and selected columns leave the names of system columns alone', () => {
  const options = { ...HISTORY, keys: '__start_at', select: { __END_AT: '1' } }
  expect(wrong(options)).toEqual([
    'SPEC_INVALID: 2 problems',
    '  flows[0].keys: "__start_at" is the name of a system column of the target',
    '  flows[0].select.__END_AT: is the name of a system column of the target',
  ])
  expect(flow({ keys: '__START_AT' }).keys).toEqual(['__START_AT'])
})

test('expectations have names of their own', () => {
  const expectations = [
    { name: 'x', expect: 'a' },
    { name: 'x', expect: 'b' },
  ]
  expect(wrong({ expectations })).toEqual([
    'SPEC_INVALID: flows[0].expectations[1].name: "x" is the name of an earlier expectation',
  ])
})

test('flows have names of their own, targets one spelling', () => {
  expect(wrongOf({}, { sequence_by: 'n' })).toEqual([
    'SPEC_INVALID: flows[1].target: "users" is the name of an earlier flow too; give each its own name',
  ])
  expect(wrongOf({ name: 'a' }, { name: 'b', target: 'Users' })).toEqual([
    'SPEC_INVALID: flows[1].target: "Users" is the same table as "users"; spell them alike',
  ])
})

test('flows into one target that differ in what they may are accepted', () => {
  expect(
    wrongOf(
      { ...HISTORY, name: 'a', track_history_except_column_list: ['x', 'id', 'y'], reach: 'flow' },
      {
        ...HISTORY,
        name: 'b',
        track_history_except_column_list: ['y', 'x'],
        sequence_by: { column: 'n', type: 'integer' },
        where: 'x > 1',
      },
    ),
  ).toEqual(['accepted'])
})

test('flows into one target that disagree are told in what', () => {
  expect(
    wrongOf(
      { ...HISTORY, name: 'a', time_by: 'at', sequence_by: 'n', columns: { n: 'bigint' } },
      {
        name: 'b',
        keys: ['id', 'tenant'],
        sequence_by: { column: 's', type: 'text' },
        system_sequence_by: 'seen',
      },
    ),
  ).toEqual([
    'FLOWS_DISAGREE: 5 problems',
    '  flows[1].keys: flows into one target agree on keys, but flow "b" has ["id", "tenant"], and flow "a" has "id"',
    '  flows[1].stored_as_scd_type: flows into one target agree on the storage kind, but flow "b" has 1, the default, and flow "a" has 2',
    '  flows[1].sequence_by: flows into one target agree on the sequence type, but flow "b" has text, and flow "a" has number',
    '  flows[1].system_sequence_by: flows into one target agree on where system time comes from, but flow "b" has system_sequence_by, and flow "a" has the engine',
    '  flows[1].time_by: flows into one target agree on whether rows carry times, but flow "b" has no time_by, and flow "a" has time_by',
  ])
})

test('tracked columns are agreed on, however they are listed', () => {
  expect(
    wrongOf(
      { ...HISTORY, name: 'a', track_history_column_list: ['x'] },
      { ...HISTORY, name: 'b', track_history_except_column_list: ['x'] },
      { ...HISTORY, name: 'c' },
    ),
  ).toEqual([
    'FLOWS_DISAGREE: 2 problems',
    '  flows[1].track_history_except_column_list: flows into one target agree on the tracked columns, but flow "b" has all but ["x"], and flow "a" has only ["x"]',
    '  flows[2].track_history_column_list: flows into one target agree on the tracked columns, but flow "c" has all, and flow "a" has only ["x"]',
  ])
})

test('an option that is wrong by itself is not compared', () => {
  expect(wrongOf({ name: 'a' }, { name: 'b', keys: [] })).toEqual([
    'SPEC_INVALID: flows[1].keys: needs at least one column',
  ])
})

test('a flow with a declared sequence and a delete condition has no warnings', () => {
  const declared = {
    sequence_by: { column: 'seq', type: 'integer' },
    apply_as_deletes: "op = 'D'",
  }
  expect(warningsOf(flow(declared))).toEqual([])
  expect(
    warningsOf(flow({ ...declared, sequence_by: 'seq', columns: { seq: 'integer' } })),
  ).toEqual([])
})

/** The one warning that options earn a flow that has no other. */
function warnings(options: object): string[] {
  return warningsOf(
    flow({
      sequence_by: { column: 'seq', type: 'integer' },
      apply_as_deletes: "op = 'D'",
      ...options,
    }),
  )
}

test('a sequence that is kept in history and tracked is warned of', () => {
  const warning = [
    'the sequence "seq" is kept in the target and tracked, so every event opens a version; add it to except_column_list or track_history_except_column_list',
  ]
  expect(warnings({ stored_as_scd_type: 2 })).toEqual(warning)
  expect(warnings({ stored_as_scd_type: 2, column_list: ['seq'] })).toEqual(warning)
  expect(warnings({ stored_as_scd_type: 2, track_history_column_list: ['seq'] })).toEqual(warning)
  expect(warnings({ stored_as_scd_type: 2, select: { seq: 'seq + 1' } })).toEqual(warning)

  expect(warnings({ stored_as_scd_type: 1 })).toEqual([])
  expect(warnings({ stored_as_scd_type: 2, column_list: ['name'] })).toEqual([])
  expect(warnings({ stored_as_scd_type: 2, except_column_list: ['seq'] })).toEqual([])
  expect(warnings({ stored_as_scd_type: 2, track_history_column_list: ['name'] })).toEqual([])
  expect(warnings({ stored_as_scd_type: 2, track_history_except_column_list: ['seq'] })).toEqual([])
  expect(warnings({ stored_as_scd_type: 2, keys: ['id', 'seq'] })).toEqual([])
})

test('a sequence is warned of by the name that select gives it', () => {
  expect(warnings({ stored_as_scd_type: 2, select: { version: '"seq"' } })).toEqual([
    'the sequence "version" is kept in the target and tracked, so every event opens a version; add it to except_column_list or track_history_except_column_list',
  ])
})

test('a time that is kept in history and tracked is warned of', () => {
  expect(warnings({ stored_as_scd_type: 2, except_column_list: ['seq'], time_by: 'at' })).toEqual([
    'the time "at" is kept in the target and tracked, so every event opens a version; add it to except_column_list or track_history_except_column_list',
  ])
})

test('null updates that are ignored everywhere are warned of', () => {
  const warning = [
    'ignore_null_updates on every column means that no event can ever write a null; name the columns with ignore_null_updates_column_list',
  ]
  expect(warnings({ ignore_null_updates: true })).toEqual(warning)
  expect(warnings({ ignore_null_updates_except_column_list: [] })).toEqual(warning)
  expect(warnings({ ignore_null_updates_column_list: ['a'] })).toEqual([])
  expect(warnings({ ignore_null_updates: true, columns_to_update: 'changed' })).toEqual([])
})

test('a sequence that is a clock alone is warned of', () => {
  const clocks = ['ts', 'ts_ms', 'event_timestamp', 'updated_at', 'updatedAt', 'eventTs'].filter(
    (column) => warnings({ sequence_by: { column, type: 'integer' } }).length === 1,
  )
  expect(clocks).toEqual(['ts', 'ts_ms', 'event_timestamp', 'updated_at', 'updatedAt', 'eventTs'])
  expect(warnings({ sequence_by: { column: 'ts_ms', type: 'integer' } })).toEqual([
    'the sequence "ts_ms" looks like a clock, and several changes may share one value of it; add a column that orders them, as in sequence_by: [ts_ms, id]',
  ])
  expect(warnings({ sequence_by: { column: 'n', type: 'epoch_ms' } })).toHaveLength(1)

  const second = { column: 'n', type: 'integer' }
  expect(warnings({ sequence_by: [{ column: 'ts', type: 'timestamp' }, second] })).toEqual([])
  expect(warnings({ sequence_by: { column: 'lsn', type: 'integer' } })).toEqual([])
  expect(warnings({ sequence_by: { column: 'counts', type: 'integer' } })).toEqual([])
  expect(warnings({ sequence_by: { column: 'ts_ns', type: 'epoch_ns' } })).toEqual([])
})

test('a flow that never deletes and one that leaves its sequence type open are warned of', () => {
  expect(warningsOf(flow({ system_sequence_by: 'seen' }))).toEqual([
    "no apply_as_deletes is given, so rows never stop existing whatever the records say; if they carry an operation, say which deletes: apply_as_deletes: op = 'DELETE'",
    'the type of sequence_by is not declared, so the first accepted record decides it for good; declare it, as in sequence_by: { column: ts, type: timestamp }',
    'the type of system_sequence_by is not declared, so the first accepted record decides it for good; declare it, as in system_sequence_by: { column: ts, type: timestamp }',
  ])
})

test('a description shows every option as a flow file would have it', () => {
  expect(describeFlow(flow({ sequence_by: ['ts', { column: 'n', type: 'bigint' }] }))).toEqual({
    name: 'users',
    target: 'users',
    source: {
      files: ['feed/*.ndjson'],
      format: null,
      header: true,
      delimiter: null,
      quote: '"',
      escape: null,
      epoch: 0,
      max_batch_records: null,
      max_batch_bytes: 67_108_864,
      max_batch_delay: 1000,
      max_record_bytes: 16_777_216,
      max_columns: 1000,
      dump: false,
      unavailable_value: '__debezium_unavailable_value',
      registry: null,
    },
    keys: ['id'],
    sequence_by: ['ts', { column: 'n', type: 'integer' }],
    time_by: null,
    system_sequence_by: null,
    ignore_null_updates: false,
    ignore_null_updates_column_list: null,
    ignore_null_updates_except_column_list: null,
    columns_to_update: null,
    missing_columns: 'null',
    apply_as_deletes: null,
    apply_as_truncates: null,
    select: null,
    where: null,
    columns: {},
    column_list: null,
    except_column_list: null,
    stored_as_scd_type: 1,
    track_history_column_list: null,
    track_history_except_column_list: null,
    reach: 'target',
    once: false,
    on_sequence_tie: 'source_order',
    on_error: 'quarantine',
    max_refused_fraction: 0.5,
    expectations: [],
    retention: null,
    indexes: [],
  })
})

test('a description is itself a flow of a flow file', () => {
  const flows = [
    flow(),
    flow({ source: { events: true, max_batch_delay: '2s' }, retention: '1d' }),
    flow({
      ...HISTORY,
      sequence_by: ['a', { expr: 'b + 1', type: 'number' }, { expr: 'c' }],
      system_sequence_by: { column: 's', type: 'timestamp' },
      apply_as_truncates: false,
      select: { a: 'x' },
      columns: { a: 'decimal' },
      expectations: [{ name: 'e', expect: 'a' }],
    }),
  ]
  expect(flows.map((each) => flow(describeFlow(each)))).toEqual(flows)
})
