import { jsonText } from '../../src/core/display.ts'
import { TidemarkError } from '../../src/core/errors.ts'
import type { Sequence } from '../../src/core/sequence.ts'
import { JsonRecords } from '../../src/formats/json-record.ts'
import { examine } from '../../src/inspect/doctor.ts'
import { Engine } from '../../src/pipeline/engine.ts'
import { readRows } from '../../src/inspect/rows.ts'
import { parseFlowFile } from '../../src/pipeline/flow-spec.ts'
import type { SnapshotRecord } from '../../src/ports/snapshots.ts'
import type { SourceRecord, SourceSnapshot } from '../../src/ports/source.ts'
import { SqliteExpressions } from '../../src/stores/sqlite/expressions/sqlite-expressions.ts'
import { SqliteStore } from '../../src/stores/sqlite/sqlite-store.ts'
import type { ModelChange, ModelItem, ModelSnapshot, ModelVersion } from '../models/snapshots.ts'

const expressions = new SqliteExpressions()
const TARGET = 'target'

/** Options of the two flows, and of the source of the snapshots. */
export type SnapshotSetup = {
  readonly path?: string
  readonly both: Readonly<Record<string, unknown>>
  readonly feed?: Readonly<Record<string, unknown>>
  readonly snapshots?: Readonly<Record<string, unknown>>
  readonly source?: Readonly<Record<string, unknown>>
}

/** Guards that refuse nothing but what is wrong in itself. */
export const OPEN_GUARDS = { empty: 'allow', max_delete_fraction: null, column_missing: 'allow' }

/** A real engine with a feed and snapshots into one target. */
export class SnapshotsUnderTest implements Disposable {
  readonly store: SqliteStore
  private readonly file
  private readonly engine: Engine
  private offers: readonly SourceSnapshot[] = []
  private now = 0n

  constructor({ path = ':memory:', both, feed = {}, snapshots = {}, source = {} }: SnapshotSetup) {
    this.store = new SqliteStore(path)
    const shared = { target: TARGET, keys: ['id'], ...both }
    this.file = parseFlowFile(
      {
        store: { memory: true },
        flows: [
          {
            ...shared,
            name: 'feed',
            source: { events: true },
            sequence_by: { column: 'at', type: 'integer' },
            apply_as_deletes: "op = 'delete'",
            apply_as_truncates: "op = 'truncate'",
            except_column_list: ['at', 'op'],
            ...feed,
          },
          {
            ...shared,
            name: 'snapshots',
            source: {
              snapshots: 'm.json',
              version: { manifest: true, type: 'integer' },
              guards: OPEN_GUARDS,
              ...source,
            },
            ...snapshots,
          },
        ],
      },
      '/',
    )
    this.engine = new Engine(this.file, {
      store: this.store,
      clock: { micros: () => (this.now += 1n) },
      expressions,
      openSource: () => {
        throw new Error('the feed is delivered, not read')
      },
      openSnapshots: () => ({
        offers: () => Promise.resolve(this.offers),
        lag: () => Promise.resolve([]),
        wait: () => Promise.resolve(),
        [Symbol.asyncDispose]: () => Promise.resolve(),
      }),
    })
  }

  /** Delivers something as one commit. */
  async deliver(item: ModelItem): Promise<void> {
    if (item.kind === 'snapshot') await this.offer(snapshotOffer(item))
    else this.feed([item])
  }

  /** Delivers changes of the feed as one batch. */
  feed(changes: readonly ModelChange[]): void {
    this.engine.guarded(() => {
      this.engine.open(this.flow('feed'), false).commit({
        records: changes.map((change) =>
          recordOf(JSON.stringify(feedRecord(change)), change.number, 'feed'),
        ),
        checkpoints: [
          { name: 'feed', partition: 0, next: ((this.now += 1n), Number(this.now)), state: '' },
        ],
      })
    })
  }

  /** Runs the flow of snapshots with these on offer; gives their records, or the code of the fault. */
  async offer(...offers: SourceSnapshot[]): Promise<readonly SnapshotRecord[] | string> {
    this.offers = offers
    const { signal } = new AbortController()
    try {
      const runs = await this.engine.run({
        flows: [this.flow('snapshots')],
        mode: 'bounded',
        signal,
        fromNow: false,
        onBatch: () => undefined,
      })
      return runs.flatMap(({ snapshots }) => snapshots)
    } catch (error) {
      if (error instanceof TidemarkError) return error.code
      throw error
    }
  }

