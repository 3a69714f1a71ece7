import { describe, expect, test } from 'vitest'
import { FeedUnderTest } from '../../property-tests/engine/feed-under-test.ts'
import type { FeedMessage } from '../../property-tests/models/feed.ts'
import { fault } from './fed.ts'
import { DebeziumTopic, TOAST } from './debezium-topic.ts'

const DMS_ROW = JSON.stringify({
  data: { id: 1, v: 'DMS' },
  metadata: { 'record-type': 'data', operation: 'update', 'table-name': 't' },
})

describe('the place in the log', () => {
  test('an epoch comes before the place in the log, and is not shown', () => {
    const topic = new DebeziumTopic()
    using feed = new FeedUnderTest(2)
    feed.deliver([topic.put(900, 1, { v: 'old server' })])
    feed.reconfigure({ epoch: 1 })
    feed.deliver([topic.put(5, 1, { v: 'new server' }, { server: 'other' })])
    expect(feed.table()).toEqual(['[5, ∞) id=1 v=new server', '[900, 5) id=1 v=old server'])
  })

  test('a snapshot row and a streamed row are two events though they say the same', () => {
    const topic = new DebeziumTopic()
    const messages = [
      topic.put(5, 1, { v: 'a' }),
      topic.put(5, 1, { v: 'b' }),
      topic.snapshot(5, 1, { v: 'b' }),
    ]
    expect(tables([messages])).toEqual([['id=1 v=b'], ['[5, ∞) id=1 v=b']])
  })

  test('an event that is repeated in a later batch does not win against another one at its place', () => {
    const topic = new DebeziumTopic()
    const first = topic.put(5, 1, { v: 'a', w: 1 })
    const second = topic.put(5, 1, { v: 'b', w: 1 })
    expect(tables([[first], [second], [topic.again(first)]])).toEqual([
      ['id=1 v=b w=1'],
      ['[5, ∞) id=1 v=b w=1'],
    ])
  })

  test('nor does one that a later event has overwritten in part', () => {
    const topic = new DebeziumTopic()
    const first = topic.put(5, 1, { v: 'a', w: 1 })
    const later = topic.put(7, 1, { v: TOAST, w: 2 })
    const second = topic.put(5, 1, { v: 'b', w: 1 })
    expect(tables([[first], [later], [second], [topic.again(first)]])).toEqual([
      ['id=1 v=b w=2'],
      ['[5, 7) id=1 v=b w=1', '[7, ∞) id=1 v=b w=2'],
    ])
  })

  test('what is repeated is neither late nor a tie, nor is what a record brings along a tie', () => {
    const topic = new DebeziumTopic()
    const old = [topic.put(5, 1, { v: 'long' }), topic.gone(7, 1, { becomes: 2 })]
    const moved = topic.put(7, 2, { v: TOAST }, { was: 1 })
    // What an SCD 1 target has forgotten is late to it: that key 1 had a row.
    const again = [...old.slice(1), moved].map((message) => topic.again(message))
    for (const kind of [1, 2] as const) {
      using feed = new FeedUnderTest(kind)
      feed.deliverAll([[...old, moved], again])
      expect(feed.store.flow('t')?.counts).toMatchObject({ read: 5, late: 0, ties: 0 })
    }
  })

  test('positions of two servers’ logs do not compare: the second is refused', () => {
    const topic = new DebeziumTopic()
    using feed = new FeedUnderTest(1)
    feed.deliver([topic.put(5, 1, { v: 'a' }), topic.put(9, 1, { v: 'b' }, { server: 'other' })])
    expect(feed.table()).toEqual(['id=1 v=a'])
    expect([...feed.store.quarantine(null)].map(({ code }) => code)).toEqual(['SEQUENCE_TYPE'])
  })

  test('after a fail-over to a server of another kind a higher epoch makes room for places of its kind', () => {
    const topic = new DebeziumTopic()
    using feed = new FeedUnderTest(2)
    feed.deliver([topic.put(900, 1, { v: 'MySQL' }, { binlog: 'bin.000007' })])
    feed.reconfigure({ epoch: 1 })
    feed.deliver([topic.put(5, 1, { v: 'PostgreSQL' }, { server: 'other' })])
    feed.reconfigure({ epoch: 2 })
    const back = { binlog: 'bin.000001' }
    feed.deliver([topic.put(4, 1, { v: 'MySQL again' }, back), topic.put(6, 1, { v: '?' })])
    expect(feed.table()).toEqual([
      '[5, [1,4,0]) id=1 v=PostgreSQL',
      '[[1,4,0], ∞) id=1 v=MySQL again',
      '[[7,900,0], 5) id=1 v=MySQL',
    ])
    expect(refusals(feed)).toEqual([
      'SEQUENCE_TYPE: the sequence is that of Debezium (postgresql), and those of the target are that of Debezium (mysql) at epoch 2; raise epoch in source, or give sequence_by and another target',
    ])
    expect(feed.findings()).toEqual([])
  })

  test('a place in the log and an offset are both numbers, and do not compare', () => {
    const topic = new DebeziumTopic()
    using feed = new FeedUnderTest(1)
    feed.deliver([topic.put(900, 1, { v: 'of the log' })])
    const bare = { ...topic.put(0, 1, {}), value: '{"id":1,"v":"of the topic"}' }
    feed.reconfigure({ format: 'debezium-json-flat' })
    feed.deliver([bare])
    expect(feed.table()).toEqual(['id=1 v=of the log'])
    expect(refusals(feed)).toEqual([
      'SEQUENCE_TYPE: the sequence is that of Debezium (offset), and those of the target are that of Debezium (postgresql) at epoch 0; raise epoch in source, or give sequence_by and another target',
    ])
  })

  test('a format of another order is refused before it is read, unless the epoch is raised', () => {
    const topic = new DebeziumTopic()
    using feed = new FeedUnderTest(1)
    feed.deliver([topic.put(900, 1, { v: 'Debezium' })])
    const row = { ...topic.put(0, 1, {}), value: DMS_ROW }
    feed.reconfigure({ format: 'aws-dms-json' }, { keys: ['id'] })
    expect(fault(() => feed.deliver([row]))).toBe(
      'TARGET_CHANGED: the target "t" was built otherwise: its events of epoch 0 are in the order of Debezium, and those of flow "t" in that of AWS DMS, which do not compare; give the flow `epoch: 1` in source to put them after all that is there, or write to another target',
    )
    feed.reconfigure({ format: 'aws-dms-json', epoch: 1 }, { keys: ['id'] })
    feed.deliver([row])
    expect(feed.table()).toEqual(['id=1 v=DMS'])
  })

  test('a format that was refused before it had brought anything is no reason to raise the epoch', () => {
    const topic = new DebeziumTopic()
    using feed = new FeedUnderTest(1)
    feed.reconfigure({ format: 'aws-dms-json' }, { keys: ['id'] })
    const message = topic.put(5, 1, { v: 'a' })
    feed.deliver([message])
    feed.reconfigure({}, { keys: ['id'] })
    feed.deliver([topic.again(message)])
    expect(feed.table()).toEqual(['id=1 v=a'])
  })

  test('an epoch that has events is not taken back, one that has none is', () => {
    const topic = new DebeziumTopic()
    using feed = new FeedUnderTest(1)
    feed.deliver([topic.put(5, 1, { v: 'a' })])
    feed.reconfigure({ epoch: 7 })
    feed.deliver([topic.mark(2)])
    feed.reconfigure({ epoch: 2 })
    feed.deliver([topic.put(4, 1, { v: 'b' })])
    feed.reconfigure({ epoch: 1 })
    expect(fault(() => feed.deliver([topic.put(9, 1, { v: 'c' })]))).toBe(
      'TARGET_CHANGED: the target "t" was built otherwise: it has events of epoch 2, and flow "t" now says `epoch: 1`, so that all it reads would count as older; an epoch is only ever raised: give it 2 again, or more after another fail-over',
    )
    expect(feed.table()).toEqual(['id=1 v=b'])
  })

  test('unless a column of the flow’s own key tells the servers apart', () => {
    const topic = new DebeziumTopic()
    using feed = new FeedUnderTest(1, undefined, { keys: ['id', 'shard'] })
    feed.deliver([
      topic.put(5, 1, { shard: 1 }),
      topic.put(9, 1, { shard: 2 }, { server: 'other' }),
    ])
    expect(feed.table()).toEqual(['id=1 shard=1', 'id=1 shard=2'])
  })
})

