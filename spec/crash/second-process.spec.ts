import { appendFileSync, writeFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { build, ONLY_INFO, Running, runToEnd } from './command.ts'
import { feedLines, Job, readSoFar, resultOf } from './job.ts'
import { Random } from './random.ts'

beforeAll(build, 120_000)

test('a second process that runs the same store is told to wait, and the first goes on unharmed', async () => {
  const lines = feedLines(new Random(2), 60, 0)
  using job = new Job()
  writeFileSync(job.feed('a.ndjson'), lines.slice(0, 40).join(''))

  const first = new Running(['run', job.flows, '--continuous'])
  await expect.poll(() => readSoFar(job), { timeout: 20_000, interval: 50 }).toBe(40 * 5)
  const second = await runToEnd(['run', job.flows])
  expect(second).toMatchObject({ code: 4, out: '' })
  expect(second.err).toMatch(/^tidemark: STORE_BUSY: another process is writing to the store .*\n$/)

  appendFileSync(job.feed('a.ndjson'), lines.slice(40).join(''))
  await expect.poll(() => readSoFar(job), { timeout: 20_000, interval: 50 }).toBe(60 * 5)
  expect(await first.stop('SIGTERM')).toMatchObject({ code: 0, err: ONLY_INFO })
  expect((await resultOf(job)).findings).toEqual([])
  expect(await runToEnd(['run', job.flows])).toMatchObject({ code: 0, err: '' })
})

test('a killed process leaves no lock behind', async () => {
  using job = new Job()
  writeFileSync(job.feed('a.ndjson'), feedLines(new Random(3), 40, 0).join(''))

  const first = new Running(['run', job.flows, '--continuous'])
  await expect.poll(() => readSoFar(job), { timeout: 20_000, interval: 50 }).toBe(40 * 5)
  await first.stop('SIGKILL')
  expect(await runToEnd(['run', job.flows])).toMatchObject({ code: 0, err: '' })
})

test('a reader sees whole commits while a run goes on', async () => {
  using job = new Job()
  writeFileSync(job.feed('a.ndjson'), feedLines(new Random(4), 600, 0).join(''))

  const running = new Running(['run', job.flows])
  const seen = await watched(job, running.ended)
  expect(await running.ended).toMatchObject({ code: 0, err: '' })
  expect(seen).toEqual(seen.toSorted((a, b) => a - b))
  expect(new Set(seen).size).toBeGreaterThan(2)
})

/** How many records were read, looked at again and again until something ends, with all tables. */
async function watched(job: Job, end: Promise<unknown>): Promise<number[]> {
  const stop = new AbortController()
  const stopped = end.finally(() => {
    stop.abort()
  })
  const seen: number[] = []
  while (!stop.signal.aborted) {
    seen.push(await readSoFar(job))
    if (seen.at(-1) !== 0) await resultOf(job).catch(notYet)
  }
  await stopped
  return seen
}

/** A target that no flow has run into yet is no fault. */
function notYet(error: unknown): void {
  expect(error).toMatchObject({ code: 'NOT_FOUND' })
}
