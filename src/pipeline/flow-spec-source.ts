import { z } from 'zod'
import { MESSAGE_FORMAT_NAMES } from '../formats/message-formats.ts'
import type { CsvOptions } from '../formats/csv-dialect.ts'
import {
  count,
  custom,
  distinct,
  duration,
  flag,
  name,
  oneOrMany,
  parseWithin,
  strict,
  word,
} from './flow-spec-fields.ts'
import { kafkaCluster } from './flow-spec-kafka.ts'
import { messageOptions, onlyOfMessages } from './flow-spec-messages.ts'
import { nearest } from './flow-spec-nearest.ts'
import { snapshotOptions } from './flow-spec-snapshots.ts'
import { database } from './flow-spec-database.ts'
import type {
  DatabaseSpec,
  EventsSourceSpec,
  FileOptionsSpec,
  FilesSourceSpec,
  KafkaSourceSpec,
  SnapshotsSourceSpec,
  SourceSpec,
} from './flow-spec-type.ts'

/** Longer timers than this fire at once. */
const LONGEST_TIMER_MS = 2_147_483_647

const limits = {
  epoch: count(0).default(0),
  max_batch_records: count(1).nullable().default(null),
  max_batch_bytes: count(1).default(64 * 1024 * 1024),
  max_batch_delay: duration(LONGEST_TIMER_MS).default(1000),
  max_record_bytes: count(1).default(16 * 1024 * 1024),
  max_columns: count(1).default(1000),
}

/** A path or glob as it is written. */
export const path = z
  .string({ error: 'must be a path or a glob' })
  .min(1, { error: 'must be a path or a glob' })
  .refine((text) => !text.includes('\0'), { error: 'no path can have a NUL character' })

const ONE_CHARACTER = 'must be one ASCII character'
const character = z
  .string({ error: ONE_CHARACTER })
  .regex(/^[\x01-\x09\x0b\x0c\x0e-\x7f]$/, { error: ONE_CHARACTER })

const headerNames = distinct(oneOrMany(name, 'name'))
const header = z.unknown().transform((input, context): true | string[] => {
  if (input === true) return true
  if (Array.isArray(input)) return parseWithin(headerNames, input, context)
  context.issues.push(custom('must be true (the first row names the columns) or a list of names'))
  return z.NEVER
})

const FILE_FORMATS = ['ndjson', 'json', 'csv', 'parquet'] as const

const fileOptions = {
  format: word(FILE_FORMATS).nullable().default(null),
  header: header.default(true),
  delimiter: z
    .string({ error: 'must be text' })
    .min(1, { error: 'must not be empty' })
    .refine((text) => !/[\0\r\n\p{Surrogate}]/u.test(text), {
      error: 'must be without line breaks and NUL characters',
    })
    // In single quotes and without quotes YAML leaves a backslash as it is.
    .transform((text) => (text === '\\t' ? '\t' : text))
    .nullable()
    .default(null),
  quote: character.nullable().default('"'),
  escape: character.nullable().default(null),
  ...limits,
}

const files = strict({
  files: oneOrMany(path, 'path or glob'),
  ...fileOptions,
  format: word([...FILE_FORMATS, ...onlyOfMessages()])
    .nullable()
    .default(null),
  dump: flag.default(false),
  ...messageOptions,
}).transform((options): FilesSourceSpec => ({ kind: 'files', ...options }))

const paths = oneOrMany(path, 'path or glob')
const extracts = z.unknown().transform((input, context): string[] | DatabaseSpec => {
  if (input === true) return []
  const isDatabase = typeof input === 'object' && input !== null && !Array.isArray(input)
  return isDatabase ? parseWithin(database, input, context) : parseWithin(paths, input, context)
})

const snapshots = strict({
  snapshots: extracts,
  ...fileOptions,
  ...snapshotOptions,
}).transform((options): SnapshotsSourceSpec => ({ kind: 'snapshots', ...options }))

const kafka = strict({
  kafka: kafkaCluster,
  format: word(MESSAGE_FORMAT_NAMES),
  ...messageOptions,
  ...limits,
}).transform((options): KafkaSourceSpec => ({ kind: 'kafka', ...options }))

const events = strict({
  events: z.literal(true, { error: 'must be true' }),
  ...limits,
}).transform(({ events: given, ...options }): EventsSourceSpec => {
  void given
  return { kind: 'events', ...options }
})

/** What a source can be, by the key that says so. */
const KINDS = { files, kafka, snapshots, events } as const satisfies Record<
  string,
  z.ZodType<SourceSpec>
>
const KIND_NAMES = [
  'files',
  'kafka',
  'snapshots',
  'events',
] as const satisfies readonly (keyof typeof KINDS)[]

const CSV_OPTIONS = ['header', 'delimiter', 'quote', 'escape']

/** Every option that some source has. */
export const SOURCE_OPTIONS: readonly string[] = [
  ...KIND_NAMES,
  'format',
  'dump',
  ...Object.keys(messageOptions),
  ...CSV_OPTIONS,
  ...Object.keys(limits),
  ...Object.keys(snapshotOptions),
]

/** Where records come from: one key says the kind, the others are options of that kind. */
export const source = z.unknown().transform((input, context): SourceSpec => {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    context.issues.push(custom('must be an object such as { files: "feed/*.ndjson" }'))
    return z.NEVER
  }
  const kinds = KIND_NAMES.filter((kind) => Object.hasOwn(input, kind))
  const [kind] = kinds
  if (kind === undefined || kinds.length > 1) {
    context.issues.push(oneKind(kinds, Object.keys(input)))
    return z.NEVER
  }

  const spec: SourceSpec = parseWithin<SourceSpec>(KINDS[kind], input, context)
  const isOfFiles = spec.kind === 'files' || spec.kind === 'snapshots'
  if (isOfFiles && spec.format !== null && spec.format !== 'csv') {
    for (const option of CSV_OPTIONS.filter((each) => Object.hasOwn(input, each))) {
      context.issues.push(custom('is an option of csv files only', [option]))
    }
  }
  if (spec.kind === 'snapshots' && 'query' in spec.snapshots) {
    for (const option of ['format', ...CSV_OPTIONS].filter((each) => Object.hasOwn(input, each))) {
      context.issues.push(custom('is an option of files only', [option]))
    }
  }
  return spec
})

/** How the CSV files of a source are written, as their decoder takes it. */
export function csvOptionsOf({
  header: given,
  delimiter,
  quote,
  escape,
}: Pick<FileOptionsSpec, 'header' | 'delimiter' | 'quote' | 'escape'>): CsvOptions {
  return {
    header: given,
    quote,
    ...(delimiter === null ? {} : { delimiter }),
    ...(escape === null ? {} : { escape }),
  }
}

function oneKind(kinds: readonly string[], given: readonly string[]): z.core.$ZodRawIssue {
  if (kinds.length > 1)
    return custom(`is one of ${KIND_NAMES.join(', ')}, not ${kinds.join(' and ')}`)
  const hint = given.map((key) => nearest(key, KIND_NAMES)).find((near) => near !== null)
  return custom(
    `needs one of ${KIND_NAMES.join(', ')}${hint === undefined ? '' : `; did you mean "${hint}"?`}`,
  )
}