describe('messages without a value', () => {
  test('one right behind the deletion of its key is nothing, though the deletion is a repetition', () => {
    const topic = new DebeziumTopic()
    const gone = topic.gone(6, 1)
    const before = [topic.put(5, 1, { v: 'a' }), gone, topic.mark(1), topic.put(7, 1, { v: 'b' })]
    expect(tables([[...before, topic.again(gone), topic.mark(1)]])).toEqual([
      ['id=1 v=b'],
      ['[5, 6) id=1 v=a', '[7, ∞) id=1 v=b'],
    ])
  })

  test('a restart between the deletion and the message does not show', () => {
    const topic = new DebeziumTopic()
    using feed = new FeedUnderTest(1)
    const gone = topic.gone(5, 1)
    feed.deliver([gone, topic.put(7, 1, { v: 'b' }), topic.again(gone)])
    feed.restart()
    feed.deliver([topic.mark(1)])
    expect(feed.table()).toEqual(['id=1 v=b'])
  })

  test('a deletion that is refused has its message all the same', () => {
    const topic = new DebeziumTopic()
    using feed = new FeedUnderTest(1)
    feed.deliver([
      topic.put(5, 1, { v: 'a' }),
      topic.gone(9, 1, { server: 'other' }),
      topic.mark(1),
    ])
    expect(feed.table()).toEqual(['id=1 v=a'])
  })

  test('one whose deletion is gone deletes what its stream told newest of the key, late news at that place too', () => {
    const topic = new DebeziumTopic()
    const messages = [
      topic.put(7, 1, { v: 'b' }),
      topic.put(5, 1, { v: 'a' }),
      topic.put(9, 2, { v: 'c' }),
      topic.mark(1),
      topic.put(7, 1, { v: 'late' }),
    ]
    const two = ['[5, 7) id=1 v=a', '[9, ∞) id=2 v=c']
    expect(tables([messages])).toEqual([['id=2 v=c'], two])
    expect(tables(messages.map((message) => [message]))).toEqual([['id=2 v=c'], two])
  })

  test('one that is read again is no news', () => {
    const topic = new DebeziumTopic()
    const [gone, mark] = [topic.gone(5, 1), topic.mark(1)]
    const later = topic.put(7, 1, { v: 'b' })
    expect(tables([[gone, mark, later], [mark]])).toEqual([['id=1 v=b'], ['[7, ∞) id=1 v=b']])
  })

  test('one of a key that its stream told nothing of is nothing', () => {
    const topic = new DebeziumTopic()
    const messages = [topic.put(5, 1, { v: 'a' }), topic.mark(1, { partition: 1 }), topic.mark(2)]
    expect(tables([messages])).toEqual([['id=1 v=a'], ['[5, ∞) id=1 v=a']])
  })
})

