import type { FileMetaData, ParquetScan } from 'hyparquet'
import { jsonText } from '../core/display.ts'
import { TidemarkError } from '../core/errors.ts'
import { isRefusal, refuse, type Refusal } from '../core/refusal.ts'
import type { Value } from '../core/value.ts'
import type { Decoded, Shape, SourceRecord, StreamName } from '../ports/source.ts'
import { KEPT_BYTES, tooLarge } from './framing.ts'
import {
  parquetColumns,
  physicalSchema,
  unreadGroup,
  type ParquetColumn,
} from './parquet-columns.ts'
import { checkPages, pagesOf } from './parquet-pages.ts'

/** Where the bytes of a file come from; what is read lies within it. */
export type ParquetBytes = {
  readonly byteLength: number
  readonly slice: (start: number, end?: number) => Promise<ArrayBuffer>
}

/** What a Parquet file is read with. */
export type ParquetOptions = {
  readonly stream: StreamName
  readonly bytes: ParquetBytes
  readonly maxRecordBytes: number
}

/** Rows that are turned into records at a time. */
const RECORDS = 5_000

/** Rows that are read at a time where an index of pages allows for less than a row group. */
const SLICE_ROWS = 65_536

/** The last and first four bytes of every Parquet file. */
export const PARQUET_MAGIC = 'PAR1'

/**
 * Opens a Parquet file: reads its footer.
 *
 * @throws TidemarkError `FILE_BROKEN` where it is none, or has what is not read
 */
export async function openParquet(options: ParquetOptions): Promise<ParquetFile> {
  const { stream, bytes } = options
  const { parquetMetadataAsync, parquetScan, parquetSchema } = await import('hyparquet')
  const { compressors } = await import('hyparquet-compressors')
  return unbroken(stream, async () => {
    const metadata = await parquetMetadataAsync(bytes, { geoparquet: false })
    const unread = unreadGroup(metadata.schema)
    if (unread !== null) throw new Error(`column "${unread.name}" is a VARIANT, which is not read`)
    const columns = parquetColumns(parquetSchema(metadata))
    const twice = columns.find(({ name }, i) => columns.findIndex((c) => c.name === name) !== i)
    if (twice !== undefined) throw new Error(`column "${twice.name}" appears twice`)
    const open = () =>
      parquetScan({ ...PHYSICAL, file: bytes, metadata: physical(metadata), compressors })
    return new ParquetFile(options, { metadata, columns, open })
  })
}

/** A Parquet file whose footer was read; its rows are numbered from 1. */
export class ParquetFile {
  private readonly options: ParquetOptions
  private readonly metadata: FileMetaData
  private readonly columns: readonly ParquetColumn[]
  private readonly open: () => Promise<ParquetScan>
  private readonly shape: Shape
  private readonly heads: readonly string[]

  /** Use {@link openParquet}. */
  constructor(options: ParquetOptions, { metadata, columns, open }: Opened) {
    this.options = options
    this.metadata = metadata
    this.columns = columns
    this.open = open
    this.shape = { names: columns.map(({ name }) => name) }
    this.heads = this.shape.names.map((name, i) => `${i === 0 ? '{' : ','}${JSON.stringify(name)}:`)
  }

  get rowCount(): number {
    return Number(this.metadata.num_rows)
  }

  /**
   * The records from a number on, some thousands at a time. One row group at most is in memory, and
   * less where the file has an index of its pages.
   *
   * @throws TidemarkError `FILE_BROKEN`
   */
  async *records(from: number): AsyncGenerator<readonly SourceRecord[]> {
    const { stream } = this.options
    const scan = await unbroken(stream, this.open)
    for await (const { rowStart, rowEnd } of this.slices(from - 1)) {
      const values = await unbroken(stream, () => this.read(scan, rowStart, rowEnd))
      for (let at = 0; at < rowEnd - rowStart; at += RECORDS) {
        const length = Math.min(RECORDS, rowEnd - rowStart - at)
        yield Array.from({ length }, (_, i) => this.record(values, at + i, rowStart + at + i + 1))
      }
    }
  }

