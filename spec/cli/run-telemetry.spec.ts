import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test as base } from 'vitest'
import { build, runToEnd } from '../crash/command.ts'
import { Child } from './child.ts'

const FLOWS = `
store: { sqlite: shop.db }
flows:
  - target: customers
    source: { files: "customers/*.ndjson", max_batch_delay: 0 }
    keys: id
    sequence_by: s
    where: kind <> 'noise' and kind <> '\${SECRET}'
    expectations: [{ name: small, expect: id < 100, on_violation: drop }]
    except_column_list: [kind, s, nowhere]
  - target: orders
    source: { files: "orders/*.ndjson", max_batch_delay: 0 }
    keys: id
    sequence_by: s
`

const CUSTOMERS = `\
{"id":1,"s":2,"kind":"a"}
{"id":1,"s":1,"kind":"a"}
{"id":1,"s":1,"kind":"noise"}
{"id":null,"s":1,"kind":"a"}
{"id":100,"s":1,"kind":"a"}
{"id":2,"s":1,"kind":"hunter2"}
broken
`
const ORDERS = '{"id":1,"s":1}\n{"id":2,"s":2}\n'
const ENV = { SECRET: 'hunter2' }
const WARNING = 'flow "customers" names the column "nowhere", which no record of this run had'

type Shop = { readonly folder: string; readonly flows: string }

const test = base.extend<{ shop: Shop }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest wants a pattern here
  shop: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'tidemark-telemetry-'))
    const flows = join(folder, 'flows.yaml')
    writeFileSync(flows, FLOWS)
    for (const [name, feed] of [
      ['customers', CUSTOMERS],
      ['orders', ORDERS],
    ] as const) {
      mkdirSync(join(folder, name))
      writeFileSync(join(folder, name, 'a.ndjson'), feed)
    }
    await use({ folder, flows })
    rmSync(folder, { recursive: true })
  },
})

beforeAll(build, 120_000)

test('figures are those of the summary, and hold no secret and no value of a record', async ({
  shop,
}) => {
  await using child = await started(shop, ['--continuous', '--json', '--log-format', 'json'])
  await child.line('"event":"batch_committed","flow":"customers"')
  await child.line('"event":"batch_committed","flow":"orders"')
  const url = await urlOf(child)
  const metrics = await get(`${url}/metrics`)
  const ready = await get(`${url}/readyz`)
  const health = await get(`${url}/healthz`)
  child.send('SIGTERM')
  expect(await child.left).toEqual({ code: 0, signal: null })

  const summaries = child.out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
  expect(summaries.map(({ flow }) => flow)).toEqual(['customers', 'orders'])
  for (const summary of summaries) {
    expect(figuresOf(metrics.body, String(summary['flow']))).toEqual({
      read: summary['read'],
      accepted: summary['accepted'],
      ignored: summary['ignored'],
      dropped: summary['dropped'],
      quarantined: summary['quarantined'],
      changes: summary['changes'],
      late: summary['late'],
      ties: summary['ties'],
      batches: summary['batches'],
    })
  }
  expect(summaries[0]).toMatchObject({ read: 7, accepted: 2, ignored: 2, dropped: 1, late: 1 })
  expect(metrics.body).toContain(
    '\ntidemark_records_quarantined_total{flow="customers",code="NULL_KEY"} 1\n',
  )
  expect(metrics.body).toMatch(/^process_resident_memory_bytes [1-9]\d{6,}$/m)
  expect(health).toEqual({ status: 200, body: 'ok\n' })
  expect(ready).toEqual({
    status: 200,
    body: `${JSON.stringify({
      ready: true,
      flows: [
        { flow: 'customers', state: 'connected' },
        { flow: 'orders', state: 'connected' },
      ],
    })}\n`,
  })
  for (const told of [child.err, metrics.body, ready.body]) {
    expect(told).not.toContain('hunter2')
    expect(told).not.toContain('broken')
  }
})

