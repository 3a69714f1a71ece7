import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { data } from '../kafka/scripted-log.ts'
import { ScriptedBroker } from '../kafka/scripted-broker.ts'
import { Folder } from '../sources/files/folder.ts'
import { tidemark } from './captured.ts'

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

function flowsOver(brokers: string): string {
  const kafka = { brokers, topics: ['srv.users', 'srv.orders'] }
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
