import fc from 'fast-check'
import { expect, test } from 'vitest'
import { movedRows } from './arbitraries/moved-rows.ts'
import { batchesOf, turns } from './arbitraries/turns.ts'
import { FeedUnderTest } from './engine/feed-under-test.ts'

const numRuns = Number(process.env['FC_RUNS'] ?? 200)

// Rows whose keys change move between partitions, and these are read in any turns (semantics 3).

test.each([1, 2] as const)(
  '1 an SCD %s table is its source, whichever half of a change of keys is read first, and however often a row moves on',
  (kind) => {
    fc.assert(
      fc.property(movedRows, turns, ({ source, messages }, taken) => {
        using feed = new FeedUnderTest(kind)
        for (const { batch, ends } of batchesOf(messages, taken)) {
          feed.deliver(batch)
          if (ends) feed.restart()
        }
        expect(feed.table()).toEqual(kind === 1 ? source.current() : source.history())
        expect(feed.unsettled([0, 1, 2, 3])).toEqual([])
        expect(feed.findings()).toEqual([])
      }),
      { numRuns },
    )
  },
)
