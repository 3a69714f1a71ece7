import type { ScriptedBatch } from './record-batch.ts'
import { abort, commit, data, emptied } from './scripted-log.ts'

/** An entry of a log in words, taken apart. */
type Entry =
  | { readonly kind: 'emptied'; readonly first: bigint; readonly last: bigint }
  | {
      readonly kind: 'data' | 'COMMIT' | 'ABORT'
      readonly offset: bigint
      readonly producer: bigint | null
      readonly key: Buffer | null
    }

const EMPTIED = /^\((\d+)\.\.(\d+) compacted away; empty batch\)$/
const DATA = /^(\d+) data(?: producer (\d+))?(?: key ([0-9a-f]+))?(?: (\(txn open\)))?$/
const MARKER = /^(\d+) (COMMIT|ABORT)(?: (\d+))?$/
const UNNAMED_PRODUCER = 1n

/**
 * The log that a feed case tells in words:
 *
 *     0 data                                 a record outside of transactions, or of the only producer
 *     10 data producer 2 key 00000000        of a transaction of producer 2, with these bytes as its key
 *     2 data (txn open)                      of a transaction that has not ended
 *     2 COMMIT, 13 ABORT 1                   the end of a transaction, of producer 1 if none is named
 *     (13..19 compacted away; empty batch)
 *
 * Data without a producer belongs to the one producer whose markers the log has, unless other data
 * names its producer. The key and value of offset o are `{"id":o}` and `{"id":o,"v":o}`.
 */
export function logOf(words: readonly string[]): readonly ScriptedBatch[] {
  const entries = words.map(entryOf)
  const own = onlyProducer(entries)
  return entries.map((entry) => {
    switch (entry.kind) {
      case 'emptied':
        return emptied(entry.first, entry.last)
      case 'data':
        return recordOf(entry.offset, entry.producer ?? own, entry.key)
      case 'COMMIT':
        return commit(entry.offset, entry.producer ?? UNNAMED_PRODUCER)
      case 'ABORT':
        return abort(entry.offset, entry.producer ?? UNNAMED_PRODUCER)
    }
  })
}

/** A batch of one record as {@link logOf} makes it; `producer` is null outside of transactions. */
export function recordOf(
  offset: bigint,
  producer: bigint | null,
  key: Buffer | null,
): ScriptedBatch {
  const content = { key: key ?? `{"id":${offset}}`, value: `{"id":${offset},"v":${offset}}` }
  return data(offset, content, producer === null ? {} : { transaction: producer })
}

function entryOf(words: string): Entry {
  const gone = EMPTIED.exec(words)
  if (gone !== null) return { kind: 'emptied', first: integer(gone[1]), last: integer(gone[2]) }
  const marker = MARKER.exec(words)
  if (marker !== null) {
    const kind = marker[2] === 'COMMIT' ? 'COMMIT' : 'ABORT'
    return { kind, offset: integer(marker[1]), producer: producerOf(marker[3]), key: null }
  }
  const found = DATA.exec(words)
  if (found === null) throw new Error(`no log entry: ${words}`)
  const open = found[4] === undefined ? null : UNNAMED_PRODUCER
  const key = found[3] === undefined ? null : Buffer.from(found[3], 'hex')
  return { kind: 'data', offset: integer(found[1]), producer: producerOf(found[2]) ?? open, key }
}

function onlyProducer(entries: readonly Entry[]): bigint | null {
  const named = entries.some((entry) => entry.kind === 'data' && entry.producer !== null)
  const ends = entries.filter(({ kind }) => kind === 'COMMIT' || kind === 'ABORT')
  const producers = new Set(
    ends.map((entry) => ('producer' in entry ? entry.producer : null) ?? UNNAMED_PRODUCER),
  )
  const [first] = producers
  return named || producers.size !== 1 ? null : (first ?? null)
}

function producerOf(text: string | undefined): bigint | null {
  return text === undefined ? null : integer(text)
}

function integer(text: string | undefined): bigint {
  return BigInt(text ?? '')
}
