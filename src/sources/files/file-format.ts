import { BugError, TidemarkError } from '../../core/errors.ts'
import { Csv } from '../../formats/csv.ts'
import type { CsvOptions } from '../../formats/csv-dialect.ts'
import type { Framing, FramingOptions } from '../../formats/framing.ts'
import { JsonElements } from '../../formats/json-elements.ts'
import { Lines } from '../../formats/lines.ts'
import { MessageLines } from '../../formats/message-lines.ts'
import type { LineMessages } from '../../formats/message-lines.ts'

/** What a file source reads: a JSON object per line; an array of them, or one after the other; rows of fields; columns. */
export type FileFormat = 'ndjson' | 'json' | 'csv' | 'parquet'

const BY_EXTENSION: ReadonlyMap<string, FileFormat> = new Map([
  ['ndjson', 'ndjson'],
  ['jsonl', 'ndjson'],
  ['json', 'json'],
  ['csv', 'csv'],
  ['tsv', 'csv'],
  ['parquet', 'parquet'],
])

/** What is in files, as far as their names do not say it. */
export type FileContent = {
  readonly format?: FileFormat | null
  readonly csv?: CsvOptions
  /** Lines are messages of this kind, whatever the names say. */
  readonly messages?: LineMessages
}

/** Whether a file's name says that it is packed. */
export function isNamedGzip(name: string): boolean {
  return /\.gz$/i.test(name)
}

/** Whether a file is read as Parquet: by the format given, else by its extension. */
export function isParquet(name: string, { format, messages }: FileContent): boolean {
  if (messages !== undefined) return false
  return (format ?? BY_EXTENSION.get(extensionOf(name))) === 'parquet'
}

/**
 * What cuts a file into records: by the format given, else by the extension before `.gz`.
 *
 * @throws TidemarkError `SPEC_INVALID` where neither says what the file is
 */
export function framingFor(
  options: FramingOptions,
  { format: given = null, csv = {}, messages }: FileContent,
): Framing {
  if (messages !== undefined) return new MessageLines(options, messages)
  const { name } = options.stream
  const extension = extensionOf(name)
  switch (given ?? BY_EXTENSION.get(extension)) {
    case 'ndjson':
      return new Lines(options)
    case 'json':
      return new JsonElements(options)
    case 'csv':
      return new Csv(options, extension === 'tsv' ? { delimiter: '\t', ...csv } : csv)
    case 'parquet':
      throw new BugError(`${name} is a Parquet file, which has no frames`)
    case undefined:
      throw new TidemarkError(
        'SPEC_INVALID',
        `the name of ${name} does not say what is in it; add format: ndjson, json, csv or parquet to the source`,
        { file: name, missing: 'format' },
      )
  }
}

function extensionOf(name: string): string {
  return /\.([^./]+)$/.exec(name.replace(/\.gz$/i, ''))?.[1]?.toLowerCase() ?? ''
}
