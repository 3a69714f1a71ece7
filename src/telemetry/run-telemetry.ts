import type { StreamLag } from '../ports/source.ts'
import type { LogLevel, Telemetry, TelemetryEvent } from '../ports/telemetry.ts'
import { EVENTS } from './events.ts'
import type { HttpEndpoint } from './http-endpoint.ts'
import { listenAddress } from './listen-address.ts'
import { isLogged, logLevel } from './log-level.ts'
import { textLine } from './text-line.ts'

/** What to tell of a run, and where. */
export type TelemetryOptions = {
  /** The form of the log; null for none. */
  readonly log: 'text' | 'json' | null
  /** The least level that is logged, a word; null is `info`. */
  readonly level: string | null
  /** Where figures are served, `HOST:PORT`; null for nowhere. */
  readonly metrics: string | null
  /** Takes a line of the log, with its end, at once. */
  readonly write: (line: string) => void
}

/** Tells of a run what was asked for. What is not asked for is not even loaded. */
export class RunTelemetry implements Telemetry, AsyncDisposable {
  readonly #log: EventLog
  readonly #endpoint: HttpEndpoint | null

  /** Use {@link openTelemetry}. */
  constructor(log: EventLog, endpoint: HttpEndpoint | null) {
    this.#log = log
    this.#endpoint = endpoint
  }

  tell(event: TelemetryEvent): void {
    this.#endpoint?.note(event)
    this.#log(event)
  }

  watch(flow: string, lag: () => Promise<readonly StreamLag[]>): Disposable {
    return this.#endpoint?.watch(flow, lag) ?? UNWATCHED
  }

  seconds(): number {
    return performance.now() / 1000
  }

  /** Stops serving figures. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#endpoint?.[Symbol.asyncDispose]()
  }
}

/** Takes events, and writes those of its level. */
type EventLog = (event: TelemetryEvent) => void

const UNWATCHED: Disposable = { [Symbol.dispose]: () => undefined }

/**
 * Opens the log and the endpoint of a run, and tells where the endpoint listens.
 *
 * @throws TidemarkError `USAGE` for a level or an address that is none, `ADDRESS_IN_USE`
 */
export async function openTelemetry(options: TelemetryOptions): Promise<RunTelemetry> {
  const { metrics } = options
  const level = logLevel(options.level)
  const log = await openLog(options, level)
  if (metrics === null) return new RunTelemetry(log, null)

  const wanted = listenAddress(metrics)
  const { HttpEndpoint: Endpoint } = await import('./http-endpoint.ts')
  const endpoint = new Endpoint()
  const { host, port } = await endpoint.listen(wanted)
  const telemetry = new RunTelemetry(log, endpoint)
  telemetry.tell({ event: 'metrics_listening', host, port })
  return telemetry
}

async function openLog({ log, write }: TelemetryOptions, least: LogLevel): Promise<EventLog> {
  switch (log) {
    case null:
      return () => undefined
    case 'text':
      return (event) => {
        if (isLogged(EVENTS[event.event].level, least)) write(`${textLine(event, new Date())}\n`)
      }
    case 'json': {
      const { jsonLog } = await import('./json-log.ts')
      return jsonLog(least, write)
    }
  }
}
