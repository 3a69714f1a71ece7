import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { feedCasesOf } from './feed-case.ts'
import { runFeedCase } from './run-feed-case.ts'

const FILE = new URL('cases/change-feeds.json', import.meta.url)

const cases = feedCasesOf(readFileSync(FILE, 'utf8'))

test.each(cases.map((feed) => [feed.id, feed] as const))(
  'the feed of the case %s becomes the table that it says',
  async (_, feed) => {
    expect(await runFeedCase(feed)).toEqual([])
  },
)
