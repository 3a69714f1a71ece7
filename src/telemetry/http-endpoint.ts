import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { TidemarkError } from '../core/errors.ts'
import type { StreamLag } from '../ports/source.ts'
import type { TelemetryEvent } from '../ports/telemetry.ts'
import { LagSampler } from './lag-sampler.ts'
import { addressText } from './listen-address.ts'
import type { ListenAddress } from './listen-address.ts'
import { Readiness } from './readiness.ts'
import { RunMetrics } from './run-metrics.ts'

/**
 * Serves the figures and the health of a run: `/metrics` for Prometheus, `/healthz` (200 while
 * the process lives), `/readyz` (200 or 503, and where each flow stands).
 */
export class HttpEndpoint implements AsyncDisposable {
  readonly #readiness = new Readiness()
  readonly #metrics = new RunMetrics(() => this.#readiness.report())
  readonly #server = createServer((request, response) => {
    this.#answer(request, response).catch(() => {
      response.destroy()
    })
  })

  /** Listens; gives the address with the port that port 0 stands for. @throws TidemarkError `ADDRESS_IN_USE`, `USAGE` */
  async listen(wanted: ListenAddress): Promise<ListenAddress> {
    await listening(this.#server, wanted)
    this.#server.on('error', () => undefined)
    const bound = this.#server.address()
    const port = typeof bound === 'object' && bound !== null ? bound.port : wanted.port
    return { host: wanted.host, port }
  }

  /** Takes note of what happened. */
  note(event: TelemetryEvent): void {
    this.#readiness.note(event)
    this.#metrics.note(event)
  }

  /** Samples a flow's lag until the result is disposed of. */
  watch(flow: string, lag: () => Promise<readonly StreamLag[]>): Disposable {
    const sampler = new LagSampler({
      lag,
      everyMs: SAMPLE_MS,
      onSample: (sample) => {
        this.#metrics.sampled(flow, sample)
        if (sample !== null) this.#readiness.reached(flow)
      },
    })
    return {
      [Symbol.dispose]: () => {
        sampler[Symbol.dispose]()
        this.#metrics.forgetLag(flow)
      },
    }
  }

  /** Stops listening, and leaves no connection open. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#server.listening) return
    await new Promise<void>((resolve) => {
      this.#server.close(() => {
        resolve()
      })
      this.#server.closeAllConnections()
    })
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const { status, contentType, body } = isRead ? await this.#page(request.url ?? '') : NOT_ALLOWED
    const length = Buffer.byteLength(body)
    const allow = isRead ? {} : { allow: 'GET, HEAD' }
    response.writeHead(status, { ...allow, 'content-type': contentType, 'content-length': length })
    response.end(request.method === 'HEAD' ? undefined : body)
  }

  async #page(url: string): Promise<Page> {
    switch (url.split('?')[0]) {
      case '/metrics':
        return { status: 200, ...(await this.#metrics.text()) }
      case '/healthz':
        return { status: 200, contentType: TEXT, body: 'ok\n' }
      case '/readyz': {
        const report = this.#readiness.report()
        const body = `${JSON.stringify(report)}\n`
        return { status: report.ready ? 200 : 503, contentType: 'application/json', body }
      }
      default:
        return { status: 404, contentType: TEXT, body: 'see /metrics, /healthz, /readyz\n' }
    }
  }
}

type Page = { readonly status: number; readonly contentType: string; readonly body: string }

const TEXT = 'text/plain; charset=utf-8'
const NOT_ALLOWED: Page = { status: 405, contentType: TEXT, body: 'only to be read\n' }
const SAMPLE_MS = 5_000

function listening(server: Server, { host, port }: ListenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException): void => {
      reject(refusal(error, { host, port }))
    }
    server.once('error', onError)
    server.listen({ host, port }, () => {
      server.off('error', onError)
      resolve()
    })
  })
}

function refusal(error: NodeJS.ErrnoException, address: ListenAddress): TidemarkError {
  const text = addressText(address)
  if (error.code === 'EADDRINUSE') {
    return new TidemarkError(
      'ADDRESS_IN_USE',
      `another process listens on ${text}`,
      { address: text },
      error,
    )
  }
  const what = `nothing can listen on ${text}: ${error.message}`
  return new TidemarkError('USAGE', what, { address: text }, error)
}
