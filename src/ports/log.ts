/** Fields of a log event; never secrets. */
export type LogFields = Readonly<Record<string, string | number | boolean | null>>

/** Takes events with a name and fields, not prose. Names are listed in telemetry/events.ts. */
export interface Log {
  info(event: string, fields: LogFields): void
  warn(event: string, fields: LogFields): void
}
