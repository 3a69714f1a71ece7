import { median } from '../measure.ts'
import type { Soaked } from './soak.ts'

/** What has to hold of a soak. */
export type Bounds = {
  /** The most that memory may grow from the first third of the time to the last, as a factor; null where it is too short to tell. */
  readonly growth: number | null
  readonly peakMb: number
  /** The most messages that may wait, once the run has started. */
  readonly lag: number
}

/** This part of the time is for starting: code that is not warm, pages of the store that are not in memory. */
const START = 0.1

/** The figures of a soak, and whether they are within bounds. */
export function verdictOf(
  { samples, messages, caughtUpInSeconds, faults }: Soaked,
  bounds: Bounds,
): { readonly lines: readonly string[]; readonly isGood: boolean } {
  const settled = samples.slice(Math.ceil(samples.length * START))
  const memory = settled.map(({ residentMb }) => residentMb)
  const third = Math.floor(memory.length / 3)
  const [first, last] = [median(memory.slice(0, third)), median(memory.slice(-third))]
  const growth = last / first
  const peakMb = Math.max(...memory)
  const lags = settled.slice(third).map(({ lag }) => lag)
  const most = Math.max(...lags)
  const allowed = bounds.growth === null ? 'too short to judge' : `${bounds.growth} allowed`
  const checks = [
    {
      isGood: bounds.growth === null || growth <= bounds.growth,
      text: `memory: ${first.toFixed(0)} MB in the first third, ${last.toFixed(0)} MB in the last, ${growth.toFixed(2)} times as much, ${allowed}`,
    },
    {
      isGood: peakMb <= bounds.peakMb,
      text: `memory: ${peakMb.toFixed(0)} MB at most, ${bounds.peakMb} MB allowed`,
    },
    {
      isGood: most <= bounds.lag,
      text: `lag: ${median(lags).toFixed(0)} messages as a rule, ${most} at most, ${bounds.lag} allowed; the last was committed after ${caughtUpInSeconds.toFixed(1)} s`,
    },
    {
      isGood: faults.length === 0,
      text:
        faults.length === 0
          ? `all ${messages} messages accepted once, tables right`
          : faults.join('; '),
    },
  ]
  return {
    lines: checks.map(({ isGood, text }) => `${isGood ? 'good ' : 'WRONG'} ${text}`),
    isGood: checks.every(({ isGood }) => isGood),
  }
}
