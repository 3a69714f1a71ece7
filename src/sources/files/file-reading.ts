import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { plainChunks, readBytes, Unpacking } from './chunks.ts'
import { DIGESTED_BYTES, digestOf, isDigestOf } from './digest.ts'
import { fileBroken, fileChanged, isMissing, unavailable } from './file-faults.ts'
import { isNamedGzip } from './file-format.ts'
import { Progress } from './file-progress.ts'
import type { Piece, Reading } from './file-progress.ts'
import { decodeState } from './file-state.ts'
import type { FileState } from './file-state.ts'
import { History } from './history.ts'
import type { FileEntry } from './listing.ts'
import { readParquet } from './parquet-reading.ts'

/**
 * Reads on in a file, after making sure that it is the one that was read before.
 *
 * Nothing is read of a file that has nothing new: its size and two blocks of 4 KiB tell.
 *
 * @throws TidemarkError `FILE_CHANGED`, `FILE_BROKEN`, `SOURCE_UNAVAILABLE`
 */
export async function* readFile(reading: Reading): AsyncGenerator<Piece> {
  const { file, after } = reading
  const state = after === null ? null : decodeState(after.state)
  const handle = await openFile(file, reading.end)
  if (handle === null) return
  try {
    if (reading.parquet !== null) yield* readParquet(handle, reading, state)
    else if (await isGzip(handle, file)) yield* readPacked(handle, reading, state)
    else yield* readPlain(handle, reading, state)
  } finally {
    await handle.close()
  }
}

async function* readPlain(
  handle: FileHandle,
  reading: Reading,
  state: FileState | null,
): AsyncGenerator<Piece> {
  const { file } = reading
  const offset = state?.offset ?? 0
  if (state !== null && file.size < offset) {
    throw fileChanged(file.name, `has ${file.size} bytes, of which ${offset} were read before`)
  }
  const head = await readBytes(handle, 0, Math.min(file.size, DIGESTED_BYTES))
  const block = await readBytes(handle, Math.max(0, offset - DIGESTED_BYTES), offset)
  if (state !== null) verify(file, state, head, block)
  if (file.size === offset) return

  const progress = new Progress(reading, state, History.at(offset, head, block))
  for await (const chunk of plainChunks(handle, file, offset)) yield* progress.push(chunk)
  if (reading.end === 'read') yield* progress.finish(null)
}

async function* readPacked(
  handle: FileHandle,
  reading: Reading,
  state: FileState | null,
): AsyncGenerator<Piece> {
  const { file } = reading
  const trailer = await readBytes(handle, Math.max(0, file.size - DIGESTED_BYTES), file.size)
  const packed = { size: file.size, block: digestOf(trailer) }
  if (JSON.stringify(state?.packed) === JSON.stringify(packed)) return

  const offset = state?.offset ?? 0
  const unpacking = new Unpacking(handle, file)
  const history = new History()
  const progress = new Progress(reading, state, history)
  let isVerified = state === null
  for await (const chunk of unpacking.chunks()) {
    const rest = chunk.subarray(Math.max(0, offset - history.end))
    history.push(chunk.subarray(0, chunk.length - rest.length))
    if (history.end < offset) history.forget(history.end)
    else if (!isVerified && state !== null) {
      verify(file, state, history.headTo(offset), history.blockBefore(offset))
      isVerified = true
    }
    if (rest.length > 0) yield* progress.push(rest)
  }
  if (!isVerified && unpacking.isComplete) {
    throw fileChanged(file.name, `holds ${history.end} bytes, of which ${offset} were read before`)
  }
  if (!unpacking.isComplete) {
    if (reading.end === 'wait') return
    throw fileBroken(file.name, 'is a gzip file that ends in the middle; complete it', null)
  }
  // Nothing is added to a packed file that was brought to its end, so an open record ends there in any case.
  yield* progress.finish(packed)
}

async function openFile(file: FileEntry, end: Reading['end']): Promise<FileHandle | null> {
  try {
    return await open(file.path)
  } catch (error) {
    if (end === 'wait' && isMissing(error)) return null
    throw unavailable(file.name, error)
  }
}

async function isGzip(handle: FileHandle, file: FileEntry): Promise<boolean> {
  if (file.size === 0) return false
  const magic = await readBytes(handle, 0, 2)
  return isNamedGzip(file.name) || (magic[0] === 0x1f && magic[1] === 0x8b)
}

/** Compares the head and the bytes before the offset with what they were. */
function verify(file: FileEntry, state: FileState, head: Buffer, before: Buffer): void {
  const { offset } = state
  if (!isDigestOf(state.head, head.subarray(0, state.head.length))) {
    throw fileChanged(file.name, 'does not begin as it did when it was read before')
  }
  if (!isDigestOf(state.block, before.subarray(before.length - state.block.length))) {
    throw fileChanged(file.name, `differs before byte ${offset} from what was read before`)
  }
}
