import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { data } from '../kafka/scripted-log.ts'
import { ScriptedBroker } from '../kafka/scripted-broker.ts'
import { Folder } from '../sources/files/folder.ts'
import { tidemark } from './captured.ts'
import { Child } from './child.ts'

test('the name of a flow that became one for each topic means all of them', async () => {
  await using broker = await ScriptedBroker.start({
    'srv.users': { partitions: [{ log: [data(0, { key: '{"id":1}', value: '{"id":1}' })] }] },
    'srv.orders': { partitions: [{ log: [data(0, { key: null, value: '{"id":null}' })] }] },
  })
  await using folder = await Folder.of({ 'flows.json': flowsOver(broker.address) })
  const flows = join(folder.path, 'flows.json')

  const run = await tidemark(['run', flows, '--flow', 'crm', '--json'])
  expect([run.code, lines(run.out).map(({ flow }) => flow)]).toEqual([
    0,
    ['crm/srv.users', 'crm/srv.orders'],
  ])
  const aside = await tidemark(['quarantine', 'list', flows, '--flow', 'crm', '--json'])
  expect(lines(aside.out).map(({ flow, place }) => [flow, place])).toEqual([
    ['crm/srv.orders', 'srv.orders:0'],
  ])
  const one = await tidemark(['quarantine', 'list', flows, '--flow', 'crm/srv.users', '--json'])
  expect(one).toEqual({ code: 0, out: '', err: '' })
})

test('a name that is nearly that of all is answered with it', async () => {
  await using folder = await Folder.of({ 'flows.json': flowsOver('localhost:1') })
  const { code, err } = await tidemark(['run', join(folder.path, 'flows.json'), '--flow', 'cmr'])
  expect([code, err]).toEqual([
    2,
    'tidemark: NOT_FOUND: the flow file has no flow "cmr"; did you mean crm?\n',
  ])
})

test('capture says which flows there are where the name means several, and takes one', async () => {
  await using broker = await ScriptedBroker.start({
    'srv.users': { partitions: [{ log: [data(0, { key: '1', value: '{"id":1}' })] }] },
  })
  await using folder = await Folder.of({ 'flows.json': flowsOver(broker.address) })
  const [flows, dump] = [join(folder.path, 'flows.json'), join(folder.path, 'dump.ndjson')]
  expect(await tidemark(['capture', flows, '--flow', 'crm', '-o', dump])).toEqual({
    code: 2,
    out: '',
    err: 'tidemark: USAGE: there are several flows; say with --flow which one: crm/srv.users, crm/srv.orders\n',
  })
  await tidemark(['run', flows, '--flow', 'crm/srv.users'])
  expect((await tidemark(['capture', flows, '--flow', 'crm/srv.users', '-o', dump])).code).toBe(0)
  expect(readFileSync(dump, 'utf8')).toContain('"topic":"srv.users"')
})

test.each(['run', 'validate'])('%s names the flow whose topic does not exist', async (verb) => {
  await using broker = await ScriptedBroker.start({
    'srv.users': { partitions: [{ log: [] }] },
  })
  await using folder = await Folder.of({ 'flows.json': flowsOver(broker.address) })
  const { code, err } = await tidemark([verb, join(folder.path, 'flows.json')])
  expect([code, err]).toEqual([
    2,
    'tidemark: NOT_FOUND: flow "crm/srv.orders": the topic srv.orders does not exist\n',
  ])
})

test('topics that a pattern finds when it runs become flows, and what only reads the store needs no broker', async () => {
  const broker = await ScriptedBroker.start({
    'srv.users': { partitions: [{ log: [data(0, { key: '{"id":1}', value: '{"id":1}' })] }] },
    'srv.orders': { partitions: [{ log: [data(0, { key: null, value: '{"id":null}' })] }] },
    other: { partitions: [{}] },
  })
  await using folder = await Folder.of({ 'flows.json': flowsOver(broker.address, PATTERN) })
  const flows = join(folder.path, 'flows.json')
  const run = await tidemark(['run', flows, '--json'])
  expect([run.code, lines(run.out).map(({ flow }) => flow)]).toEqual([
    0,
    ['crm/srv.orders', 'crm/srv.users'],
  ])
  await broker[Symbol.asyncDispose]()

  expect((await tidemark(['show', flows, 'crm_users', '--format', 'ndjson'])).out).toBe(
    '{"id":1}\n',
  )
  const life = await tidemark(['history', flows, 'crm_users', '--key', 'id=1', '--json'])
  expect(life.code).toBe(0)
  const aside = await tidemark(['quarantine', 'list', flows, '--flow', 'crm', '--json'])
  expect(lines(aside.out).map(({ flow }) => flow)).toEqual(['crm/srv.orders'])
  expect(await tidemark(['doctor', flows])).toMatchObject({ code: 0 })
  const status = await tidemark(['status', flows, '--json'])
  expect(lines(status.out).map(({ flow, target }) => [flow, target])).toEqual([
    ['crm/srv.orders', 'crm_orders'],
    ['crm/srv.users', 'crm_users'],
  ])
})

test('validate asks no broker for what a pattern finds, and says when that is found', async () => {
  await using folder = await Folder.of({ 'flows.json': flowsOver('localhost:1', PATTERN) })
  const { code, out } = await tidemark(['validate', join(folder.path, 'flows.json')])
  expect(code).toBe(0)
  expect(out).toContain('topics: "found when it runs, each a flow of its own"')
})

