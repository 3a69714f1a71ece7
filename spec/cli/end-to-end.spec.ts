import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test as base, expect } from 'vitest'
import { tidemark } from './captured.ts'
import type { Captured } from './captured.ts'
import type { Io } from '../../src/cli/io.ts'

const FLOWS = `
store: { sqlite: users.db }
flows:
  - name: users
    target: users
    source: { files: "feed/*.ndjson" }
    keys: [userId]
    sequence_by: sequenceNum
    apply_as_deletes: operation = 'DELETE'
    except_column_list: [operation, sequenceNum]
    stored_as_scd_type: 2
  - name: current
    target: current
    source: { files: "feed/*.ndjson" }
    keys: [userId]
    sequence_by: sequenceNum
    apply_as_deletes: operation = 'DELETE'
    except_column_list: [operation, sequenceNum]
    stored_as_scd_type: 1
`

const FEED = `\
{"userId":124,"name":"Raul","city":"Oaxaca","operation":"INSERT","sequenceNum":1}
{"userId":123,"name":"Isabel","city":"Monterrey","operation":"INSERT","sequenceNum":1}
{"userId":125,"name":"Mercedes","city":"Tijuana","operation":"INSERT","sequenceNum":2}
{"userId":123,"name":null,"city":null,"operation":"DELETE","sequenceNum":6}
{"userId":125,"name":"Mercedes","city":"Guadalajara","operation":"UPDATE","sequenceNum":6}
{"userId":125,"name":"Mercedes","city":"Mexicali","operation":"UPDATE","sequenceNum":5}
{"userId":123,"name":"Isabel","city":"Chihuahua","operation":"UPDATE","sequenceNum":5}
broken
`

type Shop = {
  readonly folder: string
  /** Runs a command line whose flow file is `flows.yaml` of the folder. */
  readonly tidemark: (line: string, given?: Partial<Io>) => Promise<Captured>
}

const test = base.extend<{ shop: Shop }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest wants a pattern here
  shop: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'tidemark-cli-'))
    const path = join(folder, 'flows.yaml')
    mkdirSync(join(folder, 'feed'))
    writeFileSync(path, FLOWS)
    writeFileSync(join(folder, 'feed', 'a.ndjson'), FEED)
    await use({
      folder,
      tidemark: (line, given) =>
        tidemark(
          line.split(' ').map((word) => (word === 'FLOWS' ? path : word)),
          given,
        ),
    })
    rmSync(folder, { recursive: true })
  },
})

test('run prints a line of figures per flow', async ({ shop }) => {
  const { code, out, err } = await shop.tidemark('run FLOWS')
  expect({ code, err }).toEqual({ code: 0, err: '' })
  const steady = out.replaceAll(/\d+\.\d\d$/gm, ' …').replaceAll(shop.folder, 'shop')
  expect(steady).toBe(`\
flow     read  accepted  ignored  dropped  quarantined  changes  late  ties  batches  seconds
users       8         7        0        0            1        7     2     0        1      …
current     8         7        0        0            1        7     2     0        1      …
users: 1 record set aside; see tidemark quarantine list shop/flows.yaml --flow users
current: 1 record set aside; see tidemark quarantine list shop/flows.yaml --flow current
`)
})

test('run --json prints an object per flow and nothing else', async ({ shop }) => {
  const { code, out, err } = await shop.tidemark('run FLOWS --flow users --json')
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(JSON.parse(out)).toEqual({
    flow: 'users',
    target: 'users',
    read: 8,
    accepted: 7,
    ignored: 0,
    dropped: 0,
    quarantined: 1,
    changes: 7,
    late: 2,
    ties: 0,
    warned: 0,
    batches: 1,
    seconds: expect.any(Number),
    system_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    done: false,
    violations: {},
    warnings: [],
  })
})

test('a second run finds nothing, a third what was appended', async ({ shop }) => {
  await shop.tidemark('run FLOWS')
  const again = await shop.tidemark('run FLOWS --flow users --json')
  expect(JSON.parse(again.out)).toMatchObject({ read: 0, changes: 0, batches: 0 })
  appendFileSync(
    join(shop.folder, 'feed', 'a.ndjson'),
    FEED.split('\n').slice(0, 1).join('\n') + '\n',
  )
  const more = await shop.tidemark('run FLOWS --flow users --json')
  expect(JSON.parse(more.out)).toMatchObject({ read: 1, changes: 1, batches: 1 })
})

test('show prints rows in each form', async ({ shop }) => {
  await shop.tidemark('run FLOWS')
  expect(await shop.tidemark('show FLOWS current')).toEqual({
    code: 0,
    err: '',
    out: `\
┌────────┬──────────┬─────────────┐
│ userId │ name     │ city        │
├────────┼──────────┼─────────────┤
│    124 │ Raul     │ Oaxaca      │
│    125 │ Mercedes │ Guadalajara │
└────────┴──────────┴─────────────┘
`,
  })
  expect(await shop.tidemark('show FLOWS users --format ndjson --key userId=123')).toEqual({
    code: 0,
    err: '',
    out:
      '{"userId":123,"name":"Isabel","city":"Monterrey","__START_AT":1,"__END_AT":5}\n' +
      '{"userId":123,"name":"Isabel","city":"Chihuahua","__START_AT":5,"__END_AT":6}\n',
  })
  expect(await shop.tidemark('show FLOWS users --format csv --as-of 2')).toEqual({
    code: 0,
    err: '',
    out:
      'userId,name,city,__START_AT,__END_AT\r\n' +
      '123,Isabel,Monterrey,1,5\r\n' +
      '124,Raul,Oaxaca,1,\r\n' +
      '125,Mercedes,Tijuana,2,5\r\n',
  })
  expect(await shop.tidemark('show FLOWS users --format json --limit 1')).toEqual({
    code: 0,
    err: '',
    out: '[\n{"userId":123,"name":"Isabel","city":"Monterrey","__START_AT":1,"__END_AT":5}\n]\n',
  })
})

