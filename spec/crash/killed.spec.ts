import { setTimeout } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { build, Running, runToEnd } from './command.ts'
import { filledJob, readSoFar, resultOf, type Job, type Result } from './job.ts'
import { Random } from './random.ts'

/** How many kills there are; `CRASH_KILLS=100` or more for the long form. */
const KILLS = Number(process.env['CRASH_KILLS'] ?? 8)

/** No more kills of one run than this: every so often one has to come to its end. */
const KILLS_PER_RUN = 6

const seed = Number(process.env['CRASH_SEED'] ?? Date.now() % 1_000_000)

beforeAll(build, 120_000)

test(
  `10 a run that is killed ${KILLS} times and goes on makes what an undisturbed one makes (CRASH_SEED=${seed})`,
  async () => {
    const random = new Random(seed)
    const feedSeed = random.below(1_000_000)
    const { expected, total, milliseconds } = await undisturbed(feedSeed)

    let kills = 0
    let inTheMiddle = 0
    while (kills < KILLS) {
      using job = filledJob(feedSeed)
      for (let i = 0; i < KILLS_PER_RUN && kills < KILLS; i += 1) {
        if (!(await killed(job, random.below(milliseconds)))) break
        kills += 1
        const read = await readSoFar(job)
        if (read > 0 && read < total) inTheMiddle += 1
      }
      expect(await runToEnd(['run', job.flows])).toMatchObject({ code: 0, err: '' })
      expect(await resultOf(job)).toEqual(expected)
    }
    expect(inTheMiddle).toBeGreaterThan(0)
  },
  120_000 + KILLS * 10_000,
)

/** What the job makes if nothing happens, how many records it reads, and how long it takes. */
async function undisturbed(feedSeed: number) {
  using job = filledJob(feedSeed)
  const started = performance.now()
  expect(await runToEnd(['run', job.flows])).toMatchObject({ code: 0, err: '' })
  const milliseconds = performance.now() - started

  const expected: Result = await resultOf(job)
  expect(expected.findings).toEqual([])
  expect(expected.quarantine.length).toBeGreaterThan(100)
  return { expected, total: await readSoFar(job), milliseconds }
}

/** Starts a run and kills it after a while; false if it was done before. */
async function killed(job: Job, afterMs: number): Promise<boolean> {
  const running = new Running(['run', job.flows])
  await setTimeout(afterMs)
  const { signal, code, err } = await running.stop('SIGKILL')
  if (signal === null) expect({ code, err }).toEqual({ code: 0, err: '' })
  return signal === 'SIGKILL'
}
