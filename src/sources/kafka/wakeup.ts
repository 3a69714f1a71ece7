/** A bell: whoever waits goes on when it rings, when the time is over, or when a signal aborts. */
export class Wakeup {
  #isRung = false
  #wake: (() => void) | null = null

  /** Rings; if nobody waits, the next one does not have to. */
  ring(): void {
    this.#isRung = true
    this.#wake?.()
  }

  /** For one waiter at a time. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#isRung && !signal.aborted && ms > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(done, Math.min(ms, LONGEST_TIMER_MS))
        const wake = (): void => done()
        signal.addEventListener('abort', wake)
        this.#wake = wake
        function done(): void {
          clearTimeout(timer)
          signal.removeEventListener('abort', wake)
          resolve()
        }
      })
    }
    this.#wake = null
    this.#isRung = false
  }
}

/** Longer timers than this fire at once. */
const LONGEST_TIMER_MS = 2_147_483_647