  /** The SCD type 2 rows as the model has them, as believed at a system time. */
  table(system: Sequence | null = null): string[] {
    const facts = this.store.target(TARGET)
    // An empty extract of a table that nobody ever filled makes none.
    if (facts === null) return []
    const { columns } = facts
    const rows = [...this.store.rows(TARGET, { valid: null, system }, null)]
    return rows
      .filter(({ systemEndAt }) => system !== null || systemEndAt === null)
      .map(({ row, startAt, endAt }) => {
        const cells = columns.map((name, i) => `${name}=${jsonText(row[i] ?? null)}`).sort()
        return [...cells, startAt ?? '', endAt ?? ''].join(' ')
      })
      .toSorted()
  }

  /** When rows held, as SCD type 2 shows them: those that have these values. */
  intervals(values: Readonly<Record<string, string | number>>): string[] {
    const facts = this.store.target(TARGET)
    if (facts === null) return []
    return [...readRows(this.store, facts, {})].flatMap(({ names, values: cells }) => {
      const at = (name: string) => cells[names.indexOf(name)] ?? null
      const isOne = Object.entries(values).every(([name, value]) => at(name) === value)
      const end = at('__END_AT')
      const interval = `[${jsonText(at('__START_AT'))}, ${end === null ? '∞' : jsonText(end)})`
      return isOne ? [interval] : []
    })
  }

  /** What doctor finds wrong. */
  findings(): string[] {
    return Array.from(
      examine(this.store, this.store.targets(), ['feed', 'snapshots']),
      ({ law, message }) => `${law}: ${message}`,
    )
  }

  [Symbol.dispose](): void {
    this.store[Symbol.dispose]()
  }

  private flow(name: string) {
    const found = this.file.flows.find((flow) => flow.name === name)
    if (found === undefined) throw new Error(`no flow ${name}`)
    return found
  }
}

/** Rows of the model as {@link SnapshotsUnderTest.table} spells them, of SCD type 1 without their interval. */
export function modelText(
  versions: readonly ModelVersion[],
  kind: 1 | 2 | 'bitemporal',
  encode: (at: number) => string,
): string[] {
  return versions
    .filter(({ end }) => kind !== 1 || end === null)
    .map(({ id, p, v, start, end }) => {
      const cells = [`id=${id}`, `p=${JSON.stringify(p)}`, `v=${JSON.stringify(v)}`]
      const interval = kind === 1 ? ['', ''] : [encode(start), end === null ? '' : encode(end)]
      return [...cells, ...interval].join(' ')
    })
    .toSorted()
}

/** A snapshot as a source offers it. */
export function snapshotOffer(
  { at, scope, rows }: ModelSnapshot,
  more: Partial<SourceSnapshot> = {},
): SourceSnapshot {
  return offerOf(at, rows, { scope, ...more })
}

/** Any rows as a source offers them. */
export function offerOf(
  version: SourceSnapshot['version'],
  rows: readonly object[],
  more: Partial<SourceSnapshot> = {},
): SourceSnapshot {
  return spelledOffer(
    version,
    rows.map((row) => JSON.stringify(row)),
    { readWith: 'lines', ...more },
  )
}

/** Rows as a source offers them that are spelled out; with `readWith`, it says that their bytes tell all. */
export function spelledOffer(
  version: SourceSnapshot['version'],
  rows: readonly string[],
  { readWith, ...more }: Partial<SourceSnapshot> & Pick<SourceRecord, 'readWith'> = {},
): SourceSnapshot {
  return {
    name: `snapshot ${jsonText(version)}`,
    version,
    isOfTheRun: false,
    isWhole: false,
    scope: null,
    declaredRows: null,
    force: [],
    checkpoints: [],
    async *read() {
      yield rows.map((row, i) => ({ ...recordOf(row, i + 1, 'extract'), readWith }))
      await Promise.resolve()
    },
    ...more,
  }
}

const decoder = new JsonRecords()

function recordOf(record: string, number: number, name: string): SourceRecord {
  const bytes = Buffer.from(record)
  return {
    stream: { name, partition: 0 },
    number,
    bytes,
    decoded: decoder.decode(bytes),
    timestamp: null,
  }
}

function feedRecord(change: ModelChange): object {
  const { at } = change
  if (change.kind === 'upsert') return { ...change.row, at, op: 'upsert' }
  return change.kind === 'delete' ? { id: change.id, at, op: 'delete' } : { at, op: 'truncate' }
}
