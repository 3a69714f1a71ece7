import { expect, test } from 'vitest'
import { FIRST_STAMP } from '../../kafka/scripted-log.ts'
import { ScriptedBroker } from '../../kafka/scripted-broker.ts'
import type { StartPosition } from '../../../src/sources/kafka/options.ts'
import { readAll, sourceOf } from './reading.ts'

test.each<[string, StartPosition, Record<string, number>]>([
  ['earliest', 'earliest', { 't:0': 10, 't:1': 3 }],
  ['latest', 'latest', { 't:0': 0, 't:1': 0 }],
  ['a time within the log', { timestamp: Number(FIRST_STAMP) + 6 }, { 't:0': 4, 't:1': 0 }],
  ['a time after the log', { timestamp: Number(FIRST_STAMP) + 60 }, { 't:0': 0, 't:1': 0 }],
  ['offsets', { offsets: new Map([['t', new Map([[0, 8]])]]) }, { 't:0': 2, 't:1': 3 }],
])('the first run begins at %s', async (_, start, counts) => {
  await using broker = await ScriptedBroker.start({
    t: { partitions: [{ high: 10n }, { low: 2n, high: 5n }] },
  })
  await using source = sourceOf(broker.address, { start })
  const { records, ends, checkpoints } = await readAll(source)
  const count = (name: string): number => records.filter((each) => each.startsWith(name)).length
  expect({ 't:0': count('t:0'), 't:1': count('t:1') }).toEqual(counts)
  expect(ends).toEqual({ 't:0': 10, 't:1': 5 })

  expect((await readAll(source, checkpoints)).records).toEqual([])
})

test('an offset to start at that is not there is a mistake of the flow', async () => {
  await using broker = await ScriptedBroker.start({ t: { partitions: [{ high: 10n }] } })
  const offsets = new Map([['t', new Map([[0, 50]])]])
  await using source = sourceOf(broker.address, { start: { offsets } })
  await expect(readAll(source)).rejects.toThrow(
    'SPEC_INVALID: the start offset 50 of t:0 is not within 0..10',
  )
})
