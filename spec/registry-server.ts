import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A schema as a test gives it to the server. */
export type ServedSchema = {
  readonly schema: string
  readonly schemaType?: 'AVRO' | 'PROTOBUF' | 'JSON'
  readonly references?: readonly {
    readonly name: string
    readonly subject: string
    readonly version: number
  }[]
}

/** What the server has, and how it is to behave. */
export type Served = {
  /** By id. */
  readonly ids?: Readonly<Record<string, ServedSchema>>
  readonly guids?: Readonly<Record<string, ServedSchema>>
  /** By `subject/version`. */
  readonly versions?: Readonly<Record<string, ServedSchema>>
  /** The only `Authorization` that is let in. */
  readonly authorization?: string
}

/**
 * A schema registry on a port of its own: a real HTTP server with the answers and errors of
 * Confluent's interface, as far as readers need it, and faults on demand.
 */
export class RegistryServer implements AsyncDisposable {
  readonly url: string
  /** The paths that were asked for, in order. */
  readonly requests: string[] = []
  readonly #server: Server
  #served: Served
  readonly #faults: Fault[] = []

  private constructor(server: Server, served: Served) {
    this.#server = server
    this.#served = served
    server.on('request', (request, response) => this.#answer(request, response))
    this.url = `http://127.0.0.1:${portOf(server)}`
  }

  static async start(served: Served): Promise<RegistryServer> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new RegistryServer(server, served)
  }

  /** From now on it has this. */
  serve(served: Served): void {
    this.#served = served
  }

  /** The next requests, one each, get a status and a text, or `'hang up'`, or an answer that is cut off, or none at all. */
  failWith(...faults: Fault[]): void {
    this.#faults.push(...faults)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? ''
    this.requests.push(path)
    const fault = this.#faults.shift()
    if (fault === 'silence') return
    if (fault === 'hang up') {
      request.socket.destroy()
      return
    }
    if (fault === 'cut off') {
      response.writeHead(200, { 'content-length': '100' })
      response.write('{"schema":', () => request.socket.destroy())
      return
    }
    if (fault !== undefined) {
      response.writeHead(fault.status).end(fault.text)
      return
    }
    const { authorization } = this.#served
    if (authorization !== undefined && request.headers.authorization !== authorization) {
      send(response, 401, { error_code: 401, message: 'Unauthorized' })
      return
    }
    const found = this.#find(path)
    if (found === undefined) {
      send(response, 404, { error_code: 40_403, message: 'Schema not found' })
      return
    }
    send(response, 200, found)
  }

  #find(path: string): ServedSchema | undefined {
    const [, kind, name = '', version] =
      /^\/(schemas\/ids|schemas\/guids|subjects)\/([^/?]+)(?:\/versions\/(\d+))?(?:\?|$)/.exec(
        path,
      ) ?? []
    if (kind === 'schemas/ids') return this.#served.ids?.[name]
    if (kind === 'schemas/guids') return this.#served.guids?.[name]
    return this.#served.versions?.[`${decodeURIComponent(name)}/${version}`]
  }
}

type Fault = 'hang up' | 'cut off' | 'silence' | { readonly status: number; readonly text: string }

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/vnd.schemaregistry.v1+json' })
  response.end(JSON.stringify(body))
}