test('history draws the life of a key', async ({ shop }) => {
  await shop.tidemark('run FLOWS')
  expect(await shop.tidemark('history FLOWS users --key userId=123')).toEqual({
    code: 0,
    err: '',
    out: `\
users · SCD type 2 · userId = 123

sequence  1   5   6
event     ●   ●   ✕
       1  ├───┤
       2      ├───┤

● upsert  ✕ delete

1  [1, 5)
     name  Isabel     feed/a.ndjson:2
     city  Monterrey  feed/a.ndjson:2
2  [5, 6)
     name  Isabel     feed/a.ndjson:7
   ▸ city  Chihuahua  feed/a.ndjson:7

sequence  event     wrote        from             commit
1         ● upsert  all columns  feed/a.ndjson:2       1
5         ● upsert  all columns  feed/a.ndjson:7       1
6         ✕ delete  –            feed/a.ndjson:4       1
`,
  })
  const { code, out } = await shop.tidemark('history FLOWS users --key userId=123 --json')
  expect(code).toBe(0)
  expect(JSON.parse(out)).toMatchObject({ target: 'users', kind: 2, key: { userId: 123 } })
})

test('the quarantine lists what was set aside, and shows its bytes', async ({ shop }) => {
  await shop.tidemark('run FLOWS --flow users')
  const list = await shop.tidemark('quarantine list FLOWS')
  expect(list).toMatchObject({ code: 0, err: '' })
  expect(list.out).toMatch(/^1 {2}users {2}feed\/a\.ndjson:8 {2}UNDECODABLE {2}.+\n$/)
  const shown = await shop.tidemark('quarantine show FLOWS 1 --json')
  expect(JSON.parse(shown.out)).toMatchObject({ id: 1, code: 'UNDECODABLE', text: 'broken' })
  expect(await shop.tidemark('quarantine show FLOWS 2')).toEqual({
    code: 2,
    out: '',
    err: 'tidemark: NOT_FOUND: the quarantine has no record "2"; see tidemark quarantine list\n',
  })
})

test('status, validate and doctor answer for every flow', async ({ shop }) => {
  await shop.tidemark('run FLOWS')
  const status = await shop.tidemark('status FLOWS')
  expect(status).toMatchObject({ code: 0, err: '' })
  expect(status.out).toContain('8 read = 7 accepted + 0 ignored + 0 dropped + 1 quarantined\n')
  const statuses = (await shop.tidemark('status FLOWS --json')).out.trimEnd().split('\n')
  expect(statuses.map((line): unknown => JSON.parse(line))).toMatchObject([
    { flow: 'users', last_fault: '' },
    { flow: 'current', last_fault: '' },
  ])

  const plan = await shop.tidemark('validate FLOWS')
  expect(plan).toMatchObject({ code: 0, err: '' })
  expect(plan.out).toContain('users:\n  target: users\n')

  expect(await shop.tidemark('doctor FLOWS')).toEqual({ code: 0, out: 'all is well\n', err: '' })
  expect(await shop.tidemark('doctor FLOWS --json')).toEqual({ code: 0, out: '', err: '' })
})

test('an unknown flow, target or key is answered with the nearest', async ({ shop }) => {
  await shop.tidemark('run FLOWS')
  expect(await shop.tidemark('run FLOWS --flow usres')).toEqual({
    code: 2,
    out: '',
    err: 'tidemark: NOT_FOUND: the flow file has no flow "usres"; did you mean users?\n',
  })
  expect(await shop.tidemark('show FLOWS curent')).toEqual({
    code: 2,
    out: '',
    err: 'tidemark: NOT_FOUND: the flow file has no target "curent"; did you mean current?\n',
  })
  expect(await shop.tidemark('history FLOWS users --key userid=1')).toEqual({
    code: 2,
    out: '',
    err: 'tidemark: USAGE: "userid" is no key of the target; did you mean userId?\n',
  })
  expect(await shop.tidemark('history FLOWS users')).toEqual({
    code: 2,
    out: '',
    err: 'tidemark: USAGE: the key is not whole: add --key userId=…\n',
  })
})

test('a continuous run stops at a signal with its summary', async ({ shop }) => {
  const before = process.listenerCount('SIGINT')
  const running = shop.tidemark('run FLOWS --flow users --continuous --json')
  while (process.listenerCount('SIGINT') === before) await new Promise(setImmediate)
  process.emit('SIGINT')
  const { code, out } = await running
  expect({ code, flow: (JSON.parse(out) as { flow: string }).flow }).toEqual({
    code: 0,
    flow: 'users',
  })
  expect(process.listenerCount('SIGINT')).toBe(before)
  expect(process.listenerCount('SIGTERM')).toBe(before)
})
