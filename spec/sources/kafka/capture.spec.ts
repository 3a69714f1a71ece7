import { expect, test } from 'vitest'
import { data } from '../../kafka/scripted-log.ts'
import { ScriptedBroker } from '../../kafka/scripted-broker.ts'
import { captureTopic } from '../../../src/sources/kafka/capture.ts'
import { optionsOf } from './reading.ts'

test('a topic is captured as one line for each message, bytes and headers included', async () => {
  const log = [
    data(0, { key: 'k', value: '{"id":1}', headers: { origin: 'a' } }),
    data(2, { key: Buffer.from([0xff]), value: null }),
  ]
  await using broker = await ScriptedBroker.start({ t: { partitions: [{ log }] } })
  const pieces: string[] = []
  const signal = AbortSignal.timeout(10_000)
  for await (const piece of captureTopic(optionsOf(broker.address), 'bounded', signal)) {
    pieces.push(piece)
  }
  expect(pieces.join('')).toBe(
    '{"topic":"t","partition":0,"offset":0,"timestamp":"2027-01-15T08:00:00Z","key":"k","value":"{\\"id\\":1}","headers":[["origin","a"]]}\n' +
      '{"topic":"t","partition":0,"offset":2,"timestamp":"2027-01-15T08:00:00.002Z","key":{"base64":"/w=="},"value":null,"headers":[]}\n',
  )
})