describe('truncates', () => {
  test('a truncate of the feed is applied, also one that comes before any row', () => {
    const topic = new DebeziumTopic()
    const messages = [topic.truncate(6), topic.put(5, 1, { v: 'a' }), topic.put(7, 2, { v: 'b' })]
    const two = ['[5, 6) id=1 v=a', '[7, ∞) id=2 v=b']
    expect(tables([messages])).toEqual([['id=2 v=b'], two])
    expect(tables(messages.map((message) => [message]))).toEqual([['id=2 v=b'], two])
  })

  test('apply_as_truncates: false ignores those of the feed', () => {
    const topic = new DebeziumTopic()
    using feed = new FeedUnderTest(1, undefined, { apply_as_truncates: false })
    feed.deliver([topic.put(5, 1, { v: 'a' }), topic.truncate(6)])
    expect(feed.table()).toEqual(['id=1 v=a'])
    expect(feed.store.flow('t')?.counts.ignored).toBe(1)
  })
})

describe('values that the feed does not have', () => {
  test('an unavailable value is that of the version before it, whenever that arrives', () => {
    const topic = new DebeziumTopic()
    const messages = [
      topic.put(5, 1, { v: 'a', w: 1 }),
      topic.put(9, 1, { v: TOAST, w: 3 }),
      topic.put(7, 1, { v: 'b', w: 2 }),
    ]
    const two = ['[5, 7) id=1 v=a w=1', '[7, 9) id=1 v=b w=2', '[9, ∞) id=1 v=b w=3']
    expect(tables([messages])).toEqual([['id=1 v=b w=3'], two])
    expect(tables(messages.map((message) => [message]))).toEqual([['id=1 v=b w=3'], two])
  })

  test('one that no older event supplies is null, and counted', () => {
    const topic = new DebeziumTopic()
    using feed = new FeedUnderTest(2)
    feed.deliver([topic.put(5, 1, { v: TOAST, w: 1 }), topic.put(6, 2, { v: null })])
    feed.deliver([topic.put(6, 1, { v: TOAST, w: 2 }), topic.put(7, 2, { v: TOAST })])
    expect(feed.unknown).toEqual([['0:0 v'], ['0:2 v']])
    expect(feed.store.flow('t')?.counts.unknown_values).toBe(2)
  })

  test('a row that gets another key takes along what its old key had', () => {
    const topic = new DebeziumTopic()
    const messages = [
      topic.put(5, 1, { v: 'long', w: 1 }),
      topic.gone(7, 1, { becomes: 2 }),
      topic.mark(1),
      topic.put(7, 2, { v: TOAST, w: 2 }, { was: 1 }),
    ]
    const two = ['[5, 7) id=1 v=long w=1', '[7, ∞) id=2 v=long w=2']
    expect(tables([messages])).toEqual([['id=2 v=long w=2'], two])
    expect(tables(messages.map((message) => [message]))).toEqual([['id=2 v=long w=2'], two])
  })

  test('and does so if the row under the new key is read first', () => {
    const topic = new DebeziumTopic()
    const old = [topic.put(5, 1, { v: 'long', w: 1 }), topic.gone(7, 1, { becomes: 2 })]
    const moved = topic.put(7, 2, { v: TOAST, w: 2 }, { was: 1, partition: 1 })
    const later = topic.put(9, 2, { v: TOAST, w: 3 }, { partition: 1 })
    expect(tables([[moved, later], old])).toEqual([
      ['id=2 v=long w=3'],
      ['[5, 7) id=1 v=long w=1', '[7, 9) id=2 v=long w=2', '[9, ∞) id=2 v=long w=3'],
    ])
  })

  test('what the old key had counts as it was told up to the deletion', () => {
    const topic = new DebeziumTopic()
    const old = [
      topic.put(5, 1, { v: 'told', w: 1 }),
      topic.gone(7, 1, { becomes: 2 }),
      topic.put(6, 1, { v: 'late', w: 1 }),
    ]
    const moved = topic.put(7, 2, { v: TOAST, w: 2 }, { was: 1, partition: 1 })
    expect(tables([[...old, moved]])[0]).toEqual(['id=2 v=told w=2'])
    expect(tables([[moved], old])[0]).toEqual(['id=2 v=told w=2'])
  })

  test('a row that has moved on gets what its first key had, once that is read', () => {
    const topic = new DebeziumTopic()
    const first = [topic.put(5, 1, { v: 'long', w: 1 }), topic.gone(7, 1, { becomes: 2 })]
    const second = [
      topic.put(7, 2, { v: TOAST, w: 1 }, { was: 1, partition: 1 }),
      topic.gone(8, 2, { becomes: 3, partition: 1 }),
    ]
    const third = [
      topic.put(8, 3, { v: TOAST, w: 1 }, { was: 2, partition: 2 }),
      topic.put(9, 3, { v: TOAST, w: 2 }, { partition: 2 }),
    ]
    const two = [
      '[5, 7) id=1 v=long w=1',
      '[7, 8) id=2 v=long w=1',
      '[8, 9) id=3 v=long w=1',
      '[9, ∞) id=3 v=long w=2',
    ]
    expect(tables([[...second, ...third], first])).toEqual([['id=3 v=long w=2'], two])
    expect(tables([third, second, first])).toEqual([['id=3 v=long w=2'], two])
  })

  test('and gets them as they become known, a column at a time', () => {
    const topic = new DebeziumTopic()
    const first = [topic.put(5, 1, { v: 'long', w: 'wide' }), topic.gone(7, 1, { becomes: 2 })]
    const second = [
      topic.put(7, 2, { v: TOAST, w: TOAST }, { was: 1, partition: 1 }),
      topic.put(8, 2, { v: 'other', w: TOAST }, { partition: 1 }),
      topic.gone(9, 2, { becomes: 3, partition: 1 }),
    ]
    const third = topic.put(9, 3, { v: TOAST, w: TOAST }, { was: 2, partition: 2 })
    expect(tables([second, [third]])[0]).toEqual(['id=3 v=other'])
    expect(tables([second, [third], first])[0]).toEqual(['id=3 v=other w=wide'])
  })

  test('what current rows forgot before the row left is not taken along', () => {
    const topic = new DebeziumTopic()
    const old = [topic.put(5, 1, { v: 'long', w: 1 }), topic.gone(7, 1, { becomes: 2 })]
    const again = topic.put(9, 1, { v: 'new', w: 1 }, { partition: 1 })
    const moved = topic.put(7, 2, { v: TOAST, w: 1 }, { was: 1, partition: 2 })
    expect(tables([[again, moved], old])).toEqual([
      ['id=1 v=new w=1', 'id=2 w=1'],
      ['[5, 7) id=1 v=long w=1', '[7, ∞) id=2 v=long w=1', '[9, ∞) id=1 v=new w=1'],
    ])
  })

  test('where the old key is not known, the value is unknown', () => {
    const topic = new DebeziumTopic()
    using feed = new FeedUnderTest(1)
    feed.deliver([
      topic.gone(7, 1, { becomes: 2 }),
      topic.put(7, 2, { v: TOAST, w: 2 }, { was: 1 }),
    ])
    expect(feed.table()).toEqual(['id=2 w=2'])
    expect(feed.unknown).toEqual([['0:1 v']])
  })
})

