import { describe, expect, test } from 'vitest'
import { feedCasesOf } from '../feeds/feed-case.ts'
import type { FeedCase } from '../feeds/feed-case.ts'
import { brokerOf, scriptOf } from './feed-case-broker.ts'
import { KafkajsReader } from './kafkajs-reader.ts'
import type { PartitionScript } from './scripted-topics.ts'

/** A case as it is read from a file. */
function read(members: object): FeedCase {
  const whole = { id: 'case', format: 'json', config: {}, expect: {}, records: [], ...members }
  const [only] = feedCasesOf(JSON.stringify([whole]))
  if (only === undefined) throw new Error('no case')
  return only
}

/** A case that describes a broker. */
function brokerCase(broker: object, start: Readonly<Record<string, string>> = {}): FeedCase {
  return read({ config: { start_checkpoint: start }, broker })
}

/** The log of a partition, a batch as its offsets, what it is, and its producer. */
function drawn(partition: PartitionScript | undefined): readonly string[] {
  return (partition?.log ?? []).map(({ first, last, marker, records, transaction }) => {
    const offsets = first === last ? `${first}` : `${first}..${last}`
    const what = records.length === 0 ? 'empty' : (marker ?? 'data')
    return `${offsets} ${what}${transaction === null ? '' : ` of ${transaction}`}`
  })
}

describe('the broker field of a case', () => {
  test('is filled with records where it tells watermarks only', () => {
    const { topics } = scriptOf(brokerCase({ 't:0': { low: '150', high: '400' } }))
    expect(topics['t']?.partitions.map(drawn)).toEqual([
      ['150..249 data', '250..349 data', '350..399 data'],
    ])
  })

  test('tells a log in words', () => {
    const log = ['0 data', '1 data', '2 COMMIT', '12 data', '(13..19 compacted away; empty batch)']
    const { topics } = scriptOf(brokerCase({ 't:0': { low: '0', high: '20', log } }))
    expect(topics['t']?.partitions).toMatchObject([{ low: 0n, high: 20n, lso: 20n }])
    expect(topics['t']?.partitions.map(drawn)).toEqual([
      ['0 data of 1', '1 data of 1', '2 commit of 1', '12 data of 1', '13..19 empty'],
    ])
  })

  test('may leave a transaction open, which keeps the last stable offset back', () => {
    const log = ['0 data', '1 data', '2 data (txn open)', '3 data']
    const words = { low: '0', high_watermark: '4', last_stable_offset: '2', log }
    const { topics } = scriptOf(brokerCase({ 't:0': words }))
    expect(topics['t']?.partitions).toMatchObject([{ high: 4n, lso: 2n }])
    expect(topics['t']?.partitions.map(drawn)).toEqual([
      ['0 data', '1 data', '2 data of 1', '3 data'],
    ])
  })

  test('may be one answer, whose aborted transactions are given as they are', () => {
    const fetch = {
      offset: '10',
      abortedTransactions: [
        { producerId: '1', firstOffset: '3' },
        { producerId: '2', firstOffset: '10' },
      ],
      records: ['10 data producer 2', '11 data key 00000000', '12 ABORT 2', '13 ABORT 1'],
    }
    const { topics } = scriptOf(brokerCase({ fetch }, { 't:0': '10' }))
    expect(topics['t']?.partitions.map(drawn)).toEqual([
      ['3 data of 1', '10 data of 2', '11 data', '12 abort of 2', '13 abort of 1'],
    ])
    expect(topics['t']?.partitions[0]?.aborted).toEqual([
      { producer: 1n, first: 3n },
      { producer: 2n, first: 10n },
    ])
    expect(topics['t']?.partitions[0]?.log?.[2]?.records[0]?.key).toEqual(Buffer.alloc(4))
  })

  test('gives the record before the checkpoint its own time', () => {
    const told = { timestamp: '1900000000000', sha256: 'differs' }
    const words = { low: '0', high: '500', record_at_99: told }
    const { topics } = scriptOf(brokerCase({ 't:0': words }))
    const records = topics['t']?.partitions[0]?.log?.flatMap((batch) => batch.records) ?? []
    expect(records.slice(98, 101).map(({ timestamp }) => timestamp)).toEqual([
      1_800_000_000_098n,
      1_900_000_000_000n,
      1_800_000_000_100n,
    ])
  })

  test('with a field that no case had is refused', () => {
    expect(() => scriptOf(brokerCase({ 't:0': { low: '0', flood: '1' } }))).toThrow('flood')
    expect(() => scriptOf(brokerCase({ 't:0': { log: ['0 banana'] } }))).toThrow('0 banana')
  })

  test('tells what every group finds committed', async () => {
    const words = { low: '0', high: '2', group_committed: '1' }
    await using broker = await brokerOf(brokerCase({ 't:0': words }))
    await using reader = await KafkajsReader.start(broker)
    await reader.until(({ seen }) => seen.length === 1)
    expect(reader.seen).toEqual(['t:0@1 {"id":1,"v":1}'])
  })

  test('makes the group rebalance once offset 1 was read', async () => {
    const words = { low: '0', high: '2', event: 'rebalance after offset 1 was applied' }
    await using broker = await brokerOf(brokerCase({ 't:0': words }))
    await using reader = await KafkajsReader.start(broker)
    await reader.until(({ seen }) => seen.length === 4)
    expect(broker.script.groupOf('g').generation).toBe(2)
  })

  test('adds a partition once the first one is read from its checkpoint on', async () => {
    const note = 'created later, 3 records before the refresh'
    const cluster = { 't:0': { low: '0', high: '5' }, 't:1': { low: '0', high: '3', note } }
    await using broker = await brokerOf(brokerCase(cluster, { 't:0': '5' }))
    expect(broker.script.topics.get('t')?.partitions.length).toBe(1)
    await using reader = await KafkajsReader.start(broker)
    await reader.until(({ seen }) => seen.length === 5)
    await broker.untilAsked('Fetch', 't:0@5')
    expect(broker.script.topics.get('t')?.partitions).toMatchObject([{ high: 5n }, { high: 3n }])
  })
})

describe('the records of a case', () => {
  test('come at their own offsets, as the bytes they are', async () => {
    const at = { topic: 'a', partition: 1 }
    const records = [
      { ...at, offset: '9', key: null, value: null, headers: {} },
      { ...at, offset: '3', key: '{"id":1}', value: 'é', headers: { h: 'x' } },
      { ...at, offset: '4', key_hex: '00ff', value_hex: 'c328', headers_hex: { h: '0000000007' } },
    ]
    await using broker = await brokerOf(read({ records }))
    await using reader = await KafkajsReader.start(broker, { topics: ['a'] })
    await reader.until(({ seen }) => seen.length === 3)
    expect(reader.seen).toEqual(['a:1@3 é', 'a:1@4 �(', 'a:1@9'])
    const served = broker.script.partition('a', 1)?.log.flatMap((batch) => batch.records)
    expect(served?.map(({ key, headers }) => [key, headers])).toEqual([
      [Buffer.from('{"id":1}'), [['h', Buffer.from('x')]]],
      [Buffer.from('00ff', 'hex'), [['h', Buffer.from('0000000007', 'hex')]]],
      [null, []],
    ])
  })
})
