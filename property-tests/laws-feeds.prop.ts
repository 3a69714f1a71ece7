import fc from 'fast-check'
import { expect, test } from 'vitest'
import { feedStreams } from './arbitraries/feed-streams.ts'
import { batchesOf, turns } from './arbitraries/turns.ts'
import { FeedUnderTest } from './engine/feed-under-test.ts'
import { feedTables, type FeedMessage } from './models/feed.ts'

const numRuns = Number(process.env['FC_RUNS'] ?? 200)

// What a topic of change messages comes to (semantics 1, 3), however it is delivered.

test('1 the SCD 1 table of a change feed is what brute force makes of its messages', () => {
  fc.assert(
    fc.property(feedStreams, ({ messages }) => {
      using feed = new FeedUnderTest(1)
      expect(feed.deliver(messages).table()).toEqual(feedTables(messages).scd1)
      expect(feed.findings()).toEqual([])
    }),
    { numRuns },
  )
})

test('1 the SCD 2 table of a change feed is what brute force makes of its messages', () => {
  fc.assert(
    fc.property(feedStreams, ({ messages }) => {
      using feed = new FeedUnderTest(2)
      expect(feed.deliver(messages).table()).toEqual(feedTables(messages).scd2)
      expect(feed.findings()).toEqual([])
    }),
    { numRuns },
  )
})

test('3 the SCD 1 table of a change feed is the current rows of its SCD 2 table', () => {
  fc.assert(
    fc.property(feedStreams, ({ messages }) => {
      using one = new FeedUnderTest(1)
      using two = new FeedUnderTest(2)
      const current = two
        .deliver(messages)
        .table()
        .filter((row) => row.includes(', ∞)'))
      expect(one.deliver(messages).table()).toEqual(
        current.map((row) => row.slice(row.indexOf(') ') + 2)).toSorted(),
      )
    }),
    { numRuns },
  )
})

/** Parts of what was read that are read again in the end. */
const replays = fc.array(fc.record({ from: fc.nat(), count: fc.nat({ max: 5 }) }), { maxLength: 2 })

test.each([1, 2] as const)(
  '1 cuts, turns of partitions and restarts do not show in an SCD %s table of a change feed, nor does what is read again',
  (kind) => {
    fc.assert(
      fc.property(feedStreams, turns, replays, ({ messages }, taken, again) => {
        using feed = new FeedUnderTest(kind)
        const read: FeedMessage[] = []
        for (const { batch, ends } of batchesOf(messages, taken)) {
          feed.deliver(batch)
          read.push(...batch)
          const { unknown1, unknown2 } = feedTables(read, batch)
          const { scd1, scd2 } = feedTables(read)
          expect(feed.table()).toEqual(kind === 1 ? scd1 : scd2)
          expect(feed.unknown.at(-1)?.toSorted()).toEqual(
            (kind === 1 ? unknown1 : unknown2).toSorted(),
          )
          if (ends) feed.restart()
        }
        for (const { from, count } of again) {
          const start = from % messages.length
          feed.deliver(read.slice(start, start + count))
          expect(feed.table()).toEqual(feedTables(messages)[`scd${kind}`])
        }
        expect(feed.findings()).toEqual([])
      }),
      { numRuns },
    )
  },
)
