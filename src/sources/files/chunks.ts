import type { FileHandle } from 'node:fs/promises'
import { createGunzip } from 'node:zlib'
import { codeOf, fileBroken, fileChanged } from './file-faults.ts'
import type { FileEntry } from './listing.ts'

const CHUNK_BYTES = 1 << 20

/** Less, since who looks at the first records only, to validate a flow, needs no more. */
const FIRST_CHUNK_BYTES = 1 << 18

/** Small, since it can unpack to a thousand times its size before anyone can say stop. */
const PACKED_CHUNK_BYTES = 16_384

/** Bytes of a file from `start` up to `end`, or as many as there are. */
export async function readBytes(handle: FileHandle, start: number, end: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(Math.max(0, end - start))
  let length = 0
  while (length < bytes.length) {
    const { bytesRead } = await handle.read(bytes, length, bytes.length - length, start + length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return bytes.subarray(0, length)
}

/**
 * A file from `start` to the size it had when it was found, chunk by chunk.
 *
 * @throws TidemarkError `FILE_CHANGED` if it has become shorter
 */
export async function* plainChunks(
  handle: FileHandle,
  file: FileEntry,
  start: number,
): AsyncGenerator<Buffer> {
  let at = start
  let size = FIRST_CHUNK_BYTES
  while (at < file.size) {
    const chunk = await readBytes(handle, at, Math.min(file.size, at + size))
    size = CHUNK_BYTES
    if (chunk.length === 0) throw fileChanged(file.name, 'became shorter while it was read')
    at += chunk.length
    yield chunk
  }
}

/** Unpacks a gzip file, of one member or several, chunk by chunk. */
export class Unpacking {
  readonly #handle: FileHandle
  readonly #file: FileEntry
  #isComplete = false

  constructor(handle: FileHandle, file: FileEntry) {
    this.#handle = handle
    this.#file = file
  }

  /** Whether the file was unpacked to its end, rather than ending in the middle. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  /**
   * What the file holds. Ends where the packed file does, even in the middle; see `isComplete`.
   *
   * @throws TidemarkError `FILE_BROKEN` if it is no gzip, after all chunks before that place
   */
  async *chunks(): AsyncGenerator<Buffer> {
    const gunzip = createGunzip({ chunkSize: CHUNK_BYTES >> 2 })
    let waiting: Buffer[] = []
    gunzip.on('data', (chunk: Buffer) => waiting.push(chunk))
    const ended = new Promise<Error | null>((settle) => {
      gunzip.once('end', () => settle(null))
      gunzip.on('error', settle)
    })
    try {
      for (let at = 0; at < this.#file.size; at += PACKED_CHUNK_BYTES) {
        const end = Math.min(this.#file.size, at + PACKED_CHUNK_BYTES)
        const packed = await readBytes(this.#handle, at, end)
        const written = new Promise<void>((settle) => gunzip.write(packed, () => settle()))
        await Promise.race([written, ended])
        yield* waiting
        waiting = []
        if (gunzip.destroyed) break
      }
      if (!gunzip.destroyed) gunzip.end()
      const error = await ended
      yield* waiting
      if (error !== null && !isCutShort(error)) {
        throw fileBroken(this.#file.name, `is no intact gzip file: ${error.message}`, error)
      }
      this.#isComplete = error === null
    } finally {
      gunzip.destroy()
    }
  }
}

function isCutShort(error: Error): boolean {
  return codeOf(error) === 'Z_BUF_ERROR'
}
