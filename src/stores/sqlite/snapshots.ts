import type { Stream } from '../../core/change.ts'
import { storedSequence } from '../../core/sequence.ts'
import { compareSnapshots, type Snapshot } from '../../core/snapshot.ts'
import { storedJson } from '../../core/stored-json.ts'
import type { AppliedSnapshot, SnapshotRecord } from '../../ports/snapshots.ts'
import type { Connection } from './connection.ts'
import { PREFIX } from './names.ts'
import { ofTypedText, typedText } from './stamp-codec.ts'

/** Snapshots by target: few, so those that were applied are kept in memory, in order. */
export class Snapshots {
  private readonly connection: Connection
  private readonly streamOf: (id: number) => Stream
  private readonly loaded = new Map<string, readonly AppliedSnapshot[]>()

  constructor(connection: Connection, streamOf: (id: number) => Stream) {
    this.connection = connection
    this.streamOf = streamOf
  }

  of(target: string): readonly AppliedSnapshot[] {
    const known = this.loaded.get(target)
    if (known !== undefined) return known
    const applied = this.connection
      .all(`SELECT applied FROM ${TABLE} WHERE target = ? AND applied IS NOT NULL`, target)
      .map(([text]) => this.decode(storedJson<StoredApplied>(String(text))))
      .toSorted((a, b) => compareSnapshots(a.snapshot, b.snapshot))
    this.loaded.set(target, applied)
    return applied
  }

  add(target: string, applied: AppliedSnapshot): void {
    this.connection.run(
      `INSERT INTO ${TABLE} (target, flow, applied) VALUES (?, ?, ?)`,
      target,
      applied.snapshot.stream.flow,
      JSON.stringify(encode(applied)),
    )
    this.loaded.delete(target)
  }

  note(record: SnapshotRecord): void {
    this.connection.run(
      `INSERT INTO ${TABLE} (target, flow, record) VALUES (?, ?, ?)`,
      record.target,
      record.flow,
      JSON.stringify(record),
    )
  }

  records(flow: string | null): readonly SnapshotRecord[] {
    // A store that was made before there were snapshots, opened for reading.
    const found = this.connection.get(`SELECT 1 FROM sqlite_schema WHERE name = '${TABLE}'`)
    if (found === undefined) return []
    return this.connection
      .all(
        `SELECT record FROM ${TABLE} WHERE record IS NOT NULL AND (? IS NULL OR flow = ?) ORDER BY id`,
        flow,
        flow,
      )
      .map(([text]) => storedJson<SnapshotRecord>(String(text)))
  }

  reload(): void {
    this.loaded.clear()
  }

  private decode({ digest, columns, version, stream, scope, after, ...rest }: StoredApplied) {
    const snapshot: Snapshot = {
      ...rest,
      // Older stores do not say.
      after: after ?? 1,
      version: storedSequence(version),
      stream: this.streamOf(stream),
      scope: scope && { column: scope.column, values: scope.values.map(ofTyped) },
    }
    return { digest, columns, snapshot }
  }
}

const TABLE = `${PREFIX}snapshots`

type StoredApplied = Omit<Snapshot, 'version' | 'stream' | 'scope' | 'after'> & {
  readonly after?: number
  readonly digest: string
  readonly columns: readonly string[]
  readonly version: string
  readonly stream: number
  readonly scope: { readonly column: number; readonly values: readonly (string | null)[] } | null
}

function encode({ digest, columns, snapshot }: AppliedSnapshot): StoredApplied {
  const { scope, stream, ...rest } = snapshot
  return {
    ...rest,
    digest,
    columns,
    stream: stream.id,
    scope: scope && { column: scope.column, values: scope.values.map(typedText) },
  }
}

function ofTyped(text: string | null) {
  return ofTypedText(text ?? undefined)
}