test('one of the topics that a pattern finds can be run alone, and one that it does not find is no flow', async () => {
  await using broker = await ScriptedBroker.start({
    'srv.users': { partitions: [{ high: 1n }] },
    'srv.orders': { partitions: [{ high: 1n }] },
  })
  await using folder = await Folder.of({ 'flows.json': flowsOver(broker.address, PATTERN) })
  const flows = join(folder.path, 'flows.json')
  const one = await tidemark(['run', flows, '--flow', 'crm/srv.users', '--json'])
  expect([one.code, lines(one.out).map(({ flow }) => flow)]).toEqual([0, ['crm/srv.users']])
  expect(await tidemark(['run', flows, '--flow', 'crm/srv.user'])).toEqual({
    code: 2,
    out: expect.any(String),
    err: 'tidemark: NOT_FOUND: there is no flow "crm/srv.user"; did you mean "crm/srv.users"?\n',
  })
})

test('what came to be between runs is read from its oldest record, wherever the start is', async () => {
  await using broker = await ScriptedBroker.start({ 'srv.users': { partitions: [{ high: 3n }] } })
  const cluster = { ...PATTERN, start: 'latest' }
  await using folder = await Folder.of({ 'flows.json': flowsOver(broker.address, cluster) })
  const flows = join(folder.path, 'flows.json')
  const read = async () =>
    lines((await tidemark(['run', flows, '--json'])).out).map(({ flow, read: n }) => [flow, n])
  expect(await read()).toEqual([['crm/srv.users', 0]])
  broker.script.recreate('srv.orders', { partitions: [{ high: 2n }] })
  expect(await read()).toEqual([
    ['crm/srv.orders', 2],
    ['crm/srv.users', 0],
  ])
})

test('a run over many topics that have nothing new asks once for all of them', async () => {
  const names = ['srv.a', 'srv.b', 'srv.c', 'srv.d']
  await using broker = await ScriptedBroker.start(
    Object.fromEntries(names.map((name) => [name, { partitions: [{ high: 2n }] }])),
  )
  await using folder = await Folder.of({ 'flows.json': flowsOver(broker.address, PATTERN) })
  const flows = join(folder.path, 'flows.json')
  await tidemark(['run', flows])
  const before = broker.requests.length
  expect((await tidemark(['run', flows])).code).toBe(0)
  const asked = broker.requests.slice(before).map(({ api }) => api)
  const countOf = (name: string): number => asked.filter((api) => api === name).length
  expect([countOf('Metadata'), countOf('ListOffsets'), countOf('Fetch')]).toEqual([2, 3, 0])
})

test('a continuous run makes a flow of a topic that a pattern comes to find', async () => {
  await using broker = await ScriptedBroker.start({ 'srv.users': { partitions: [{ high: 1n }] } })
  const cluster = { ...PATTERN, metadata_max_age: '50ms' }
  await using folder = await Folder.of({ 'flows.json': flowsOver(broker.address, cluster) })
  const env = { TIDEMARK_LOG_LEVEL: 'debug' }
  const words = ['run', join(folder.path, 'flows.json'), '--continuous', '--json']
  await using child = new Child(words, env)
  await child.line('batch_committed crm/srv.users')
  broker.script.recreate('srv.orders', { partitions: [{ high: 1n }] })
  await child.line('batch_committed crm/srv.orders')
  child.send('SIGTERM')
  expect(await child.left).toEqual({ code: 0, signal: null })
  expect(lines(child.out).map(({ flow, read }) => [flow, read])).toEqual([
    ['crm/srv.users', 1],
    ['crm/srv.orders', 1],
  ])
})

test('a continuous run stops at a topic that would write into the target of another flow', async () => {
  await using broker = await ScriptedBroker.start({ 'srv.users': { partitions: [{ high: 1n }] } })
  const cluster = { ...PATTERN, metadata_max_age: '50ms' }
  const text = flowsOver(broker.address, cluster).replace('"name":"crm",', '')
  await using folder = await Folder.of({ 'flows.json': text })
  const env = { TIDEMARK_LOG_LEVEL: 'debug' }
  await using child = new Child(['run', join(folder.path, 'flows.json'), '--continuous'], env)
  await child.line('batch_committed crm_users')
  broker.script.recreate('srv.inv.users', { partitions: [{ high: 1n }] })
  expect(await child.left).toEqual({ code: 2, signal: null })
  expect(child.err).toContain('is what several of its topics come to; give the flow a name')
})

const LIST = { topics: ['srv.users', 'srv.orders'] }
const PATTERN = { topic_pattern: '^srv' }

function flowsOver(brokers: string, topics: object = LIST): string {
  const kafka = { brokers, ...topics }
  const flow = {
    name: 'crm',
    target: 'crm_{table}',
    keys: 'id',
    sequence_by: '_offset',
    max_refused_fraction: null,
    source: { kafka, format: 'json' },
  }
  return JSON.stringify({ store: { sqlite: 'store.db' }, flows: [flow] })
}

function lines(text: string): readonly Readonly<Record<string, unknown>>[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const object: Record<string, unknown> = JSON.parse(line)
      return object
    })
}
