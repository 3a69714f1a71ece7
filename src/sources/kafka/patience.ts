import { TidemarkError } from '../../core/errors.ts'
import type { OnNotice, RetryOptions } from './options.ts'

/** What fails where no broker can be asked what there is. */
export const THE_CLUSTER = 'the cluster'

/**
 * Says how long to wait before trying again, and when to give up: a bounded run after so many
 * attempts in a row, a continuous one never. An outage is told once when it begins and once
 * when it is over, whatever it consists of.
 */
export class Patience {
  readonly #retry: RetryOptions
  readonly #mode: 'bounded' | 'continuous'
  readonly #onNotice: OnNotice
  readonly #failures = new Map<string, number>()

  constructor(
    retry: RetryOptions,
    { mode, onNotice }: { readonly mode: 'bounded' | 'continuous'; readonly onNotice: OnNotice },
  ) {
    this.#retry = retry
    this.#mode = mode
    this.#onNotice = onNotice
  }

  /**
   * Something failed once more. Gives the milliseconds to wait.
   *
   * @param what names what failed: a broker, a partition
   * @param kind whether waiting can mend it; otherwise continuous runs give up too
   * @throws TidemarkError `SOURCE_UNAVAILABLE`
   */
  failed(what: string, error: Error, kind: 'outage' | 'damage' = 'outage'): number {
    const { attempts, firstDelayMs, longestDelayMs } = this.#retry
    const before = this.#failures.get(what) ?? 0
    if (before + 1 >= attempts && (this.#mode === 'bounded' || kind === 'damage')) {
      const tries = before === 0 ? '' : ` after ${before + 1} attempts`
      throw new TidemarkError(
        'SOURCE_UNAVAILABLE',
        `${what}: ${error.message}${tries}`,
        { what, attempts: before + 1 },
        error,
      )
    }

    const isFirst = this.#failures.size === 0
    this.#failures.set(what, before + 1)
    if (isFirst) this.#onNotice('source_unavailable', { what, reason: error.message })
    // Some jitter, so that many workers do not come back in step.
    const delay = Math.min(firstDelayMs * 2 ** Math.min(before, 20), longestDelayMs)
    return delay * (0.75 + Math.random() / 4)
  }

  succeeded(what: string): void {
    if (this.#failures.delete(what) && this.#failures.size === 0) {
      this.#onNotice('source_available', {})
    }
  }

  /** What does not matter any more neither fails nor succeeds. */
  forget(matters: (what: string) => boolean): void {
    for (const what of this.#failures.keys()) if (!matters(what)) this.succeeded(what)
  }
}
