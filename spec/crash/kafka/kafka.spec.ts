import { setTimeout } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { describeWithKafka } from '../../kafka/describe-with-kafka.ts'
import { build, runToEnd } from '../command.ts'
import { Random } from '../random.ts'
import { readWhole, rowsIn } from './group.ts'
import { FLOW_NAMES } from './kafka-job.ts'
import { INCIDENTS, Scenario } from './scenario.ts'

/** How often the job is killed; `CRASH_KILLS=50` or more for the long form. Every incident happens at least once. */
const KILLS = Math.max(2 * INCIDENTS.length, Number(process.env['CRASH_KILLS'] ?? 0))

const seed = Number(process.env['CRASH_SEED'] ?? Date.now() % 1_000_000)

describeWithKafka('jobs on a real broker', () => {
  beforeAll(build, 120_000)

  test(
    `10 a job that is killed ${KILLS} times, and one that a group shares, make what an undisturbed one makes (CRASH_SEED=${seed})`,
    async () => {
      const random = new Random(seed)
      await using scenario = await Scenario.start(random)
      const started = performance.now()
      await scenario.readMoreThan(0)
      const startMs = performance.now() - started

      let killedMidway = 0
      let before = 0
      for (let kill = 0; kill < KILLS; kill += 1) {
        const writing = scenario.write(4)
        await setTimeout(random.below(startMs * 2))
        const incident = INCIDENTS[((kill - 1) / 2) % INCIDENTS.length]
        if (incident !== undefined) {
          await writing
          await scenario.happen(incident)
        }
        const { read, isMidway } = await scenario.kill()
        if (isMidway && read > before) killedMidway += 1
        before = read
        await writing
      }
      expect(killedMidway).toBeGreaterThan(0)
      await expectNothingLostOrTwice(scenario, await scenario.finish())
    },
    240_000 + KILLS * 15_000,
  )
})

/** Holds the tables against those of an undisturbed run and the source, and the counts against the topic. */
async function expectNothingLostOrTwice(
  scenario: Scenario,
  ends: ReadonlyMap<number, number>,
): Promise<void> {
  const { alone, group, feed, writer } = scenario
  using undisturbed = scenario.undisturbed()
  expect(await runToEnd(['run', undisturbed.flows])).toMatchObject({ code: 0, err: '' })
  for (const flow of FLOW_NAMES) {
    const expected = undisturbed.result(flow)
    expect(expected.counts).toMatchObject({ read: writer.written, quarantined: 0 })
    expect(alone.result(flow)).toEqual(expected)

    const members = [group.first.result(flow), group.second.result(flow)] as const
    const covered = new Set<number>()
    for (const member of members) {
      const { counts, checkpoints } = member
      expect(counts).toMatchObject({ read: writer.visibleBefore(checkpoints), quarantined: 0 })
      expect(counts.read).toBeGreaterThan(0)
      const whole = readWhole(member, ends)
      expect(rowsIn(member, whole)).toEqual(rowsIn(expected, whole))
      for (const partition of whole) covered.add(partition)
    }
    expect(covered).toEqual(new Set(ends.keys()))
  }
  const latest = [...undisturbed.result('latest').rows.values()].flat()
  expect(latest.map((row): unknown => JSON.parse(row))).toEqual(feed.rows)
}
