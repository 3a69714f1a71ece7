import type { Telemetry } from '../ports/telemetry.ts'

/** Tells nobody anything. */
export const SILENT: Telemetry = {
  countsUnknown: false,
  tell: () => undefined,
  watch: () => ({ [Symbol.dispose]: () => undefined }),
  seconds: () => 0,
}
