import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { feedCasesOf } from './feed-case.ts'
import { runFeedCase } from './run-feed-case.ts'

const text = readFileSync(new URL('cases.json', import.meta.url), 'utf8')
const CASES = feedCasesOf(text)

describe('feeds as they really are', () => {
  test.for(CASES.map((feed) => [feed.id, feed] as const))('%s', async ([, feed]) => {
    expect(await runFeedCase(feed)).toEqual([])
  })
})

test('all cases are there, each once', () => {
  expect(CASES.length).toBeGreaterThanOrEqual(73)
  expect(new Set(CASES.map(({ id }) => id)).size).toBe(CASES.length)
})
