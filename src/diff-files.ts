import { TidemarkError } from './core/errors.ts'
import { parseDeclaredType, type DeclaredType } from './core/types.ts'
import type { CsvOptions } from './formats/csv-dialect.ts'
import { FileDiff } from './pipeline/file-diff.ts'
import type { FileChange, FileDiffSummary } from './pipeline/file-diff.ts'
import type { SourceRecord } from './ports/source.ts'
import type { FileFormat } from './sources/files/file-format.ts'
import { openSnapshotFiles } from './sources/files/snapshot-files.ts'
import { SqliteDiffStage } from './stores/sqlite/diff-stage.ts'

/** How to compare two files. */
export type DiffFilesOptions = {
  /** The columns that name a row. */
  readonly keys: readonly string[]
  /** Column to type, as `columns` of a flow; a value that does not convert stops the comparison. */
  readonly types?: Readonly<Record<string, string>>
  /** What is in the files; by default as their extensions say. */
  readonly format?: FileFormat
  readonly csv?: CsvOptions
  /** Directory that the paths are relative to; by default that of the process. */
  readonly base?: string
  /** Larger records are refused, default 16 MiB. */
  readonly maxRecordBytes?: number
}

/** What differs between two files. Holds temporary files until it is disposed of. */
export interface FilesDiff extends Disposable {
  readonly keys: readonly string[]
  /** Every column but the keys, in the order of the values of a {@link FileChange}. */
  readonly columns: readonly string[]
  readonly summary: FileDiffSummary
  /** In the order of the keys as text, by code point. */
  changes(): Iterable<FileChange>
}

const DEFAULT_MAX_RECORD_BYTES = 16 * 1024 * 1024

/**
 * Compares two files, or what two globs find, as two states of one table: exactly, by type and
 * content (semantics 7), whatever their formats and order. Memory does not grow with their size.
 *
 * @throws TidemarkError `DUPLICATE_KEY`, `NULL_KEY`, the refusal of a row that cannot be read,
 *   `FILE_BROKEN`, `NOT_FOUND`, `SPEC_INVALID`
 */
export async function diffFiles(
  before: string,
  after: string,
  options: DiffFilesOptions,
): Promise<FilesDiff> {
  const { keys, types = {} } = options
  const stage = new SqliteDiffStage()
  try {
    const diff = new FileDiff({ keys, types: declared(types) }, stage)
    await diff.read('old', rowsOf(before, options))
    await diff.read('new', rowsOf(after, options))
    diff.compare()
    return {
      keys,
      columns: diff.columns,
      summary: diff.summary,
      changes: () => diff.changes(),
      [Symbol.dispose]: () => {
        stage[Symbol.dispose]()
      },
    }
  } catch (error) {
    stage[Symbol.dispose]()
    throw error
  }
}

async function* rowsOf(
  path: string,
  { base = '.', format = null, csv = {}, maxRecordBytes = DEFAULT_MAX_RECORD_BYTES }: ReadOptions,
): AsyncGenerator<readonly SourceRecord[]> {
  const version = { from: 'run', column: null, file_name: null } as const
  await using files = openSnapshotFiles({
    base,
    patterns: [path],
    version,
    format,
    csv,
    maxRecordBytes,
  })
  const offers = await files.offers([])
  if (offers.length === 0) throw new TidemarkError('NOT_FOUND', `no file is named by ${path}`)
  const { signal } = new AbortController()
  for (const offer of offers) yield* offer.read(signal)
}

type ReadOptions = Omit<DiffFilesOptions, 'format'> & { readonly format?: FileFormat | null }

function declared(types: Readonly<Record<string, string>>): Record<string, DeclaredType> {
  return Object.fromEntries(
    Object.entries(types).map(([name, text]) => {
      const type = parseDeclaredType(text)
      if (type !== null) return [name, type]
      throw new TidemarkError('USAGE', `${JSON.stringify(text)}, given for "${name}", is no type`)
    }),
  )
}
