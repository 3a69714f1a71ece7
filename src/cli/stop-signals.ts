const SIGNALS = ['SIGINT', 'SIGTERM'] as const

type Stop = (typeof SIGNALS)[number]

/**
 * Turns the first SIGINT or SIGTERM into an abort, so that a run ends after its current batch.
 * A second one does what it does by default: it ends the process at once, which a store survives.
 */
export class StopSignals implements Disposable {
  readonly #controller = new AbortController()
  readonly #listeners: ReadonlyMap<Stop, () => void>

  /** `onStop` is called with the first signal, before the abort. */
  constructor(onStop: (signal: Stop) => void = () => undefined) {
    const stop = (name: Stop) => (): void => {
      this[Symbol.dispose]()
      onStop(name)
      this.#controller.abort()
    }
    this.#listeners = new Map(SIGNALS.map((name) => [name, stop(name)]))
    for (const [name, listener] of this.#listeners) process.on(name, listener)
  }

  /** Aborts with the first signal. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Stops listening. */
  [Symbol.dispose](): void {
    for (const [name, listener] of this.#listeners) process.off(name, listener)
  }
}
