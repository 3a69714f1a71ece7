import { appendFileSync, writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { build, ONLY_INFO, Running, runToEnd } from './command.ts'
import { feedLines, Job, readSoFar, resultOf, type Result } from './job.ts'
import { Random } from './random.ts'

/** How many kills there are; a quarter of `CRASH_KILLS` in the long form, since each run must live for a while. */
const KILLS = Math.ceil(Number(process.env['CRASH_KILLS'] ?? 12) / 4)

const seed = Number(process.env['CRASH_SEED'] ?? Date.now() % 1_000_000)

beforeAll(build, 120_000)

test(
  `10 a run that follows a growing file and is killed ${KILLS} times reads every line once (CRASH_SEED=${seed})`,
  async () => {
    const random = new Random(seed)
    const text = feedLines(random, 400 + 40 * KILLS, 0).join('')
    const pieces = cutAnywhere(random, text, KILLS * 8)
    using job = new Job()

    let kills = 0
    let onTheWay = 0
    for (; kills < KILLS; kills += 1) {
      const running = new Running(['run', job.flows, '--continuous'])
      const before = await readSoFar(job)
      for (const piece of pieces.splice(0, 8)) {
        appendFileSync(job.feed('growing.ndjson'), piece)
        await setTimeout(random.below(120))
      }
      // The first is killed on its way however slowly it starts; the others wherever they are.
      if (kills === 0) await expect.poll(() => readSoFar(job), { timeout: 20_000 }).not.toBe(before)
      await setTimeout(random.below(400))
      expect((await running.stop('SIGKILL')).signal).toBe('SIGKILL')
      if ((await readSoFar(job)) > before) onTheWay += 1
    }
    for (const piece of pieces) appendFileSync(job.feed('growing.ndjson'), piece)

    expect(onTheWay).toBeGreaterThan(0)
    expect(await runToEnd(['run', job.flows])).toMatchObject({ code: 0, err: '' })
    expect(await resultOf(job)).toEqual(await undisturbed(text))
  },
  120_000 + KILLS * 10_000,
)

test('a run that follows a file leaves a line without an end until its end comes, and stops cleanly', async () => {
  const lines = feedLines(new Random(1), 20, 0)
  const text = lines.join('')
  using job = new Job()
  writeFileSync(job.feed('growing.ndjson'), text.slice(0, -10))

  const running = new Running(['run', job.flows, '--continuous'])
  await read(job, 19)
  appendFileSync(job.feed('growing.ndjson'), text.slice(-10))
  await read(job, 20)
  expect(await running.stop('SIGTERM')).toMatchObject({ code: 0, signal: null, err: ONLY_INFO })
  expect(await resultOf(job)).toEqual(await undisturbed(text))
})

/** Waits until every flow has read so many records. */
async function read(job: Job, records: number): Promise<void> {
  await expect.poll(() => readSoFar(job), { timeout: 20_000, interval: 50 }).toBe(records * FLOWS)
}

/** Flows of a job. */
const FLOWS = 5

async function undisturbed(text: string): Promise<Result> {
  using job = new Job()
  writeFileSync(job.feed('growing.ndjson'), text)
  expect(await runToEnd(['run', job.flows])).toMatchObject({ code: 0, err: '' })
  return await resultOf(job)
}

/** So many pieces, cut anywhere: in the middle of lines and of values. */
function cutAnywhere(random: Random, text: string, count: number): string[] {
  const cuts = Array.from({ length: count - 1 }, () => random.below(text.length))
  const ends = [...cuts, text.length].toSorted((a, b) => a - b)
  return ends.map((end, i) => text.slice(ends[i - 1] ?? 0, end))
}