  /** What is read at a time: row groups, or parts of them. */
  private async *slices(first: number): AsyncGenerator<{ rowStart: number; rowEnd: number }> {
    let start = 0
    for (const { num_rows, columns } of this.metadata.row_groups) {
      const end = start + Number(num_rows)
      if (end > first) await unbroken(this.options.stream, () => this.check(columns))
      const isIndexed = columns.every((column) => column.offset_index_offset !== undefined)
      const most = isIndexed ? SLICE_ROWS : Infinity
      for (let at = Math.max(start, first); at < end; at += most) {
        yield { rowStart: at, rowEnd: Math.min(end, at + most) }
      }
      start = end
    }
  }

  private async check(columns: FileMetaData['row_groups'][number]['columns']): Promise<void> {
    const { parquetHeader } = await import('hyparquet/src/column.js')
    for (const { meta_data: column, file_path } of columns) {
      if (column === undefined || file_path !== undefined) {
        throw new Error('a column is in another file, or encrypted')
      }
      const { start, end } = pagesOf(column)
      checkPages(await this.options.bytes.slice(start, end), column, parquetHeader)
    }
  }

  private async read(scan: ParquetScan, rowStart: number, rowEnd: number) {
    const values: ArrayLike<unknown>[] = []
    for (const { name: column } of this.columns) {
      const data = await scan.readColumn({ column, rowStart, rowEnd })
      if (data.length !== rowEnd - rowStart) {
        const counts = `${data.length} rows where the file has ${rowEnd - rowStart}`
        throw new Error(`column "${column}" has ${counts}`)
      }
      values.push(data)
    }
    return values
  }

  private record(columns: readonly ArrayLike<unknown>[], at: number, number: number): SourceRecord {
    const values: Value[] = []
    let text = this.columns.length === 0 ? '{' : ''
    let refused: Refusal | null = null
    for (const [i, { name, read }] of this.columns.entries()) {
      const value = read(columns[i]?.[at])
      if (isRefusal(value)) {
        refused ??= refuse(value.code, `column ${JSON.stringify(name)}: ${value.message}`)
        values.push(null)
      } else values.push(value)
      text += (this.heads[i] ?? '') + jsonText(values[i] ?? null)
    }
    const bytes = Buffer.from(`${text}}`)
    const { stream, maxRecordBytes } = this.options
    const isTooLarge = bytes.length > maxRecordBytes
    const image: Decoded = { kind: 'image', shape: this.shape, values, hint: null }
    return {
      stream,
      number,
      bytes: isTooLarge ? bytes.subarray(0, KEPT_BYTES) : bytes,
      decoded: isTooLarge ? tooLarge(bytes.length, maxRecordBytes) : (refused ?? image),
      timestamp: null,
    }
  }
}

type Opened = {
  readonly metadata: FileMetaData
  readonly columns: readonly ParquetColumn[]
  readonly open: () => Promise<ParquetScan>
}

/** Values as the file holds them: bytes stay bytes, INT96 becomes nanoseconds. */
const PHYSICAL = {
  utf8: false,
  geoparquet: false,
  parsers: { timestampFromNanoseconds: (nanos: bigint): unknown => nanos },
} as const

function physical(metadata: FileMetaData): FileMetaData {
  return { ...metadata, schema: physicalSchema(metadata.schema) }
}

/** Does some reading; whatever goes wrong there says that the file is broken, unless it could not be read at all. */
async function unbroken<T>({ name }: StreamName, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof TidemarkError) throw error
    const why = error instanceof Error ? error.message : String(error)
    const what = `${name} is no Parquet file that can be read: ${why.replace(/^parquet /, '')}`
    throw new TidemarkError('FILE_BROKEN', what, { file: name }, error)
  }
}
