import { expect, test } from 'vitest'
import { storedFacts } from '../../../src/stores/sqlite/stored-facts.ts'

test('what is known of a feed is read as it was stored', () => {
  const logs = [{ epoch: 1, order: 'Debezium', log: 'postgresql', origin: 'srv' }]
  expect(storedFacts(JSON.stringify({ feed: { logs } })).feed).toEqual({ logs })
  expect(storedFacts(JSON.stringify({ feed: null })).feed).toBe(null)
})

test('an older store knew the server of the highest epoch only, or nothing of feeds', () => {
  expect(storedFacts(JSON.stringify({ feed: { epoch: 2, origin: 'srv' } })).feed).toEqual({
    logs: [{ epoch: 2, order: null, log: null, origin: 'srv' }],
  })
  expect(storedFacts('{}').feed).toBe(null)
})
