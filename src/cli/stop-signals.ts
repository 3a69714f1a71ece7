const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/**
 * Turns the first SIGINT or SIGTERM into an abort, so that a run ends after its current batch.
 * A second one does what it does by default: it ends the process at once, which a store survives.
 */
export class StopSignals implements Disposable {
  readonly #controller = new AbortController()
  readonly #stop = (): void => {
    this[Symbol.dispose]()
    this.#controller.abort()
  }

  constructor() {
    for (const name of SIGNALS) process.on(name, this.#stop)
  }

  /** Aborts with the first signal. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Stops listening. */
  [Symbol.dispose](): void {
    for (const name of SIGNALS) process.off(name, this.#stop)
  }
}
