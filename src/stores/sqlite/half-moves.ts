import type { Stamp, Stream } from '../../core/change.ts'
import type { Key } from '../../core/key.ts'
import { storedSequence, type Sequence } from '../../core/sequence.ts'
import { storedJson } from '../../core/stored-json.ts'
import type { Row, Value } from '../../core/value.ts'
import type { HalfMove } from '../../ports/moves.ts'
import type { Connection } from './connection.ts'
import { PREFIX } from './names.ts'
import { ofTypedText, typedText } from './stamp-codec.ts'

/** Halves of changes of keys, each until the other one comes. */
export class HalfMoves {
  private readonly connection: Connection
  private readonly streamOf: (id: number) => Stream

  constructor(connection: Connection, streamOf: (id: number) => Stream) {
    this.connection = connection
    this.streamOf = streamOf
  }

  of(target: string, to: Key, sequence: Sequence): HalfMove | null {
    const found = this.connection.get(
      `SELECT half FROM ${TABLE} WHERE target = ? AND k = ? AND s = ?`,
      target,
      to,
      sequence,
    )
    return found === undefined ? null : this.decode(storedJson<StoredHalf>(String(found[0])))
  }

  save(place: { target: string; to: Key; sequence: Sequence }, half: HalfMove | null): void {
    const { target, to, sequence } = place
    if (half === null) {
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
      JSON.stringify(encode(half)),
    )
  }

  private decode(stored: StoredHalf): HalfMove {
    if (stored.half === 'left') return { half: 'left', row: stored.row?.map(ofTyped) ?? null }
    const { stamp, time, lacking } = stored
    const { sequence, system, stream } = stamp
    return {
      half: 'arrived',
      stamp: {
        ...stamp,
        sequence: storedSequence(sequence),
        system: system === null ? null : storedSequence(system),
        stream: this.streamOf(stream),
      },
      time: ofTyped(time),
      lacking,
    }
  }
}

const TABLE = `${PREFIX}moves`

type StoredHalf =
  | { readonly half: 'left'; readonly row: readonly (string | null)[] | null }
  | (Omit<HalfMove & { readonly half: 'arrived' }, 'stamp' | 'time'> & {
      readonly stamp: Omit<Stamp, 'stream'> & { readonly stream: number }
      readonly time: string | null
    })

function encode(half: HalfMove): StoredHalf {
  if (half.half === 'left') return { half: 'left', row: rowTexts(half.row) }
  const { stamp, time, lacking } = half
  return {
    half: 'arrived',
    stamp: { ...stamp, stream: stamp.stream.id },
    time: typedText(time),
    lacking,
  }
}

function rowTexts(row: Row | null): readonly (string | null)[] | null {
  return row === null ? null : row.map(typedText)
}

function ofTyped(text: string | null): Value {
  return ofTypedText(text ?? undefined)
}
