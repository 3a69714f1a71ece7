import { median } from '../measure.ts'
import type { Sample, Soaked } from './soak.ts'

/** What has to hold of a soak. */
export type Bounds = {
  /**
   * The most that memory may grow from the first third of the time to the last, as a factor,
   * beside what SQLite's cache takes of a growing store; null where it is too short to tell.
   */
  readonly growth: number | null
  /** How much of a store SQLite keeps in memory at most. */
  readonly cacheMb: number
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
  const third = Math.floor(settled.length / 3)
  const middle = (of: (sample: Sample) => number) => {
    const figures = settled.map(of)
    return [median(figures.slice(0, third)), median(figures.slice(-third))] as const
  }
  const memory = settled.map(({ residentMb }) => residentMb)
  const [first, last] = middle(({ residentMb }) => residentMb)
  const [cachedFirst, cachedLast] = middle(({ storeMb }) => Math.min(storeMb, bounds.cacheMb))
  const cached = cachedLast - cachedFirst
  const growth = (last - cached) / first
  const peakMb = Math.max(...memory)
  const lags = settled.slice(third).map(({ lag }) => lag)
  const most = Math.max(...lags)
  const allowed = bounds.growth === null ? 'too short to judge' : `${bounds.growth} allowed`
  const checks = [
    {
      isGood: bounds.growth === null || growth <= bounds.growth,
      text: `memory: ${first.toFixed(0)} MB in the first third, ${last.toFixed(0)} MB in the last, ${cached.toFixed(0)} MB of that more of the store; the rest grew ${growth.toFixed(2)} times, ${allowed}`,
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
