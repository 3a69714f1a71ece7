import { z } from 'zod'
import {
  byColumn,
  custom,
  declaredType,
  distinct,
  duration,
  flag,
  name,
  names,
  oneOrMany,
  sql,
  strict,
  word,
} from './flow-spec-fields.ts'
import { sequence } from './flow-spec-sequence.ts'
import { path, source, SOURCE_OPTIONS } from './flow-spec-source.ts'
import type { StoreSpec } from './flow-spec-type.ts'

/** Tables that belong to somebody else. */
const target = name.refine((text) => !/^(?:sqlite_|__tidemark_)/i.test(text), {
  error: '{} begins like the tables of SQLite or of Tidemark itself',
})

const storageKind = z
  .literal([1, 2, 'bitemporal', '1', '2'], { error: 'must be 1, 2 or bitemporal' })
  .transform((kind) => {
    if (kind === 'bitemporal') return kind
    return Number(kind) === 1 ? 1 : 2
  })

const expectation = strict({
  name,
  expect: sql,
  on_violation: word(['warn', 'drop', 'fail']).default('warn'),
})

const expectations = z
  .array(expectation, { error: 'must be a list of { name, expect, on_violation }' })
  .superRefine((list, context) => {
    const seen = new Set<string>()
    for (const [i, each] of list.entries()) {
      if (seen.has(each.name)) {
        context.issues.push(custom('{} is the name of an earlier expectation', [i, 'name']))
      }
      seen.add(each.name)
    }
  })

/** `missing_columns: null` is YAML's own null. */
const missingColumns = z.preprocess(
  (value) => (value === null ? 'null' : value),
  word(['null', 'keep']).default('null'),
)

const indexes = z
  .array(names, { error: 'must be a list of lists of columns' })
  .refine((list) => list.length === 0, { error: 'indexes are not supported yet' })

const optionalNames = names.nullable().default(null)

const SHARE = 'must be a share from 0 to 1, or null'

const options = {
  name: name.nullable().default(null),
  target,
  source,
  keys: distinct(oneOrMany(name, 'column')),
  sequence_by: sequence,
  time_by: name.nullable().default(null),
  system_sequence_by: sequence.nullable().default(null),
  ignore_null_updates: flag.default(false),
  ignore_null_updates_column_list: names
    .refine((list) => list.length > 0, { error: 'needs at least one column' })
    .nullable()
    .default(null),
  ignore_null_updates_except_column_list: optionalNames,
  columns_to_update: name.nullable().default(null),
  missing_columns: missingColumns,
  apply_as_deletes: sql.nullable().default(null),
  apply_as_truncates: z
    .union([sql, z.literal(false)], { error: 'must be an SQL expression or false' })
    .nullable()
    .default(null),
  select: byColumn(sql, 'SQL expression').nullable().default(null),
  where: sql.nullable().default(null),
  columns: byColumn(declaredType, 'type').default({}),
  column_list: optionalNames,
  except_column_list: optionalNames,
  stored_as_scd_type: storageKind.default(1),
  track_history_column_list: optionalNames,
  track_history_except_column_list: optionalNames,
  reach: word(['target', 'flow']).default('target'),
  once: flag.default(false),
  on_sequence_tie: word(['source_order', 'fail']).default('source_order'),
  on_error: word(['quarantine', 'fail']).default('quarantine'),
  max_refused_fraction: z
    .number({ error: SHARE })
    .min(0, { error: SHARE })
    .max(1, { error: SHARE })
    .nullable()
    .default(0.5),
  expectations: expectations.default([]),
  retention: duration().nullable().default(null),
  indexes: indexes.default([]),
}

const homes = (keys: readonly string[], home: string): Readonly<Record<string, string>> =>
  Object.fromEntries(keys.map((key) => [key, home]))

/** One flow of a file, option by option; what options mean together is judged by flow-spec-checks.ts. */
export const flowSchema = strict(options, homes(SOURCE_OPTIONS, 'under source'))

/** Values for options that must be given, to go on with where one is wrong. */
export const NEUTRAL = {
  target: 'target',
  source: { events: true },
  keys: ['key'],
  sequence_by: 'sequence',
} as const

const store = strict({
  sqlite: path.optional(),
  memory: z.literal(true, { error: 'must be true' }).optional(),
}).transform(({ sqlite, memory }, context): StoreSpec => {
  if (sqlite !== undefined && memory === undefined) return { sqlite }
  if (sqlite === undefined && memory !== undefined) return { memory }
  context.issues.push(custom('needs either sqlite, the path of a database file, or memory: true'))
  return z.NEVER
})

/** A flow file around its flows. */
export const fileSchema = strict(
  {
    store,
    flows: z
      .array(z.unknown(), { error: 'must be a list of flows' })
      .min(1, { error: 'must be a list of at least one flow' }),
  },
  homes(Object.keys(options), 'to a flow, under flows'),
)
