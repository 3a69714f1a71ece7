import { z } from 'zod'
import { count, custom, declaredType, name, parseWithin, strict, word } from './flow-spec-fields.ts'
import { query } from './flow-spec-database.ts'
import type { GuardsSpec, VersionSpec } from './flow-spec-type.ts'

const SHARE = 'must be a share from 0 to 1, or null'
const share = z
  .number({ error: SHARE })
  .min(0, { error: SHARE })
  .max(1, { error: SHARE })
  .nullable()

const guards = strict({
  empty: word(['refuse', 'allow']).default('refuse'),
  max_delete_fraction: share.default(0.2),
  max_change_fraction: share.default(null),
  min_rows_for_fraction: count(0).default(10),
  duplicate_key: word(['refuse_conflicting', 'refuse', 'first', 'last']).default(
    'refuse_conflicting',
  ),
  null_key: word(['refuse', 'quarantine']).default('refuse'),
  row_count: word(['check', 'ignore']).default('check'),
  column_missing: word(['refuse', 'allow']).default('refuse'),
  out_of_order: word(['insert', 'refuse', 'skip']).default('insert'),
})

const pattern = z
  .string({ error: 'must be a regular expression' })
  .refine(isPattern, { error: 'must be a regular expression with a group around the version' })

const described = strict({
  column: name.nullable().default(null),
  file_name: pattern.nullable().default(null),
  manifest: z.literal(true, { error: 'must be true' }).optional(),
  modified: z.literal(true, { error: 'must be true' }).optional(),
  query: query.nullable().default(null),
  type: declaredType.nullable().default(null),
}).transform(
  ({ column, file_name, manifest, modified, query: asked, type }, context): VersionSpec => {
    const given = [
      ...(column === null ? [] : (['column'] as const)),
      ...(file_name === null ? [] : (['file_name'] as const)),
      ...(manifest === undefined ? [] : (['manifest'] as const)),
      ...(modified === undefined ? [] : (['modified'] as const)),
      ...(asked === null ? [] : (['query'] as const)),
    ]
    const [from, other] = given
    if (from !== undefined && other === undefined)
      return { from, column, file_name, query: asked, type }
    context.issues.push(custom('needs one of column, file_name, manifest, modified or query'))
    return z.NEVER
  },
)

const NO_VERSION: VersionSpec = {
  from: 'run',
  column: null,
  file_name: null,
  query: null,
  type: null,
}

const WORDS = ['run', 'modified', 'manifest'] as const

const version = z.unknown().transform((input, context): VersionSpec => {
  const from = WORDS.find((each) => each === input)
  if (from !== undefined) return { ...NO_VERSION, from }
  if (typeof input === 'object' && input !== null) return parseWithin(described, input, context)
  context.issues.push(
    custom(
      'must be run, modified, manifest, { column }, { file_name }, { query } or { manifest: true, type }',
    ),
  )
  return z.NEVER
})

const ALL_GUARDS: GuardsSpec = guards.parse({})

const FROM_VERSION = 'must be a version: text, or a whole number, in quotes from 2^53 on'
const fromVersion = z
  .union([z.string(), z.number().refine(Number.isSafeInteger, { error: FROM_VERSION })], {
    error: FROM_VERSION,
  })
  .nullable()

/** The options that only a source of snapshots has. */
export const snapshotOptions = {
  version: version.default(NO_VERSION),
  from_version: fromVersion.default(null),
  guards: guards.default(ALL_GUARDS),
  scope: name.nullable().default(null),
  missing_rows: word(['delete', 'ignore']).default('delete'),
  delete_after: count(1).default(1),
}

function isPattern(text: string): boolean {
  try {
    return (new RegExp(`${text}|`, 'u').exec('')?.length ?? 0) > 1
  } catch {
    return false
  }
}
