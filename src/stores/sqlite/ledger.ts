import { REFUSALS, type RefusalCode } from '../../core/refusal.ts'
import { storedJson } from '../../core/stored-json.ts'
import type { Checkpoint } from '../../ports/source.ts'
import type { FlowRecord, Quarantined } from '../../ports/store.ts'
import type { Connection, SqlValue } from './connection.ts'
import { PREFIX } from './names.ts'
import { numberOf } from './stamp-codec.ts'

/** The bookkeeping of flows: where they stand, what they counted, what they set aside. */
export class Ledger {
  private readonly connection: Connection

  constructor(connection: Connection) {
    this.connection = connection
  }

  checkpoints(flow: string): readonly Checkpoint[] {
    return this.connection
      .all(
        `SELECT stream, partition, next, state FROM ${PREFIX}checkpoints WHERE flow = ?
         ORDER BY stream, partition`,
        flow,
      )
      .map(([name, partition, next, state]) => ({
        name: String(name),
        partition: numberOf(partition),
        next: numberOf(next),
        state: String(state),
      }))
  }

  saveCheckpoints(flow: string, checkpoints: readonly Checkpoint[]): void {
    for (const { name, partition, next, state } of checkpoints) {
      this.connection.run(
        `INSERT INTO ${PREFIX}checkpoints (flow, stream, partition, next, state)
         VALUES (?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET next = excluded.next, state = excluded.state`,
        flow,
        name,
        partition,
        next,
        state,
      )
    }
  }

  flow(name: string): FlowRecord | null {
    const row = this.connection.get(`SELECT record FROM ${PREFIX}flows WHERE name = ?`, name)
    if (row === undefined) return null
    // A record that was written before tails were kept has none.
    const stored = storedJson<Omit<FlowRecord, 'tails'> & Partial<FlowRecord>>(String(row[0]))
    return { ...stored, tails: stored.tails ?? [] }
  }

  saveFlow(record: FlowRecord): void {
    this.connection.run(
      `INSERT OR REPLACE INTO ${PREFIX}flows (name, record) VALUES (?, ?)`,
      record.name,
      JSON.stringify(record),
    )
  }

  setAside(records: readonly Omit<Quarantined, 'id'>[]): void {
    for (const { flow, stream, partition, number, code, reason, bytes, at } of records) {
      this.connection.run(
        `INSERT INTO ${PREFIX}quarantine (flow, stream, partition, number, code, reason, bytes, at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        flow,
        stream,
        partition,
        number,
        code,
        reason,
        Buffer.from(bytes),
        at,
      )
    }
  }

  *quarantine(flow: string | null): Iterable<Quarantined> {
    const page = 500
    let last: SqlValue = 0
    for (;;) {
      const rows: SqlValue[][] = this.connection.all(
        `SELECT id, flow, stream, partition, number, code, reason, bytes, at
         FROM ${PREFIX}quarantine WHERE id > ? AND (? IS NULL OR flow = ?)
         ORDER BY id LIMIT ${page}`,
        last,
        flow,
        flow,
      )
      for (const row of rows) yield quarantinedOf(row)
      if (rows.length < page) return
      last = rows.at(-1)?.[0] ?? 0
    }
  }
}

function codeOf(text: string): Quarantined['code'] {
  return isRefusalCode(text) ? text : 'EXPECTATION'
}

function isRefusalCode(text: string): text is RefusalCode {
  return Object.hasOwn(REFUSALS, text)
}

function quarantinedOf([id, flow, stream, partition, number, code, reason, bytes, at]: SqlValue[]) {
  return {
    id: numberOf(id),
    flow: String(flow),
    stream: String(stream),
    partition: numberOf(partition),
    number: numberOf(number),
    code: codeOf(String(code)),
    reason: String(reason),
    bytes: Buffer.isBuffer(bytes) ? new Uint8Array(bytes) : new Uint8Array(),
    at: String(at),
  }
}