test('a log in JSON has every event of a run in order', async ({ shop }) => {
  await using child = new Child(['run', shop.flows, '--log-format', 'json'], ENV)
  expect(await child.left).toEqual({ code: 0, signal: null })
  const events = child
    .errLines()
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
  expect(
    events.map(({ level, event, flow = '' }) => [level, event, flow].join(' ').trim()),
  ).toEqual([
    'info run_started',
    'info flow_started customers',
    'warn warning customers',
    'info flow_ended customers',
    'info flow_started orders',
    'info flow_ended orders',
    'info run_ended',
  ])
  expect(events[2]).toEqual({
    level: 'warn',
    time: expect.stringMatching(/Z$/),
    event: 'warning',
    flow: 'customers',
    message: WARNING,
  })
})

test('a log in JSON ends with the fault, and nothing on stderr is anything else', async ({
  shop,
}) => {
  const flows = FLOWS.replace('    keys: id\n', '    on_error: fail\n    keys: id\n')
  writeFileSync(shop.flows, flows)
  await using child = new Child(['run', shop.flows, '--log-format', 'json'], ENV)
  expect(await child.left).toEqual({ code: 3, signal: null })
  const fault = {
    level: 'error',
    time: expect.stringMatching(/Z$/),
    code: 'NULL_KEY',
    message: 'the key column "id" is null or missing (flow "customers", customers/a.ndjson:4)',
  }
  const events = child.errLines().map((line): unknown => JSON.parse(line))
  expect(events.at(-1)).toEqual({ ...fault, event: 'run_failed', seconds: expect.any(Number) })
  expect(events).toContainEqual({ ...fault, event: 'flow_failed', flow: 'customers' })
})

test('a continuous run logs as text, and stops at a signal with its summary', async ({ shop }) => {
  await using child = await started(shop, ['--continuous'])
  await child.line('batch_committed customers')
  await child.line('batch_committed orders')
  child.send('SIGINT')
  expect(await child.left).toEqual({ code: 0, signal: null })
  const lines = child.errLines().map((line) => line.split(' ').slice(1).join(' '))
  expect(
    lines.map((line) => line.replace(/ read=.*| seconds=.*| port=\d+/, ' …')).toSorted(),
  ).toEqual(
    [
      'info  metrics_listening host=127.0.0.1 …',
      'info  run_started mode=continuous flows=customers,orders',
      'info  flow_started customers target=customers source=files',
      'info  flow_started orders target=orders source=files',
      'debug batch_committed customers …',
      'debug batch_committed orders …',
      'info  stopping signal=SIGINT',
      `warn  warning customers message=${JSON.stringify(WARNING)}`,
      'info  flow_ended customers …',
      'info  flow_ended orders …',
      'info  run_ended …',
    ].toSorted(),
  )
  expect(lines.at(-1)).toMatch(/^info {2}run_ended seconds=/)
  expect(child.out.split('\n')[1]).toMatch(/^customers +7 +2 +2 +1 +2 /)
})

test('a fault of a continuous run is told in its log and as the last line', async ({ shop }) => {
  await using child = await started(shop, ['--continuous'])
  await child.line('batch_committed orders')
  const url = await urlOf(child)
  writeFileSync(join(shop.folder, 'orders', 'a.ndjson'), '{"id":7,"s":9}\n{"id":2,"s":9}\n{"id":3}')
  expect(await child.left).toEqual({ code: 3, signal: null })
  const lines = child.errLines()
  expect(lines.filter((line) => line.includes('flow_failed orders code=FILE_CHANGED')).length).toBe(
    1,
  )
  expect(lines.at(-1)).toMatch(/^tidemark: FILE_CHANGED: /)
  await expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed')
})

test('a run that ends by itself is as quiet as ever', async ({ shop }) => {
  const { code, err } = await runToEnd(['run', shop.flows], ['env', 'SECRET=hunter2'])
  expect({ code, err }).toEqual({ code: 0, err: `tidemark: warning: customers: ${WARNING}\n` })
})

