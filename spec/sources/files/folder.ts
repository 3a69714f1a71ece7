import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Checkpoint, Source, SourceBatch, SourceRecord } from '../../../src/ports/source.ts'
import { openFiles } from '../../../src/sources/files/files.ts'
import type { FileSourceOptions } from '../../../src/sources/files/files.ts'
import { drawDecoded } from '../../formats/drawing.ts'

/** A directory of files, and a flow that remembers how far it has read them. */
export class Folder implements AsyncDisposable {
  readonly path: string
  readonly #options: Partial<FileSourceOptions>
  /** What the flow has committed, by file. */
  readonly committed = new Map<string, Checkpoint>()

  private constructor(path: string, options: Partial<FileSourceOptions>) {
    this.path = path
    this.#options = options
  }

  static async of(
    files: Readonly<Record<string, string | Buffer>>,
    options: Partial<FileSourceOptions> = {},
  ): Promise<Folder> {
    const folder = new Folder(await mkdtemp(join(tmpdir(), 'tidemark-files-')), options)
    await folder.put(files)
    return folder
  }

  /** Writes files, in place of those of the same name. */
  async put(files: Readonly<Record<string, string | Buffer>>): Promise<void> {
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(this.path, name)), { recursive: true })
      await writeFile(join(this.path, name), content)
    }
  }

  /** Reads what is there now and commits it batch by batch; the records of each batch, drawn. */
  async read(limits: { maxRecords?: number; maxBytes?: number } = {}): Promise<string[][]> {
    const drawn: string[][] = []
    const signal = new AbortController().signal
    for await (const batch of this.batches('bounded', signal, limits)) {
      drawn.push(batch.records.map(drawRecord))
    }
    return drawn
  }

  /** Reads without waiting for a batch to be drawn: for continuous reads. Commits as it goes. */
  async *batches(
    mode: 'bounded' | 'continuous',
    signal: AbortSignal,
    limits: { maxRecords?: number; maxBytes?: number } = {},
  ): AsyncGenerator<SourceBatch> {
    await using source = this.source()
    const all = { maxRecords: 1000, maxBytes: 1e9, maxDelayMs: 1000, ...limits }
    for await (const batch of source.read([...this.committed.values()], mode, all, signal)) {
      for (const checkpoint of batch.checkpoints) this.committed.set(checkpoint.name, checkpoint)
      yield batch
    }
  }

  source(): Source {
    return openFiles({ base: this.path, patterns: '**/*', pollMs: 5, ...this.#options })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { recursive: true, force: true })
  }
}

/** A record with its file: `a.ndjson 3: id=1`. */
export function drawRecord({ stream, number, decoded }: SourceRecord): string {
  return `${stream.name} ${number}: ${drawDecoded(decoded)}`
}
