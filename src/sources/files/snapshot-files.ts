import { readFile as readText } from 'node:fs/promises'
import { dirname, relative, resolve, sep } from 'node:path'
import { TidemarkError } from '../../core/errors.ts'
import { timestampFromMicros } from '../../core/temporal.ts'
import type { Value } from '../../core/value.ts'
import type { CsvOptions } from '../../formats/csv-dialect.ts'
import type {
  Checkpoint,
  SnapshotSource,
  SourceRecord,
  SourceSnapshot,
  StreamLag,
} from '../../ports/source.ts'
import { valueIn } from '../../ports/source.ts'
import { unavailable } from './file-faults.ts'
import { framingFor, isParquet, type FileFormat } from './file-format.ts'
import { readFile } from './file-reading.ts'
import { listFiles, type FileEntry } from './listing.ts'
import { pause } from './pause.ts'
import { parseManifest, type ManifestEntry } from './manifest.ts'

/** Which files hold snapshots, and where their versions come from. */
export type SnapshotFilesOptions = {
  /** Directory that patterns are relative to: that of the flow file. */
  readonly base: string
  readonly patterns: readonly string[]
  readonly version: {
    readonly from: 'run' | 'modified' | 'column' | 'file_name' | 'manifest'
    readonly column: string | null
    readonly file_name: string | null
  }
  readonly format: FileFormat | null
  readonly csv: CsvOptions
  readonly maxRecordBytes: number
  /** How often a continuous run looks for new files, default 1 s. */
  readonly pollMs?: number
}

const DEFAULT_POLL_MS = 1000

/**
 * A source of full extracts in files. Files of one version in their names are parts of one
 * snapshot; with a version from a column or the time of change each file is one.
 *
 * A file that was applied and has the size and time of change that it had then is not offered
 * again. Where the version is the time of the run, all files together are offered every time.
 */
export function openSnapshotFiles(options: SnapshotFilesOptions): SnapshotSource {
  return new SnapshotFiles(options)
}

/** Files that make up a snapshot, and what is known of it. */
type Part = {
  readonly files: readonly FileEntry[]
  readonly version: Value
  readonly entry: ManifestEntry | null
}

class SnapshotFiles implements SnapshotSource {
  readonly #options: SnapshotFilesOptions

  constructor(options: SnapshotFilesOptions) {
    this.#options = options
  }

  async offers(after: readonly Checkpoint[]): Promise<readonly SourceSnapshot[]> {
    const known = new Map(after.map(({ name, state }) => [name, state]))
    const parts = await this.#parts()
    return parts
      .filter(({ files, entry }) =>
        this.#isOfTheRun
          ? files.length > 0
          : files.length === 0 ||
            files.some((file) => known.get(file.name) !== stateOf(file, entry)),
      )
      .map((part) => this.#offer(part))
  }

  async lag(after: readonly Checkpoint[]): Promise<readonly StreamLag[]> {
    const known = new Map(after.map(({ name, state }) => [name, state]))
    return (await this.#parts()).flatMap(({ files, entry }) =>
      files.map((file) => ({
        name: file.name,
        partition: 0,
        behind: known.get(file.name) === stateOf(file, entry) ? 0 : file.size,
        unit: 'bytes' as const,
      })),
    )
  }

  wait(signal: AbortSignal): Promise<void> {
    return pause(this.#options.pollMs ?? DEFAULT_POLL_MS, signal)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve()
  }

  get #isOfTheRun(): boolean {
    return this.#options.version.from === 'run'
  }

  async #parts(): Promise<readonly Part[]> {
    const { base, patterns, version } = this.#options
    const { files, missing } = await listFiles(base, patterns)
    const [pattern] = missing
    if (pattern !== undefined) {
      throw new TidemarkError('NOT_FOUND', `there is no file ${pattern} in ${base}`, { pattern })
    }
    switch (version.from) {
      case 'run':
        return [{ files, version: null, entry: null }]
      case 'modified':
        return files.map((file) => ({ files: [file], version: modifiedAt(file), entry: null }))
      case 'column':
        return Promise.all(
          files.map(async (file) => ({
            files: [file],
            version: await this.#columnOf(file, version.column ?? ''),
            entry: null,
          })),
        )
      case 'file_name':
        return byVersion(files, new RegExp(version.file_name ?? '', 'u'))
      case 'manifest':
        return (await Promise.all(files.map((file) => this.#listed(file)))).flat()
    }
  }

  #offer({ files, version, entry }: Part): SourceSnapshot {
    const first = files[0]?.name ?? '(no file)'
    return {
      name: files.length > 1 ? `${first} and ${files.length - 1} more` : first,
      version,
      isOfTheRun: this.#isOfTheRun,
      isWhole: false,
      scope: entry?.scope ?? null,
      declaredRows: entry?.rows ?? null,
      force: entry?.force ?? [],
      checkpoints: files.map((file) => ({
        name: file.name,
        partition: 0,
        next: 1,
        state: stateOf(file, entry),
      })),
      read: (signal) => this.#read(files, signal),
    }
  }

  async *#read(
    files: readonly FileEntry[],
    signal: AbortSignal,
  ): AsyncGenerator<readonly SourceRecord[]> {
    const { column } = this.#options.version
    for (const file of files) {
      let seen: Value | undefined
      for await (const records of this.#records(file)) {
        if (signal.aborted) return
        for (const record of column === null ? [] : records) {
          const value = valueOf(record, column ?? '')
          if (seen !== undefined && !isSameText(seen, value)) throw mixed(file, column)
          seen = value
        }
        yield records
      }
    }
  }

  async *#records(file: FileEntry): AsyncGenerator<readonly SourceRecord[]> {
    const { format, csv, maxRecordBytes } = this.#options
    const stream = { name: file.name, partition: 0 }
    const pieces = readFile({
      file,
      after: null,
      end: 'read',
      framing: (from) => framingFor({ stream, from, maxRecordBytes }, { format, csv }),
      parquet: isParquet(file.name, { format }) ? { maxRecordBytes } : null,
    })
    for await (const { records } of pieces) yield records
  }

