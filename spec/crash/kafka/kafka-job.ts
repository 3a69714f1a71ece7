import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { jsonText, loadFlows, openTidemark } from '../../../src/index.ts'
import type { Counts } from '../../../src/index.ts'
import type { Broker } from '../../kafka/kafka.ts'

/** One flow of each kind that is a function of the events alone. */
const FLOWS = [
  { target: 'latest', stored_as_scd_type: 1 },
  { target: 'history', stored_as_scd_type: 2, track_history_except_column_list: ['name'] },
] as const

/** The name of a flow of the job, which is that of its target. */
export type FlowName = (typeof FLOWS)[number]['target']
export const FLOW_NAMES: readonly FlowName[] = FLOWS.map(({ target }) => target)

/** What a flow of a job has come to. */
export type FlowResult = {
  /** Rows as text, by key. */
  readonly rows: ReadonlyMap<number, readonly string[]>
  readonly counts: Readonly<Record<'read' | 'accepted' | 'ignored' | 'quarantined', number>>
  /** The offset to read next, by partition. */
  readonly checkpoints: ReadonlyMap<number, number>
}

/** A folder with flows that read a topic, and their store. */
export class KafkaJob implements Disposable {
  readonly folder: string
  /** The flow file. */
  readonly flows: string
  private readonly store: string

  /** `group` is the first part of the ids of the groups, one for each flow; null reads every partition. */
  constructor(broker: Broker, topic: string, group: string | null) {
    this.folder = mkdtempSync(join(tmpdir(), 'tidemark-crash-kafka-'))
    this.flows = join(this.folder, 'flows.json')
    this.store = join(this.folder, 'store.db')
    const flows = FLOWS.map((flow) => ({
      ...flow,
      source: {
        kafka: {
          brokers: [broker.bootstrap],
          topics: [topic],
          metadata_max_age: 500,
          ...(group === null ? {} : { group_id: `${group}-${flow.target}` }),
        },
        format: 'debezium-json',
        // So that a run has many commits.
        max_batch_records: 25,
        max_batch_delay: 20,
      },
    }))
    writeFileSync(this.flows, JSON.stringify({ store: { sqlite: 'store.db' }, flows }))
  }

  /** How many records are read so far, in all flows. */
  read(): number {
    const records = this.ask('SELECT record AS value, 0 AS number FROM __tidemark_flows')
    return records.reduce((sum, { value }) => sum + countsOf(value).read, 0)
  }

  /** The offsets to read next of one flow, by partition; none of a partition that was never read. */
  checkpoints(flow: FlowName): ReadonlyMap<number, number> {
    const rows = this.ask(
      `SELECT partition AS value, next AS number FROM __tidemark_checkpoints
        WHERE flow = '${flow}' ORDER BY partition`,
    )
    return new Map(rows.map(({ value, number }) => [Number(value), number]))
  }

  /** What a flow has come to. @throws Error where a count does not add up or the store has a fault */
  result(flow: FlowName): FlowResult {
    using tidemark = openTidemark(loadFlows(this.flows, {}), { readOnly: true })
    const findings = [...tidemark.doctor()]
    if (findings.length > 0) throw new Error(findings.map(({ message }) => message).join('\n'))

    const rows = new Map<number, string[]>()
    for (const { names, values } of tidemark.rows(flow)) {
      // Which record was the first decides the order of the columns; what they hold does not depend on it.
      const cells = values.map((value, i) => `"${names[i]}":${jsonText(value)}`)
      const id = Number(values[names.indexOf('id')])
      rows.set(id, [...(rows.get(id) ?? []), `{${cells.toSorted().join()}}`])
    }
    const [record] = this.ask(
      `SELECT record AS value, 0 AS number FROM __tidemark_flows WHERE name = '${flow}'`,
    )
    const { read, accepted, ignored, quarantined } = countsOf(record?.value ?? '{}')
    if (read !== accepted + ignored + quarantined) throw new Error('law 9 is broken')
    const counts = { read, accepted, ignored, quarantined }
    return { rows, counts, checkpoints: this.checkpoints(flow) }
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true })
  }

  /** Asks the store itself: that needs no broker. Nothing before there is one. */
  private ask(sql: string): readonly { readonly value: string; readonly number: number }[] {
    if (!existsSync(this.store)) return []
    const db = new Database(this.store, { readonly: true })
    try {
      return db.prepare<[], { value: string; number: number }>(sql).all()
    } catch (error) {
      if (String(error).includes('no such table')) return []
      throw error
    } finally {
      db.close()
    }
  }
}

function countsOf(record: string): Counts {
  return (JSON.parse(record) as { readonly counts: Counts }).counts
}
