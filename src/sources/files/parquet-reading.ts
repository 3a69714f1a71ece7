import type { FileHandle } from 'node:fs/promises'
import { openParquet, PARQUET_MAGIC } from '../../formats/parquet.ts'
import type { Checkpoint, SourceRecord } from '../../ports/source.ts'
import { readBytes } from './chunks.ts'
import { DIGESTED_BYTES, digestOf, isDigestOf } from './digest.ts'
import { fileChanged } from './file-faults.ts'
import type { Piece, Reading } from './file-progress.ts'
import { encodeState, type FileState } from './file-state.ts'
import type { FileEntry } from './listing.ts'

/**
 * Reads on in a Parquet file, which was read up to a row. It is written whole, so it is the one that
 * was read before only if its size, its start and its end are the same. One that has no end yet is
 * left for later by a continuous read.
 *
 * @throws TidemarkError `FILE_CHANGED`, `FILE_BROKEN`
 */
export async function* readParquet(
  handle: FileHandle,
  { file, after, end, parquet }: Reading,
  state: FileState | null,
): AsyncGenerator<Piece> {
  const head = digestOf(await readBytes(handle, 0, Math.min(file.size, DIGESTED_BYTES)))
  const tail = await readBytes(handle, Math.max(0, file.size - DIGESTED_BYTES), file.size)
  if (state !== null) verify(file, state, tail)
  const isWhole = tail.subarray(-4).toString('latin1') === PARQUET_MAGIC
  if (!isWhole && end === 'wait') return

  const bytes = {
    byteLength: file.size,
    slice: (from: number, to?: number) => heeded(slice(handle, file, from, to)),
  }
  const stream = { name: file.name, partition: 0 }
  const maxRecordBytes = parquet?.maxRecordBytes ?? Infinity
  const opened = await openParquet({ stream, bytes, maxRecordBytes })
  const next = after?.next ?? 1
  const known = {
    head,
    block: digestOf(tail),
    openEnd: null,
    packed: null,
    framing: String(file.size),
  }
  const { rowCount } = opened
  const checkpointAt = (row: number): Checkpoint => {
    const offset = row > rowCount ? file.size : Math.floor((file.size * (row - 1)) / rowCount)
    return { name: file.name, partition: 0, next: row, state: encodeState({ ...known, offset }) }
  }

  for await (const records of opened.records(next)) yield pieceOf(records, checkpointAt)
  if (rowCount === 0) yield pieceOf([], checkpointAt)
}

function pieceOf(
  records: readonly SourceRecord[],
  checkpointAt: (row: number) => Checkpoint,
): Piece {
  const after = (index: number) => checkpointAt((records[index]?.number ?? 0) + 1)
  return {
    records,
    checkpointAfter: after,
    checkpoint: () => after(records.length - 1),
    isAtomic: false,
  }
}

/** Marks a failure as heeded: bytes that are read ahead may be in vain once the file was found broken. */
function heeded<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined)
  return work
}

async function slice(
  handle: FileHandle,
  { name, size }: FileEntry,
  from: number,
  to: number = size,
): Promise<ArrayBuffer> {
  const end = Math.min(to, size)
  const bytes = await readBytes(handle, from, end)
  if (bytes.length < end - from) throw fileChanged(name, 'became shorter while it was read')
  const out = new ArrayBuffer(bytes.length)
  bytes.copy(new Uint8Array(out))
  return out
}

function verify(file: FileEntry, { framing, block }: FileState, tail: Buffer): void {
  if (framing === String(file.size) && isDigestOf(block, tail)) return
  throw fileChanged(file.name, 'is not the Parquet file that was read before')
}
