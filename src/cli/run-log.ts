import { exitCodeOf, TidemarkError } from '../index.ts'
import type { RunTelemetry } from '../index.ts'
import type { Output } from './output.ts'

/** Writes a line of the log at once. A log that cannot be written stops no run. */
export async function send(stderr: Output, text: string): Promise<void> {
  try {
    await Promise.all([stderr.write(text), stderr.flush()])
  } catch {
    return
  }
}

/**
 * Does the work of a run, tells how it ended and gives the exit code.
 *
 * A log in JSON has the fault that ended the run as its last line, so that every line is JSON. In
 * any other case the fault is thrown, for main to print.
 *
 * @throws TidemarkError the fault, unless the log is JSON
 */
export async function telling(
  telemetry: RunTelemetry,
  log: 'text' | 'json' | null,
  work: () => Promise<void>,
): Promise<number> {
  const started = telemetry.seconds()
  try {
    await work()
  } catch (error) {
    if (log !== 'json' || !(error instanceof TidemarkError)) throw error
    const { code, plainMessage: message } = error
    const seconds = telemetry.seconds() - started
    telemetry.tell({ event: 'run_failed', code, message, seconds })
    return exitCodeOf(code)
  }
  telemetry.tell({ event: 'run_ended', seconds: telemetry.seconds() - started })
  return 0
}
