import type { StreamLag } from '../ports/source.ts'

/** What a sampler samples, how often, and who hears of it. */
export type LagSampling = {
  readonly lag: () => Promise<readonly StreamLag[]>
  readonly everyMs: number
  /** Null where the lag could not be had, or not in time. */
  readonly onSample: (lag: readonly StreamLag[] | null) => void
}

/**
 * Asks for a flow's lag now and then, until it is disposed of. Its timers keep no process alive; it
 * asks once at a time, and an answer that does not come counts as none.
 */
export class LagSampler implements Disposable {
  readonly #sampling: LagSampling
  #timer: NodeJS.Timeout | null = null
  #isOver = false

  constructor(sampling: LagSampling) {
    this.#sampling = sampling
    this.#sampleIn(0)
  }

  /** Asks no more, and tells nothing more. */
  [Symbol.dispose](): void {
    this.#isOver = true
    if (this.#timer !== null) clearTimeout(this.#timer)
  }

  #sampleIn(ms: number): void {
    if (this.#isOver) return
    this.#timer = setTimeout(() => void this.#sample(), ms).unref()
  }

  async #sample(): Promise<void> {
    const { everyMs } = this.#sampling
    const overdue = setTimeout(() => {
      this.#tell(null)
    }, everyMs * PATIENCE).unref()
    this.#tell(await this.#ask())
    clearTimeout(overdue)
    this.#sampleIn(everyMs)
  }

  async #ask(): Promise<readonly StreamLag[] | null> {
    try {
      return await this.#sampling.lag()
    } catch {
      return null
    }
  }

  #tell(lag: readonly StreamLag[] | null): void {
    if (!this.#isOver) this.#sampling.onSample(lag)
  }
}

/** So many intervals an answer may take. */
const PATIENCE = 2
