import { expect, test } from 'vitest'
import { ScriptedBroker } from '../kafka/scripted-broker.ts'
import { NAMES } from './hostile.ts'
import { Workspace } from './workspace.ts'

const RECORD = '{"id":1,"s":1,"a":"x"}\n'

/** A view of the name can be made, and read by whoever quotes it. */
const GOOD_TARGETS = NAMES.filter((name) => name !== '' && !/^__tidemark_|\u0000/i.test(name))

test.each(GOOD_TARGETS.map((name) => [shortened(name), name]))(
  'a target may be called %s',
  async (_, target) => {
    using place = new Workspace()
    place.write('feed.ndjson', RECORD)
    place.flows([{ target, name: 'flow', source: { files: 'feed.ndjson' }, stored_as_scd_type: 1 }])
    expect(await place.run()).toMatchObject([{ target, accepted: 1 }])
    expect(place.query(`SELECT a FROM "${target.replaceAll('"', '""')}"`)).toEqual([{ a: 'x' }])
    expect(place.visible()).toEqual([target, 'ok'])
    expect(await place.tidemark('show', target, '--format', 'ndjson')).toMatchObject({
      code: 0,
      out: '{"id":1,"s":1,"a":"x"}\n',
    })
    expect(await place.tidemark('doctor')).toMatchObject({ code: 0 })
  },
)

test.each([
  [''],
  ['__tidemark_x'],
  ['__TIDEMARK_targets'],
  ['sqlite_x'],
  ['SQLite_master'],
  ['nul\u0000inside'],
])('a target may not be called %j, and the flow file is told so', async (target) => {
  using place = new Workspace()
  place.write('feed.ndjson', RECORD)
  place.flows([{ target, name: 'flow', source: { files: 'feed.ndjson' }, stored_as_scd_type: 1 }])
  const { code, err } = await place.tidemark('run')
  expect({ code, err }).toEqual({
    code: 2,
    err: expect.stringMatching(/^tidemark: SPEC_INVALID: /) as string,
  })
})

test('two targets whose names differ in case alone are told apart or refused, and nothing breaks', async () => {
  using place = new Workspace()
  place.write('feed.ndjson', RECORD)
  const source = { files: 'feed.ndjson' }
  place.flows([
    { target: 'Users', source, stored_as_scd_type: 1 },
    { target: 'users', source, stored_as_scd_type: 2 },
  ])
  const { code, err } = await place.tidemark('run')
  expect({ code, err }).toEqual({
    code: 2,
    err: expect.stringMatching(/^tidemark: (SPEC_INVALID|TARGET_OCCUPIED): /) as string,
  })
})

test.each([
  ['__proto__'],
  ['constructor'],
  ['a"; DROP TABLE t; --'],
  ['🦑'],
  ['x'.repeat(2000)],
  [' '],
])('a flow may be called %j', async (name) => {
  using place = new Workspace()
  place.write('feed.ndjson', `${RECORD}broken\n`)
  place.flows([{ name, target: 't', source: { files: 'feed.ndjson' }, stored_as_scd_type: 2 }])
  expect(await place.run()).toMatchObject([{ flow: name, accepted: 1, quarantined: 1 }])
  expect(await place.tidemark('quarantine list', '--flow', name)).toMatchObject({ code: 0 })
  expect(await place.tidemark('status', '--json')).toMatchObject({ code: 0 })
  expect(await place.tidemark('doctor')).toMatchObject({ code: 0 })
})

test.each([['__proto__'], ['constructor']])('an expectation may be called %j', async (name) => {
  using place = new Workspace()
  place.write('feed.ndjson', `${RECORD}${RECORD}`)
  const expectations = [{ name, expect: "a = 'y'" }]
  place.flows([{ target: 't', source: { files: 'feed.ndjson' }, expectations }])
  const { code, out } = await place.tidemark('run', '--json')
  expect({ code, out }).toEqual({
    code: 0,
    out: expect.stringContaining(`"violations":{"${name}":2}`) as string,
  })
})

test.each([['__proto__'], ['constructor']])(
  'a topic may be called %j, and be started at an offset',
  async (topic) => {
    await using broker = await ScriptedBroker.start(
      Object.fromEntries([[topic, { partitions: [{ high: 10n }] }]]),
    )
    using place = new Workspace()
    const start = { offsets: Object.fromEntries([[`${topic}:0`, 8]]) }
    const kafka = { brokers: broker.address, topics: topic, start }
    const source = { kafka, format: 'json' }
    place.flows([{ target: 't', source, keys: ['n'], sequence_by: '_offset' }])
    expect(await place.run()).toMatchObject([{ read: 2 }])
  },
)

