import type { BitemporalVersion } from '../../core/bitemporal.ts'
import { BugError } from '../../core/errors.ts'
import type { Key } from '../../core/key.ts'
import type { Version } from '../../core/scd2.ts'
import type { Sequence } from '../../core/sequence.ts'
import { isLive, type Entry, type LiveEntry } from '../../core/timeline.ts'
import type { SqlValue } from './connection.ts'
import { keyCell, keyOfCell } from './key-cell.ts'
import {
  decodeStamp,
  encodePatch,
  encodeStamp,
  numberOf,
  ofTypedText,
  optionalSequence,
  patchOf,
  sequenceOf,
  typedText,
} from './stamp-codec.ts'
import type { StoredTarget } from './target.ts'

/** Turns versions and hidden entries into cells and back, in the order of history-columns.ts. */
export class VersionCodec {
  private readonly target: StoredTarget
  private readonly bitemporal: boolean
  private readonly timed: boolean
  private readonly timesAt: number
  private readonly stampAt: number

  constructor(target: StoredTarget) {
    this.target = target
    this.bitemporal = target.facts.kind === 'bitemporal'
    this.timed = target.facts.timed
    this.timesAt = this.bitemporal ? 9 : 5
    this.stampAt = this.timesAt + (this.timed ? 3 : 0)
  }

  encodeVersion(key: Key, version: Version, until: Sequence | null): SqlValue[] {
    const { valid, system, times, codec } = this.target
    const { startAt, endAt, entry } = version
    const [start, end] = valid.naturals(startAt, endAt)
    const out: SqlValue[] = [keyCell(key), startAt, start, endAt, end]
    if (this.bitemporal) {
      const [since, ended] = system.naturals(version.since, until)
      out.push(version.since, since, until, ended)
    }
    if (this.timed) times.encode([version.startTime, version.endTime], out)

    const stampAt = out.length
    encodeStamp(entry.change, out)
    if (entry.change.sequence === startAt) out[stampAt] = null
    this.encodeEntryTail(entry, out)
    codec.encode(entry.row, out)
    return out
  }

  /** Where a version of which nothing is kept but its start and its entry ends. */
  encodeEnd({ startAt, endAt }: Version): SqlValue[] {
    return [endAt, this.target.valid.naturals(startAt, endAt)[1]]
  }

  decodeVersion(cells: readonly SqlValue[]): Version {
    const startAt = sequenceOf(cells[1])
    const entry = this.decodeEntry(cells, this.stampAt, startAt, 'u')
    if (!isLive(entry)) throw new BugError('a version shows a deletion')
    const times = this.timed ? this.target.times.decode(cells, this.timesAt) : []
    return {
      startAt,
      endAt: optionalSequence(cells[3]),
      startTime: times[0] ?? null,
      endTime: times[1] ?? null,
      entry,
      since: this.bitemporal ? optionalSequence(cells[5]) : null,
    }
  }

  decodeDisbelieved(cells: readonly SqlValue[]): BitemporalVersion {
    return {
      ...this.decodeVersion(cells),
      since: sequenceOf(cells[5]),
      until: optionalSequence(cells[7]),
    }
  }

  encodeHidden(key: Key, entry: Entry): SqlValue[] {
    const out: SqlValue[] = [keyCell(key), entry.row === null ? 'd' : 'u']
    encodeStamp(entry.change, out)
    this.encodeEntryTail(entry, out)
    this.target.codec.encode(entry.row ?? [], out)
    return out
  }

  decodeHidden(cells: readonly SqlValue[]): Entry {
    return this.decodeEntry(cells, 2, null, cells[1] === 'd' ? 'd' : 'u')
  }

  private encodeEntryTail({ change, commit }: Entry | LiveEntry, out: SqlValue[]): void {
    const isPartial = change.op === 'upsert' && change.writes !== 'all'
    const patch = isPartial ? encodePatch(change.row, change.writes) : null
    out.push(commit, patch, typedText(change.time))
  }

  private decodeEntry(
    cells: readonly SqlValue[],
    stampAt: number,
    startAt: Sequence | null,
    op: 'u' | 'd',
  ): Entry {
    const { codec, facts, streamOf } = this.target
    const stamp = decodeStamp(cells, stampAt, streamOf, startAt)
    const tailAt = stampAt + 6
    const key = keyOfCell(cells[0] ?? null, facts.keys.length)
    const time = ofTypedText(cells[tailAt + 2])
    const commit = numberOf(cells[tailAt])
    if (op === 'd') return { change: { ...stamp, op: 'delete', key, time }, row: null, commit }

    const row = codec.decode(cells, tailAt + 3)
    const { row: own, writes } = patchOf(cells[tailAt + 1], row)
    return { change: { ...stamp, op: 'upsert', key, row: own, writes, time }, row, commit }
  }
}