test('a run waits for no address that is taken, and reads nothing', async ({ shop }) => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bound = server.address()
  const port = typeof bound === 'object' ? bound?.port : null
  try {
    await using child = new Child(['run', shop.flows, '--metrics', `:${port}`], ENV)
    expect(await child.left).toEqual({ code: 4, signal: null })
    expect({ out: child.out, err: child.err }).toEqual({
      out: '',
      err: `tidemark: ADDRESS_IN_USE: another process listens on 127.0.0.1:${port}\n`,
    })
  } finally {
    server.close()
  }
})

test('an address or a level that is none is a mistake in the command', async ({ shop }) => {
  await using address = new Child(['run', shop.flows, '--metrics', 'localhost'], ENV)
  await using level = new Child(['run', shop.flows], { ...ENV, TIDEMARK_LOG_LEVEL: 'loud' })
  expect(await address.left).toEqual({ code: 2, signal: null })
  expect(await level.left).toEqual({ code: 2, signal: null })
  expect(address.err).toMatch(/^tidemark: USAGE: "localhost" is no address to listen on; /)
  expect(level.err).toMatch(/^tidemark: USAGE: TIDEMARK_LOG_LEVEL is "loud", /)
})

test('the first signal asks to stop, the second ends the process', async () => {
  const program = fileURLToPath(new URL('stubborn.mjs', import.meta.url))
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    await using child = new Child([], {}, program)
    await child.line('ready')
    child.send(signal)
    expect(await child.line('asked')).toBe(`asked to stop by ${signal}, aborted true`)
    child.send(signal)
    expect(await child.left).toEqual({ code: null, signal })
  }
})

test('what is not asked for is not loaded', async ({ shop }) => {
  const program = fileURLToPath(new URL('loaded.mjs', import.meta.url))
  const loaded = async (...words: readonly string[]) => {
    await using child = new Child(words, ENV, program)
    await child.left
    return child.errLines().at(-1)
  }
  expect(await loaded('--help')).toBe('loaded: nothing')
  expect(await loaded('validate', shop.flows)).toBe('loaded: nothing')
  expect(await loaded('run', shop.flows)).toBe('loaded: nothing')
  expect(await loaded('run', shop.flows, '--log-format', 'text')).toBe('loaded: nothing')
  expect(await loaded('run', shop.flows, '--log-format', 'json')).toBe('loaded: pino')
  expect(await loaded('run', shop.flows, '--metrics', '0')).toBe('loaded: prom-client')
})

/** A run that logs everything and has an endpoint on a free port. */
async function started({ flows }: Shop, words: readonly string[]): Promise<Child> {
  const env = { ...ENV, TIDEMARK_LOG_LEVEL: 'debug' }
  const child = new Child(['run', flows, ...words, '--metrics', '127.0.0.1:0'], env)
  await child.line('metrics_listening')
  return child
}

async function urlOf(child: Child): Promise<string> {
  const port = /port(?:=|":)(\d+)/.exec(await child.line('metrics_listening'))?.[1]
  return `http://127.0.0.1:${port}`
}

async function get(url: string) {
  const response = await fetch(url)
  return { status: response.status, body: await response.text() }
}

/** The counters of a flow, those with a further label summed up. */
function figuresOf(body: string, flow: string): Readonly<Record<string, number>> {
  const names = {
    read: 'records_read',
    accepted: 'records_accepted',
    ignored: 'records_ignored',
    dropped: 'records_dropped',
    quarantined: 'records_quarantined',
    changes: 'changes',
    late: 'late_changes',
    ties: 'sequence_ties',
    batches: 'batches',
  }
  const entries = Object.entries(names).map(([figure, name]) => {
    const form = new RegExp(`^tidemark_${name}_total\\{flow="${flow}"[^}]*\\} (\\d+)$`, 'gm')
    return [figure, [...body.matchAll(form)].reduce((sum, [, value]) => sum + Number(value), 0)]
  })
  return Object.fromEntries(entries) as Readonly<Record<string, number>>
}
