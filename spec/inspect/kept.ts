import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { plainText } from '../../src/core/display.ts'
import { JsonRecords } from '../../src/formats/json-record.ts'
import { examine } from '../../src/inspect/doctor.ts'
import { keyLife, type KeyLife, type LifeEvent } from '../../src/inspect/history.ts'
import { keyFrom, type OutputRow } from '../../src/inspect/rows.ts'
import { flowStatus, type FlowStatus } from '../../src/inspect/status.ts'
import type { Value } from '../../src/core/value.ts'
import { Engine } from '../../src/pipeline/engine.ts'
import type { FlowFile } from '../../src/pipeline/flow-spec-type.ts'
import { parseFlowFile } from '../../src/pipeline/flow-spec.ts'
import type { SourceRecord, StreamLag, StreamName } from '../../src/ports/source.ts'
import { SqliteExpressions } from '../../src/stores/sqlite/expressions/sqlite-expressions.ts'
import { SqliteStore } from '../../src/stores/sqlite/sqlite-store.ts'

/** Options of a flow beyond the ones that these examples take for granted. */
export type Options = Readonly<Record<string, unknown>>

/** A record of a feed: `op` may be `D`, which deletes, or `T`, which truncates. */
export type Event = Readonly<Record<string, unknown>>

/** The values of the key columns, by name. */
export type KeyValues = Readonly<Record<string, Value>>

/** A file of the feed. */
export const FILE: StreamName = { name: 'feed/a.ndjson', partition: 0 }

const expressions = new SqliteExpressions()

/**
 * What the engine keeps in a real SQLite file of flows into the target `t`, keyed by `id` and
 * ordered by `s`. A batch is a commit; the clock ticks a microsecond per commit, from 1970 on.
 */
export class Kept implements Disposable {
  private readonly place = mkdtempSync(join(tmpdir(), 'tidemark-inspect-'))
  private readonly path = join(this.place, 'store.db')
  private readonly file: FlowFile
  private readonly read = new Map<string, number>()
  private store: SqliteStore
  private engine: Engine
  private clock = 0n

  constructor(...flows: readonly Options[]) {
    const given = flows.length === 0 ? [{}] : flows
    const written = given.map((flow, i) => ({ ...GIVEN, name: `f${i}`, ...flow }))
    this.file = parseFlowFile({ store: { sqlite: 'store.db' }, flows: written }, this.place)
    this.store = new SqliteStore(this.path)
    this.engine = this.start()
  }

  /** Commits a batch of the first flow, read from a file. */
  feed(...events: readonly Event[]): this {
    return this.feedFrom('f0', FILE, ...events)
  }

  /** Commits a batch of a flow, the next records of a stream. */
  feedFrom(flow: string, stream: StreamName, ...events: readonly Event[]): this {
    const spec = this.file.flows.find(({ name }) => name === flow)
    if (spec === undefined) throw new Error(`no flow ${flow}`)
    const place = JSON.stringify([flow, stream])
    const next = this.read.get(place) ?? 1
    this.read.set(place, next + events.length)
    const checkpoint = { ...stream, next: next + events.length, state: '' }
    const records = events.map((event, i) => recordOf(stream, next + i, event))
    this.engine.open(spec, false).commit({ records, checkpoints: [checkpoint] })
    return this
  }

  /** The life of a key. */
  life(key: KeyValues): KeyLife {
    const facts = this.store.target('t')
    if (facts === null) throw new Error('nothing was fed')
    return keyLife(this.store, facts, keyFrom(facts, key))
  }

  /** The events of a key: what it wrote, where it stands, and the row after it. */
  events(key: KeyValues): string[] {
    return this.life(key).events.map(drawEvent)
  }

  /** The versions of a key: each value with the event that wrote it. */
  versions(key: KeyValues): string[] {
    return this.life(key).versions.map(
      ({ startAt, endAt, systemStartAt, systemEndAt, row, writers }) =>
        [
          `[${bound(startAt)}, ${bound(endAt)})`,
          ...(systemStartAt === null
            ? []
            : [`known [${bound(systemStartAt)}, ${bound(systemEndAt)})`]),
          ...row.names.flatMap((name, i) =>
            name === 'id'
              ? []
              : [`${name}=${text(row.values[i] ?? null)} (${writers[name] ?? 'nobody'})`],
          ),
        ].join(' '),
    )
  }

  /** Where a flow stands. */
  status(flow: string, lag: readonly StreamLag[]): FlowStatus {
    return flowStatus(this.store, { name: flow, target: 't' }, lag)
  }

  /** What doctor finds wrong, a line each. */
  get findings(): string[] {
    const flows = this.file.flows.map(({ name }) => name)
    return Array.from(
      examine(this.store, this.store.targets(), flows),
      ({ target, law, message }) => `${target} ${law}: ${message}`,
    )
  }

  /** Does something to the file past the engine, and goes on as a process that was started again. */
  damage(...statements: readonly string[]): this {
    this.store[Symbol.dispose]()
    const db = new Database(this.path)
    for (const sql of statements) {
      if (db.prepare(sql).run().changes === 0 && /^(UPDATE|DELETE|INSERT)/.test(sql)) {
        throw new Error(`nothing was damaged by ${sql}`)
      }
    }
    db.close()
    this.store = new SqliteStore(this.path)
    this.engine = this.start()
    return this
  }

  [Symbol.dispose](): void {
    this.store[Symbol.dispose]()
    rmSync(this.place, { recursive: true })
  }

  private start(): Engine {
    return new Engine(this.file, {
      store: this.store,
      clock: { micros: () => (this.clock += 1n) },
      expressions,
      openSource: () => {
        throw new Error('these flows are fed, not run')
      },
    })
  }
}

const GIVEN = {
  target: 't',
  source: { events: true },
  keys: ['id'],
  sequence_by: 's',
  apply_as_deletes: "op = 'D'",
  apply_as_truncates: "op = 'T'",
  except_column_list: ['s', 'op'],
  max_refused_fraction: null,
}

const decoder = new JsonRecords()

function recordOf(stream: StreamName, number: number, event: Event): SourceRecord {
  const bytes = Buffer.from(JSON.stringify(event))
  return { stream, number, bytes, decoded: decoder.decode(bytes), timestamp: null }
}

function drawEvent({ op, sequence, origin, flow, commit, written, row }: LifeEvent): string {
  const wrote = written === 'all' ? written : `[${written.join(' ')}]`
  const after = row === null ? 'no row' : drawRow(row)
  return `${op} ${text(sequence)} at ${origin} by ${flow} in ${commit} wrote ${wrote}: ${after}`
}

function drawRow({ names, values }: OutputRow): string {
  return names.map((name, i) => `${name}=${text(values[i] ?? null)}`).join(' ')
}

/** A bound; a system time as the number of the commit, which is its microsecond. */
function bound(value: Value): string {
  if (value === null) return '∞'
  return plainText(value).replace(/^1970-01-01T00:00:00\.0*(\d+)Z$/, '$1')
}

function text(value: Value): string {
  return value === null ? '∅' : plainText(value)
}
