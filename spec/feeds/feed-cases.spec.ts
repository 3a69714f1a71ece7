import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { feedCasesOf } from './feed-case.ts'
import { runFeedCase } from './run-feed-case.ts'

/** Cases that cannot be run here, each with the reason; at most three. */
const SKIPPED: ReadonlyMap<string, string> = new Map()

const text = readFileSync(new URL('cases.json', import.meta.url), 'utf8')
const CASES = feedCasesOf(text)

describe('feeds as they really are', () => {
  test.for(CASES.map((feed) => [feed.id, feed] as const))('%s', async ([id, feed], context) => {
    const reason = SKIPPED.get(id)
    if (reason !== undefined) context.skip(reason)
    expect(await runFeedCase(feed)).toEqual([])
  })
})

test('all cases are there, and none is skipped without being named', () => {
  expect(CASES.length).toBeGreaterThanOrEqual(73)
  expect(new Set(CASES.map(({ id }) => id)).size).toBe(CASES.length)
  expect([...SKIPPED.keys()].filter((id) => !CASES.some((feed) => feed.id === id))).toEqual([])
})
