import { setTimeout } from 'node:timers/promises'
import { TidemarkError } from '../../core/errors.ts'
import type { BatchLimits, Checkpoint, Source, SourceBatch, StreamLag } from '../../ports/source.ts'
import { PreparedSource } from '../../formats/prepared-source.ts'
import { BatchFilling } from './batch-filling.ts'
import { framingFor, isParquet } from './file-format.ts'
import type { FileContent } from './file-format.ts'
import { readFile } from './file-reading.ts'
import { decodeState } from './file-state.ts'
import { listFiles } from './listing.ts'
import type { FileEntry } from './listing.ts'

/** Which files to read, and how. */
export type FileSourceOptions = FileContent & {
  /** Directory that patterns are relative to: that of the flow file. */
  readonly base: string
  /** Paths or globs; those that begin with `!` take files away. */
  readonly patterns: string | readonly string[]
  /** Larger records are refused as `TOO_LARGE`, default 16 MiB. */
  readonly maxRecordBytes?: number
  /** How often a continuous run looks for new files and growth, default 500 ms. */
  readonly pollMs?: number
}

const DEFAULT_MAX_RECORD_BYTES = 16 * 1024 * 1024
const DEFAULT_POLL_MS = 500

/**
 * A source of files: each is a stream, named by its path relative to `base` with `/`, and is
 * read once, in natural order of the names.
 *
 * A file is known by its name, by how far it was read, and by digests of its start and of
 * the 4 KiB before that place; it may grow and it may go away, but not change. A bounded read
 * takes what is there at its start, an unterminated last line too; a continuous one leaves
 * such a line until its end comes. A batch without records says only that files were read
 * further, over blank lines for example.
 *
 * @throws TidemarkError (while reading, after all that came before was yielded)
 *   `FILE_CHANGED` when a file that was read is not what it was, `FILE_BROKEN` when one cannot be
 *   read to its end or has no usable header, `NOT_FOUND` when a path without wildcards names no file,
 *   `SPEC_INVALID` when nothing says what a file holds
 */
export function openFiles(options: FileSourceOptions): Source {
  const files = new FileSource(options)
  const { messages } = options
  return messages === undefined ? files : new PreparedSource(files, messages.format)
}

class FileSource implements Source {
  readonly #options: FileSourceOptions
  readonly #patterns: readonly string[]

  constructor(options: FileSourceOptions) {
    const { patterns } = options
    this.#options = options
    this.#patterns = typeof patterns === 'string' ? [patterns] : patterns
  }

  async *read(
    after: readonly Checkpoint[],
    mode: 'bounded' | 'continuous',
    limits: BatchLimits,
    signal: AbortSignal,
  ): AsyncGenerator<SourceBatch> {
    const known = new Map(after.map((checkpoint) => [checkpoint.name, checkpoint]))
    const batch = new BatchFilling(limits, known)
    const lastSeen = new Map<string, FileEntry>()
    try {
      while (!signal.aborted) {
        for (const file of await this.#files(mode)) {
          if (isSame(lastSeen.get(file.name), file)) continue
          const isDone = yield* this.#readInto(batch, file, { known, mode, signal })
          if (!isDone) return
          lastSeen.set(file.name, file)
        }
        if (batch.hasMoved) yield batch.take()
        if (mode === 'bounded') return
        await pause(this.#options.pollMs ?? DEFAULT_POLL_MS, signal)
      }
    } catch (error) {
      if (batch.hasMoved) yield batch.take()
      throw error
    }
  }

  async lag(after: readonly Checkpoint[]): Promise<readonly StreamLag[]> {
    const known = new Map(after.map((checkpoint) => [checkpoint.name, checkpoint]))
    const { files } = await listFiles(this.#options.base, this.#patterns)
    return files.map(({ name, size }) => {
      const checkpoint = known.get(name)
      const behind = checkpoint === undefined ? size : bytesBehind(size, checkpoint)
      return { name, partition: 0, behind, unit: 'bytes' as const }
    })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve()
  }

  async #files(mode: 'bounded' | 'continuous'): Promise<readonly FileEntry[]> {
    const { base } = this.#options
    const { files, missing } = await listFiles(base, this.#patterns)
    const [pattern] = missing
    if (pattern !== undefined && mode === 'bounded') {
      throw new TidemarkError('NOT_FOUND', `there is no file ${pattern} in ${base}`, {
        pattern,
        base,
      })
    }
    return files
  }

  /** Reads on in a file; returns whether it came to its end, rather than being stopped. */
  async *#readInto(
    batch: BatchFilling,
    file: FileEntry,
    { known, mode, signal }: Session,
  ): AsyncGenerator<SourceBatch, boolean> {
    const { maxRecordBytes = DEFAULT_MAX_RECORD_BYTES } = this.#options
    const stream = { name: file.name, partition: 0 }
    const pieces = readFile({
      file,
      after: known.get(file.name) ?? null,
      end: mode === 'bounded' ? 'read' : 'wait',
      framing: (from) => framingFor({ stream, from, maxRecordBytes }, this.#options),
      parquet: isParquet(file.name, this.#options) ? { maxRecordBytes } : null,
    })
    for await (const piece of pieces) {
      let added = 0
      for (const record of piece.records) {
        batch.add(record)
        added += 1
        if (!batch.isFull || piece.isAtomic) continue
        batch.moveTo(piece.checkpointAfter(added - 1))
        yield batch.take()
        if (signal.aborted) return false
      }
      batch.moveTo(piece.checkpoint())
      if (batch.isFull) yield batch.take()
      if (signal.aborted) return false
    }
    return true
  }
}

type Session = {
  readonly known: ReadonlyMap<string, Checkpoint>
  readonly mode: 'bounded' | 'continuous'
  readonly signal: AbortSignal
}

/** Within one run, a file that looks the same is not even opened; at the next start its digests are compared. */
function isSame(a: FileEntry | undefined, b: FileEntry): boolean {
  return a?.size === b.size && a.mtimeMs === b.mtimeMs && a.inode === b.inode
}

/** How many bytes of a file are still to be read; of a packed file, all or none. */
function bytesBehind(size: number, checkpoint: Checkpoint): number {
  const { offset, packed } = decodeState(checkpoint.state)
  if (packed !== null) return packed.size === size ? 0 : size
  return Math.max(0, size - offset)
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await setTimeout(ms, undefined, { signal })
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
