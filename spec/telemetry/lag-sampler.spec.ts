import { expect, test } from 'vitest'
import type { StreamLag } from '../../src/ports/source.ts'
import { LagSampler } from '../../src/telemetry/lag-sampler.ts'
import { Signalled } from './signalled.ts'

const LAG: StreamLag = { name: 't', partition: 0, behind: 3, unit: 'records' }

test('the lag is asked for at once and again, one question at a time', async () => {
  let asked = 0
  let open = 0
  const lag = async () => {
    open += 1
    expect(open).toBe(1)
    asked += 1
    await new Promise(setImmediate)
    open -= 1
    return [{ ...LAG, behind: asked }]
  }
  const samples = await samplesOf(lag, 3)
  expect(samples).toEqual([1, 2, 3].map((behind) => [{ ...LAG, behind }]))
})

test('a lag that cannot be had is a sample of null, and is asked for again', async () => {
  let asked = 0
  const lag = () => {
    asked += 1
    if (asked === 1) return Promise.reject(new Error('no broker'))
    if (asked === 2) throw new Error('the store is closed')
    return Promise.resolve([LAG])
  }
  expect(await samplesOf(lag, 3)).toEqual([null, null, [LAG]])
})

test('an answer that does not come is a sample of null', async () => {
  expect(await samplesOf(() => new Promise(() => undefined), 1)).toEqual([null])
})

test('nothing is told after the end, an answer on its way included', async () => {
  const answer = new Signalled<readonly StreamLag[]>()
  const asked = new Signalled()
  const samples: unknown[] = []
  const sampler = new LagSampler({
    lag: () => {
      asked.resolve()
      return answer.promise
    },
    everyMs: 1,
    onSample: (sample) => samples.push(sample),
  })
  await asked.promise
  sampler[Symbol.dispose]()
  answer.resolve([LAG])
  await new Promise(setImmediate)
  expect(samples).toEqual([])
})

/** The first so many samples. */
async function samplesOf(
  lag: () => Promise<readonly StreamLag[]>,
  count: number,
): Promise<readonly unknown[]> {
  const samples: unknown[] = []
  const enough = new Signalled()
  using _ = new LagSampler({
    lag,
    everyMs: 5,
    onSample: (sample) => {
      samples.push(sample)
      if (samples.length === count) enough.resolve()
    },
  })
  await enough.promise
  return samples
}
