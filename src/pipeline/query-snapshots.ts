import { jsonText } from '../core/display.ts'
import { TidemarkError } from '../core/errors.ts'
import { refuse } from '../core/refusal.ts'
import { sameValue, type Value } from '../core/value.ts'
import type { QueryRow, QuerySession } from '../ports/query.ts'
import type {
  Decoded,
  Shape,
  SnapshotSource,
  Source,
  SourceRecord,
  SourceSnapshot,
  StreamName,
} from '../ports/source.ts'
import { valueIn } from '../ports/source.ts'
import type { VersionSpec } from './flow-spec-type.ts'

/** Which query gives a table's rows, and where its version comes from. */
export type QuerySnapshotsOptions = {
  readonly flow: string
  /** What messages call the extract. */
  readonly name: string
  readonly query: string
  readonly version: Pick<VersionSpec, 'from' | 'column' | 'query'>
  readonly maxRecordBytes: number
  readonly open: () => Promise<QuerySession>
}

/**
 * A source of one full extract: the rows of a query, as they are when it is offered. The version and
 * the rows are read in one transaction, which ends when the source is closed.
 */
export function querySnapshots(options: QuerySnapshotsOptions): SnapshotSource {
  return new QuerySnapshots(options)
}

/** The rows of the snapshots that a source offers, as records of a source, for a look at their columns. */
export function rowsOfSnapshots(snapshots: SnapshotSource): Source {
  return {
    async *read(after, _mode, _limits, signal) {
      for (const offer of await snapshots.offers(after)) {
        for await (const records of offer.read(signal)) yield { records, checkpoints: [] }
      }
    },
    lag: (after) => snapshots.lag(after),
    [Symbol.asyncDispose]: () => snapshots[Symbol.asyncDispose](),
  }
}

/** A query asks for a whole table, so it is not asked often. */
const BETWEEN_LOOKS_MS = 60_000

type Records = readonly SourceRecord[]

class QuerySnapshots implements SnapshotSource {
  readonly #options: QuerySnapshotsOptions
  #session: QuerySession | null = null

  constructor(options: QuerySnapshotsOptions) {
    this.#options = options
  }

  async offers(): Promise<readonly SourceSnapshot[]> {
    const { name, version, open } = this.#options
    const session = (this.#session ??= await open())
    const rows = new Peeked(() => this.#records(session))
    return [
      {
        name,
        version: await this.#version(session, rows),
        isOfTheRun: version.from === 'run',
        isWhole: true,
        scope: null,
        declaredRows: null,
        force: [],
        checkpoints: [],
        read: (signal) => rows.read(signal),
      },
    ]
  }

  /** Ends the transaction, so that the next look sees what has changed meanwhile. */
  async wait(signal: AbortSignal): Promise<void> {
    await this[Symbol.asyncDispose]()
    if (signal.aborted) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, BETWEEN_LOOKS_MS)
      const stop = (): void => {
        clearTimeout(timer)
        resolve()
      }
      signal.addEventListener('abort', stop, { once: true })
    })
  }

  /** Nobody knows how much there is to read without reading it. */
  lag(): Promise<readonly []> {
    return Promise.resolve([])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const session = this.#session
    this.#session = null
    await session?.[Symbol.asyncDispose]()
  }

  async #version(session: QuerySession, rows: Peeked): Promise<Value> {
    const { version } = this.#options
    if (version.query !== null) return this.#only(session, version.query)
    if (version.column === null) return null
    const first = await rows.first()
    return first === null ? null : valueOf(first, version.column)
  }

  /** The one value that a query gives; null where it gives none. */
  async #only(session: QuerySession, query: string): Promise<Value> {
    const found: QueryRow[] = []
    for await (const { columns, rows } of session.rows(query)) {
      if (columns.length !== 1)
        throw this.#refused('the query of the version gives several columns')
      found.push(...rows)
      if (found.length > 1) throw this.#refused('the query of the version gives several rows')
    }
    const [row] = found
    if (row === undefined) return null
    if (row.fault !== null) throw this.#refused(`the version ${row.fault}`)
    return row.values[0] ?? null
  }

  async *#records(session: QuerySession): AsyncGenerator<Records, void> {
    const { name, query, version, maxRecordBytes } = this.#options
    const stream: StreamName = { name, partition: 0 }
    let shape: Shape | null = null
    let number = 0
    let first: Value | undefined
    for await (const { columns, rows } of session.rows(query)) {
      const names = (shape ??= this.#shape(columns))
      yield rows.map((row) => {
        number += 1
        const place = version.column === null ? -1 : names.names.indexOf(version.column)
        const own = place < 0 ? null : (row.values[place] ?? null)
        first ??= own
        const decoded = sameValue(own, first)
          ? decodedOf(row, names, maxRecordBytes)
          : refuse(
              'ENVELOPE',
              `its version is ${jsonText(own)}, that of the first ${jsonText(first)}`,
            )
        return recordOf({ stream, number, row, names, decoded })
      })
    }
  }

  #shape(names: readonly string[]): Shape {
    const twice = names.find((name, i) => names.indexOf(name) !== i)
    if (twice === undefined) return { names }
    throw this.#refused(`the query gives two columns "${twice}"; tell them apart with AS`)
  }

  #refused(what: string): TidemarkError {
    const { flow } = this.#options
    return new TidemarkError('SOURCE_REFUSED', `flow "${flow}": ${what}`, { flow })
  }
}

/** Batches of records whose first may be looked at before they are read. Read again, they are asked for again. */
class Peeked {
  readonly #make: () => AsyncGenerator<Records, void>
  #begun: { readonly batches: AsyncGenerator<Records, void>; readonly head: Records } | null = null

  constructor(make: () => AsyncGenerator<Records, void>) {
    this.#make = make
  }

  async first(): Promise<SourceRecord | null> {
    const batches = this.#make()
    const next: IteratorResult<Records, void> = await batches.next()
    const head = next.done === true ? [] : next.value
    this.#begun = { batches, head }
    return head[0] ?? null
  }

  async *read(signal: AbortSignal): AsyncGenerator<Records, void> {
    const { batches, head } = this.#begun ?? { batches: this.#make(), head: [] }
    this.#begun = null
    if (head.length > 0) yield head
    for await (const records of batches) {
      if (signal.aborted) return
      yield records
    }
  }
}

type Made = {
  readonly stream: StreamName
  readonly number: number
  readonly row: QueryRow
  readonly names: Shape
  readonly decoded: Decoded
}

/** A row as a record; its bytes are JSON, made only where somebody asks for them. */
function recordOf({ stream, number, row, names: { names }, decoded }: Made): SourceRecord {
  return {
    stream,
    number,
    get bytes() {
      const members = names.map(
        (name, i) => `${JSON.stringify(name)}:${jsonText(row.values[i] ?? null)}`,
      )
      return new TextEncoder().encode(`{${members.join(',')}}`)
    },
    decoded,
    timestamp: null,
  }
}

function decodedOf({ values, fault, sizeBytes }: QueryRow, shape: Shape, most: number): Decoded {
  if (fault !== null) return refuse('COLUMN_TYPE', fault)
  if (sizeBytes > most) return refuse('TOO_LARGE', `the row has some ${sizeBytes} bytes`)
  return { kind: 'image', shape, values, hint: null }
}

function valueOf({ decoded }: SourceRecord, column: string): Value {
  return decoded.kind === 'image' ? (valueIn(decoded, column) ?? null) : null
}