const COLUMNS = NAMES.filter((name) => !/\u0000|^(id|s)$|^__(start|end|system)_/i.test(name))

test.each(COLUMNS.filter((name) => name !== '').map((name) => [shortened(name), name]))(
  'a column may be called %s, by records and by every option of a flow',
  async (_, column) => {
    using place = new Workspace()
    const record = (id: number, value: string) =>
      JSON.stringify(Object.fromEntries(pairs(id, value)))
    const pairs = (id: number, value: string) => [
      ['id', id],
      ['s', id],
      [column, value],
    ]
    // `__proto__` has to be spelled, an object literal would take it for something else.
    const text = (id: number, value: string) =>
      column === '__proto__' ? `{"id":${id},"s":${id},"__proto__":"${value}"}` : record(id, value)
    place.write('feed.ndjson', `${text(1, 'x')}\n${text(1, 'y')}\n`)
    const source = { files: 'feed.ndjson' }
    place.flows([
      { target: 'one', source, stored_as_scd_type: 1, ignore_null_updates_column_list: [column] },
      { target: 'two', source, stored_as_scd_type: 2, track_history_column_list: [column] },
      { target: 'three', source, stored_as_scd_type: 'bitemporal', column_list: [column] },
    ])
    expect((await place.run()).map(({ accepted }) => accepted)).toEqual([2, 2, 2])
    for (const target of ['one', 'two', 'three']) {
      const { code, out } = await place.tidemark('show', target, '--format', 'ndjson')
      expect(code).toBe(0)
      expect(out).toContain(`${JSON.stringify(column)}:"y"`)
    }
    expect(await place.tidemark('history', 'two', '--key', 'id=1')).toMatchObject({ code: 0 })
    expect(await place.tidemark('doctor')).toMatchObject({ code: 0 })
  },
)

test.each(COLUMNS.filter((name) => name !== '').map((name) => [shortened(name), name]))(
  'a key may be called %s',
  async (_, key) => {
    using place = new Workspace()
    place.write('feed.ndjson', `{${JSON.stringify(key)}:1,"s":1}\n`)
    place.flows([
      { target: 't', keys: [key], source: { files: 'feed.ndjson' }, stored_as_scd_type: 2 },
    ])
    expect(await place.run()).toMatchObject([{ accepted: 1 }])
    expect(await place.tidemark('show', 't', '--format', 'ndjson')).toMatchObject({ code: 0 })
    expect(await place.tidemark('doctor')).toMatchObject({ code: 0 })
  },
)

test('more columns than SQLite can hold are refused, whatever the flow allows', async () => {
  using place = new Workspace()
  const wide = (id: number, from: number) => {
    const columns = Array.from({ length: 1500 }, (_, i) => `"c ${from + i}":${i}`)
    return `{"id":${id},"s":${id},${columns.join()}}\n`
  }
  place.write('feed.ndjson', `${wide(2, 0)}${wide(3, 1500)}${wide(4, 3000)}${RECORD}`)
  const source = { files: 'feed.ndjson', max_columns: 100_000 }
  place.flows([{ target: 'one', source, stored_as_scd_type: 1 }])
  expect(await place.run()).toMatchObject([{ read: 4, accepted: 2, quarantined: 2 }])
  expect(await place.tidemark('doctor')).toMatchObject({ code: 0 })
})

test('a column may have no name', async () => {
  using place = new Workspace()
  place.write('feed.ndjson', '{"id":1,"s":1,"":"x"}\n')
  place.flows([{ target: 't', source: { files: 'feed.ndjson' }, stored_as_scd_type: 2 }])
  expect(await place.run()).toMatchObject([{ accepted: 1 }])
  expect(place.query('SELECT "" FROM t')).toEqual([{ '': 'x' }])
})

test('a CSV file may have hostile names in its header', async () => {
  const folded = (name: string) => name.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  const names = COLUMNS.filter(
    (name, i) => name !== '' && COLUMNS.findIndex((other) => folded(other) === folded(name)) === i,
  )
  const header = ['id', 's', ...names].map((name) => `"${name.replaceAll('"', '""')}"`)
  using place = new Workspace()
  place.write('feed.csv', `${header.join()}\n1,1,${names.map((_, i) => i).join()}\n`)
  place.flows([
    {
      target: 't',
      source: { files: 'feed.csv' },
      columns: { s: 'integer' },
      stored_as_scd_type: 1,
    },
  ])
  expect(await place.run()).toMatchObject([{ accepted: 1 }])
  expect(await place.tidemark('doctor')).toMatchObject({ code: 0 })
})

/** For the name of a test. */
function shortened(name: string): string {
  return JSON.stringify(name.length > 40 ? `${name.slice(0, 4)}… (${name.length} units)` : name)
}
