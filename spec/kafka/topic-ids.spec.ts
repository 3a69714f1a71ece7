import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { ScriptedBroker, WITHOUT_TOPIC_IDS } from './scripted-broker.ts'
import { data } from './scripted-log.ts'
import { encoded } from './scripted-topics.ts'
import { WireReader, WireWriter } from './wire-bytes.ts'
import type { Form } from './wire-bytes.ts'

type Ask = { readonly api: number; readonly version: number; readonly form: Form }

/** Sends one request and gives the body of its answer. */
async function ask(
  broker: ScriptedBroker,
  { api, version, form }: Ask,
  write: (body: WireWriter) => void,
): Promise<WireReader> {
  const request = new WireWriter().int16(api).int16(version).int32(1).string('client')
  const body = new WireWriter(form).end()
  write(body)
  const port = Number(broker.address.split(':')[1])
  const socket = connect(port, '127.0.0.1')
  socket.write(new WireWriter().blob(request.raw(body.bytes()).bytes()).bytes())

  let answer = Buffer.alloc(0)
  for await (const chunk of socket) {
    answer = Buffer.concat([answer, chunk as Buffer])
    if (answer.length >= 4 && answer.length === 4 + answer.readInt32BE(0)) break
  }
  const reader = new WireReader(answer.subarray(8))
  reader.as(form)
  reader.end()
  return reader
}

function metadata(broker: ScriptedBroker): Promise<WireReader> {
  return ask(broker, { api: 3, version: 12, form: 'flexible' }, (body) => {
    body.list(['t'], (name) => body.raw(Buffer.alloc(16)).string(name).end())
    body.int8(0).int8(0).end()
  })
}

async function topicIdOf(broker: ScriptedBroker): Promise<string> {
  const reader = await metadata(broker)
  reader.int32()
  reader.list(() => {
    reader.int32()
    reader.string()
    reader.int32()
    reader.nullableString()
    reader.end()
  })
  reader.nullableString()
  reader.int32()
  const [id] = reader.list(() => {
    expect([reader.int16(), reader.string()]).toEqual([0, 't'])
    const bytes = reader.raw(16)
    reader.int8()
    const partitions = reader.list(() => {
      const [error, number] = [reader.int16(), reader.int32()]
      reader.raw(8)
      reader.list(() => reader.int32())
      reader.list(() => reader.int32())
      reader.list(() => reader.int32())
      reader.end()
      return [error, number]
    })
    expect(partitions).toEqual([
      [0, 0],
      [0, 1],
    ])
    reader.int32()
    reader.end()
    return bytes.toString('hex')
  })
  reader.end()
  expect(() => reader.int8()).toThrow(RangeError)
  return id ?? ''
}

async function fetchById(broker: ScriptedBroker, id: string): Promise<[number, Buffer]> {
  const reader = await ask(broker, { api: 1, version: 13, form: 'flexible' }, (body) => {
    body.int32(-1).int32(50).int32(1).int32(1000).int8(1).int32(0).int32(-1)
    body.list([id], (topic) => {
      body.raw(Buffer.from(topic, 'hex'))
      body.list([0], (partition) => {
        body.int32(partition).int32(-1).int64(0n).int32(-1).int64(-1n).int32(1000).end()
      })
      body.end()
    })
    body.list([], () => undefined)
    body.string('').end()
  })
  reader.raw(10)
  const [answer] = reader.list(() => {
    expect(reader.raw(16).toString('hex')).toBe(id)
    const [partition] = reader.list((): [number, Buffer] => {
      reader.int32()
      const error = reader.int16()
      reader.raw(24)
      reader.list(() => undefined)
      reader.int32()
      const records = reader.blob()
      reader.end()
      return [error, records]
    })
    reader.end()
    return partition
  })
  reader.end()
  expect(() => reader.int8()).toThrow(RangeError)
  return answer ?? [-1, Buffer.alloc(0)]
}

test('a topic that is made anew has another id in Metadata 12', async () => {
  await using broker = await ScriptedBroker.start({ t: { partitions: [{}, {}] } })
  const first = await topicIdOf(broker)
  expect(await topicIdOf(broker)).toBe(first)
  broker.script.recreate('t', { partitions: [{}, {}] })
  expect(await topicIdOf(broker)).not.toBe(first)
})

test('Fetch 13 asks by id, and refuses the id of a topic that was made anew', async () => {
  const log = [data(0, { value: 'a' })]
  await using broker = await ScriptedBroker.start({ t: { partitions: [{ log }, {}] } })
  const first = await topicIdOf(broker)
  const bytes = broker.script.partition('t', 0)?.log.map(encoded)
  expect(await fetchById(broker, first)).toEqual([0, bytes?.[0]])
  broker.script.recreate('t', { partitions: [{ log }, {}] })
  expect(await fetchById(broker, first)).toEqual([100, Buffer.alloc(0)])
})

test('a broker of before topic ids says so', async () => {
  await using broker = await ScriptedBroker.start({}, WITHOUT_TOPIC_IDS)
  const versions: Ask = { api: 18, version: 2, form: 'plain' }
  const reader = await ask(broker, versions, () => undefined)
  reader.int16()
  const most = reader.list(() => {
    const api = reader.int16()
    reader.int16()
    return [api, reader.int16()]
  })
  expect(most.filter(([api]) => api === 1 || api === 3)).toEqual([
    [1, 11],
    [3, 6],
  ])
})