  /** The version that the first row of a file has. */
  async #columnOf(file: FileEntry, column: string): Promise<Value> {
    try {
      for await (const [record] of this.#records(file)) {
        if (record !== undefined) return valueOf(record, column)
      }
    } catch (error) {
      if (!(error instanceof TidemarkError) || error.code !== 'FILE_BROKEN') throw error
    }
    return null
  }

  async #listed(manifest: FileEntry): Promise<readonly Part[]> {
    const { base } = this.#options
    let text: string
    try {
      text = await readText(manifest.path, 'utf8')
    } catch (error) {
      throw unavailable(manifest.name, error)
    }
    return Promise.all(
      parseManifest(text, manifest.name).map(async (entry): Promise<Part> => {
        const paths = entry.files.map((file) =>
          namedFrom(base, resolve(dirname(manifest.path), file)),
        )
        const { files, missing } = await listFiles(base, paths)
        const [lacking] = missing
        if (lacking === undefined) return { files, version: entry.version, entry }
        throw new TidemarkError(
          'NOT_FOUND',
          `${manifest.name} names ${lacking}, which is not there`,
          {
            file: lacking,
          },
        )
      }),
    )
  }
}

/** What a checkpoint says of a file: while that is the same, the file is not read again. */
function stateOf({ size, mtimeMs }: FileEntry, entry: ManifestEntry | null): string {
  return JSON.stringify([size, mtimeMs, entry === null ? null : entry.text])
}

function byVersion(files: readonly FileEntry[], pattern: RegExp): Part[] {
  const parts = new Map<string, { files: FileEntry[]; version: Value; entry: null }>()
  for (const file of files) {
    const version = pattern.exec(file.name)?.[1] ?? null
    // Files without a version are no parts of one snapshot.
    const id = version === null ? `no version ${file.name}` : `version ${version}`
    const part = parts.get(id) ?? { files: [], version, entry: null }
    part.files.push(file)
    parts.set(id, part)
  }
  return [...parts.values()]
}

function modifiedAt({ mtimeMs }: FileEntry): Value {
  return timestampFromMicros(BigInt(Math.floor(mtimeMs * 1000)))
}

function valueOf({ decoded }: SourceRecord, column: string): Value {
  return decoded.kind === 'image' ? (valueIn(decoded, column) ?? null) : null
}

function isSameText(a: Value, b: Value): boolean {
  return a === b || (a !== null && b !== null && JSON.stringify(a) === JSON.stringify(b))
}

function mixed({ name }: FileEntry, column: string | null): TidemarkError {
  const what = `has rows of several versions in its column "${column ?? ''}"`
  return new TidemarkError('FILE_BROKEN', `${name} ${what}; a file holds one snapshot`, {
    file: name,
  })
}

function namedFrom(base: string, path: string): string {
  return relative(base, path).split(sep).join('/')
}
