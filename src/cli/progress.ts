import type { Progress } from '../index.ts'
import type { Output } from './output.ts'
import { grouped } from './render/summary.ts'
import { cut, visible } from './render/text.ts'

/** Runs shorter than this stay quiet. */
const QUIET_SECONDS = 1
/** The eye does not need more. */
const BETWEEN_SECONDS = 0.1

/**
 * One line of a terminal, rewritten while a run goes on: flow, records, records per second.
 *
 * It takes its time from what it is told, so it has no timer to stop. {@link ProgressLine.clear}
 * leaves no trace of it.
 */
export class ProgressLine {
  readonly #err: Output
  readonly #columns: number
  #drawnAt: number | null = null

  constructor(err: Output, columns: number) {
    this.#err = err
    this.#columns = columns
  }

  /** Shows how far a run has come, unless it is too early or too soon. */
  async show(progress: Progress): Promise<void> {
    const { seconds } = progress
    if (seconds < QUIET_SECONDS) return
    if (this.#drawnAt !== null && Math.abs(seconds - this.#drawnAt) < BETWEEN_SECONDS) return
    this.#drawnAt = seconds
    await this.#write(`\r${cut(progressText(progress), this.#columns - 1)}${CLEAR_TO_END}`)
  }

  /** Takes the line away, if it was ever shown. */
  async clear(): Promise<void> {
    if (this.#drawnAt === null) return
    this.#drawnAt = null
    await this.#write(`\r${CLEAR_TO_END}`)
  }

  async #write(text: string): Promise<void> {
    await this.#err.write(text)
    await this.#err.flush()
  }
}

const CLEAR_TO_END = '\u001b[K'

function progressText({ flow, read, seconds }: Progress): string {
  const rate = grouped(Math.round(read / seconds))
  return `${visible(flow)}  ${grouped(read)} records  ${rate} records/s`
}
