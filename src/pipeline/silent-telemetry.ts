import type { Telemetry } from '../ports/telemetry.ts'

/** Tells nobody anything. */
export const SILENT: Telemetry = {
  tell: () => undefined,
  watch: () => ({ [Symbol.dispose]: () => undefined }),
  seconds: () => 0,
}
