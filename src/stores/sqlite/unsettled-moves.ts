import type { Stream } from '../../core/change.ts'
import { NO_COLUMNS } from '../../core/column-set.ts'
import { storedKey, type Key } from '../../core/key.ts'
import { storedSequence, type Sequence } from '../../core/sequence.ts'
import { storedJson } from '../../core/stored-json.ts'
import type { Value } from '../../core/value.ts'
import type { ArrivedRow, DepartedRow, UnsettledMove } from '../../ports/moves.ts'
import type { Connection } from './connection.ts'
import { PREFIX } from './names.ts'
import { ofTypedText, typedText } from './stamp-codec.ts'

/** Changes of keys, each until it is settled. */
export class UnsettledMoves {
  private readonly connection: Connection
  private readonly streamOf: (id: number) => Stream

  constructor(connection: Connection, streamOf: (id: number) => Stream) {
    this.connection = connection
    this.streamOf = streamOf
  }

  of(target: string, to: Key, sequence: Sequence): UnsettledMove | null {
    const found = this.connection.get(
      `SELECT half FROM ${TABLE} WHERE target = ? AND k = ? AND s = ?`,
      target,
      to,
      sequence,
    )
    return found === undefined ? null : this.decode(String(found[0]))
  }

  into(target: string, to: Key): readonly UnsettledMove[] {
    return this.connection
      .all(`SELECT half FROM ${TABLE} WHERE target = ? AND k = ? ORDER BY s`, target, to)
      .map(([half]) => this.decode(String(half)))
  }

  save(place: { target: string; to: Key; sequence: Sequence }, move: UnsettledMove | null): void {
    const { target, to, sequence } = place
    if (move === null) {
      this.connection.run(
        `DELETE FROM ${TABLE} WHERE target = ? AND k = ? AND s = ?`,
        target,
        to,
        sequence,
      )
      return
    }
    this.connection.run(
      `INSERT OR REPLACE INTO ${TABLE} (target, k, s, half) VALUES (?, ?, ?, ?)`,
      target,
      to,
      sequence,
      JSON.stringify(encode(move)),
    )
  }

  private decode(text: string): UnsettledMove {
    const stored = storedJson<StoredMove>(text)
    if (stored.half === 'left') {
      const { row, owed = NO_COLUMNS } = stored
      return { half: 'left', row: row?.map(ofTyped) ?? null, owed }
    }
    const { stamp, parts = 1, time, heirs = [] } = stored
    const { sequence, system, stream } = stamp
    return {
      half: stored.half,
      stamp: {
        ...stamp,
        sequence: storedSequence(sequence),
        system: system === null ? null : storedSequence(system),
        stream: this.streamOf(stream),
      },
      parts,
      time: ofTyped(time),
      lacking: stored.lacking,
      heirs: heirs.map((heir) => ({
        to: storedKey(heir.to),
        sequence: storedSequence(heir.sequence),
        columns: heir.columns,
      })),
    }
  }
}

const TABLE = `${PREFIX}moves`

/** Optional is what a store that was made before does not say. */
type StoredMove =
  | {
      readonly half: 'left'
      readonly row: readonly (string | null)[] | null
      readonly owed?: DepartedRow['owed']
    }
  | (Pick<ArrivedRow, 'half' | 'lacking'> & {
      readonly stamp: Omit<ArrivedRow['stamp'], 'stream'> & { readonly stream: number }
      readonly time: string | null
    } & Partial<Pick<ArrivedRow, 'parts' | 'heirs'>>)

function encode(move: UnsettledMove): StoredMove {
  if (move.half === 'left') return { ...move, row: move.row?.map(typedText) ?? null }
  const { stamp, time } = move
  return { ...move, stamp: { ...stamp, stream: stamp.stream.id }, time: typedText(time) }
}

function ofTyped(text: string | null): Value {
  return ofTypedText(text ?? undefined)
}
