import { pino } from 'pino'
import type { LogLevel, TelemetryEvent } from '../ports/telemetry.ts'
import { EVENTS, fieldsOf } from './events.ts'

/**
 * Writes events as JSON, one a line: `level`, `time` (ISO 8601, UTC), `event`, then the fields.
 * `write` is called at once, with the end of the line.
 */
export function jsonLog(
  level: LogLevel,
  write: (line: string) => void,
): (event: TelemetryEvent) => void {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write },
  )
  return (event) => {
    const fields = { event: event.event, ...Object.fromEntries(fieldsOf(event)) }
    logger[EVENTS[event.event].level](fields)
  }
}