describe('keys', () => {
  test('a key that the feed tells is that of its first record, and may not become another', () => {
    const topic = new DebeziumTopic()
    using feed = new FeedUnderTest(1)
    feed.deliver([topic.put(5, 1, { v: 'a' })])
    const other = { ...topic.put(6, 1, { v: 'b' }), key: '{"id":1,"v":"b"}' }
    expect(fault(() => feed.deliver([topic.put(6, 2, { v: 'b' }), other]))).toBe(
      'TARGET_CHANGED: the key of the feed of flow "t" is now id, v, and the target "t" was built with id; write to another target, or name keys',
    )
    expect(feed.table()).toEqual(['id=1 v=a'])
  })

  test('a flow that names the keys that the feed had told goes on', () => {
    const topic = new DebeziumTopic()
    using feed = new FeedUnderTest(1)
    feed.deliver([topic.put(5, 1, { v: 'a' })])
    feed.reconfigure({}, { keys: ['id'] })
    feed.deliver([topic.put(6, 1, { v: 'b' })])
    expect(feed.table()).toEqual(['id=1 v=b'])
  })
})

function refusals(feed: FeedUnderTest): string[] {
  return Array.from(feed.store.quarantine(null), ({ code, reason }) => `${code}: ${reason}`)
}

/** The SCD 1 and the SCD 2 table of messages that come in these batches. */
function tables(batches: readonly (readonly FeedMessage[])[]): (readonly string[])[] {
  return ([1, 2] as const).map((kind) => {
    using feed = new FeedUnderTest(kind)
    return feed.deliverAll(batches).table()
  })
}
