import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, describe, expect, it } from 'vitest'

import { arrivals, generate, type FeedSpec } from './generate.ts'

const folder = mkdtempSync(join(tmpdir(), 'tidemark-feeds-'))
afterAll(() => {
  rmSync(folder, { recursive: true })
})

const plain: FeedSpec = { events: 20_000, keys: 'random', keyCount: 4000, late: 0, sparse: false }
// Without the note, which is null half of the time anyway.
const VALUES = ['name', 'city', 'email', 'amount', 'qty', 'active', 'rank']
const linesOf = (file: string) => readFileSync(file, 'utf8').trimEnd().split('\n')

describe('a generated feed', () => {
  it('has nearly all keys that it draws from, as chance has it', async () => {
    // Of n keys drawn k times a share of exp(-k / n) is never met: 27 of 4,000.
    const { keys } = await generate(folder, plain)
    expect(Math.abs(keys - 3973)).toBeLessThan(20)
  })

  it('does not repeat itself', async () => {
    const { file } = await generate(folder, plain)
    const said = linesOf(file).map((line) => line.replace(/"seq":\d+/, '').replace(/user\d+/, ''))
    expect(new Set(said).size).toBe(plain.events)
  })

  it('is the same events in another order when some come late', async () => {
    const inOrder = await generate(folder, plain)
    const late = await generate(folder, { ...plain, late: 0.1 })
    expect(linesOf(late.file).sort()).toEqual(linesOf(inOrder.file).sort())
    expect(inOrder.lateShare).toBe(0)
    expect(late.lateShare).toBeGreaterThan(0.03)
  })

  it('delays no event by more than half the feed', () => {
    const places = [...arrivals(1000, 0.1)].map((seq, place) => place + 1 - seq)
    expect(Math.max(...places)).toBeLessThanOrEqual(500)
    expect(Math.max(...places)).toBeGreaterThan(300)
  })

  it('carries three of its eight values when it is sparse', async () => {
    const { file } = await generate(folder, { ...plain, sparse: true })
    const counts = linesOf(file).map((line) => {
      const event = JSON.parse(line) as Record<string, unknown>
      return VALUES.filter((column) => event[column] !== null).length
    })
    expect(new Set(counts)).toEqual(new Set([2, 3]))
  })
})
