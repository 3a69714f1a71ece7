import { encodeSequence, type Sequence } from '../../core/sequence.ts'
import { microsOf, timestampFromMicros } from '../../core/temporal.ts'
import { ENGINE_TIME } from '../../core/target.ts'
import { BugError } from '../../core/errors.ts'
import type { Commit } from '../../ports/store.ts'
import type { Connection } from './connection.ts'
import { PREFIX } from './names.ts'
import { numberOf } from './stamp-codec.ts'
import type { StoredTarget } from './target.ts'

/** Numbers commits, and gives each a system time later than the last one's. */
export class Commits {
  private readonly connection: Connection

  constructor(connection: Connection) {
    this.connection = connection
  }

  open(flow: string, clockMicros: bigint): Commit {
    const last = this.connection.get(
      `SELECT id, time FROM ${PREFIX}commits ORDER BY id DESC LIMIT 1`,
    )
    const floor =
      last === undefined ? 0n : microsOf({ type: 'timestamp', text: String(last[1]) }) + 1n
    const time = timestampFromMicros(clockMicros > floor ? clockMicros : floor)
    const id = numberOf(last?.[0]) + 1
    this.connection.run(
      `INSERT INTO ${PREFIX}commits (id, flow, time) VALUES (?, ?, ?)`,
      id,
      flow,
      time.text,
    )
    return { id, time, now: nowOf(time.text) }
  }

  /** The commit changed a target: gives it the next version. */
  changed(target: StoredTarget, commit: Commit): number {
    target.version += 1
    this.connection.run(
      `UPDATE ${PREFIX}commits SET target = ?, version = ? WHERE id = ?`,
      target.facts.name,
      target.version,
      commit.id,
    )
    return target.version
  }

  /** The flows whose commits changed a target. */
  writersOf(target: string): readonly string[] {
    return this.connection
      .all(`SELECT DISTINCT flow FROM ${PREFIX}commits WHERE target = ?`, target)
      .map(([flow]) => String(flow))
  }

  /** System time of a commit as a sequence. */
  timeOf(id: number): Sequence {
    const row = this.connection.get(`SELECT time FROM ${PREFIX}commits WHERE id = ?`, id)
    if (row === undefined) throw new BugError(`there is no commit ${id}`)
    return nowOf(String(row[0]))
  }
}

function nowOf(text: string): Sequence {
  const now = encodeSequence({ type: 'timestamp', text }, ENGINE_TIME)
  if (now === null) throw new BugError(`no time: ${text}`)
  return now
}
