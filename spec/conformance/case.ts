import { z } from 'zod'
import { ExactNumber, isArray, isObject, readJson } from './json.ts'
import type { Json, JsonObject } from './json.ts'

/** Change events delivered batch by batch, and the table that they must leave. */
export type BatchCase = {
  readonly kind: 'batches'
  readonly name: string
  /** Options as in a flow file; target and source are the runner's. */
  readonly flow: JsonObject
  readonly batches: readonly (readonly Json[])[]
  readonly rows: readonly JsonObject[]
  /** The batch, counted from 1, that must be refused with this code; null if none is. */
  readonly refusal: { readonly code: string; readonly atBatch: number } | null
  readonly checkpoints: readonly Checkpoint[]
  readonly asOf: readonly AsOf[]
  readonly permutable: boolean
}

/** The rows after the n-th batch, counted from 1. */
export type Checkpoint = { readonly afterBatch: number; readonly rows: readonly JsonObject[] }

/** What is visible of a key at a valid time, as believed at a system time. */
export type AsOf = {
  /** The key's one value, or an array of the values of its columns. */
  readonly key: Json
  readonly valid: Json
  /** A value of `system_sequence_by`, or the number of a batch; null for what is believed now. */
  readonly system: Json
  /** The columns that matter; null where the key does not exist. */
  readonly expect: JsonObject | null
}

/** Full extracts delivered one by one, what each must come to, and the table that they must leave. */
export type SnapshotCase = {
  readonly kind: 'snapshots'
  readonly name: string
  readonly flow: JsonObject
  /** Options of the flow's source. */
  readonly options: JsonObject
  readonly snapshots: readonly GivenSnapshot[]
  readonly rows: readonly JsonObject[]
  /** Per snapshot in order of delivery; null where the case does not say. */
  readonly results: readonly JsonObject[] | null
}

/** A snapshot with what it declares. */
export type GivenSnapshot = {
  readonly version: Json
  readonly rows: readonly Json[]
  readonly scope?: readonly Json[] | undefined
  readonly force?: readonly string[] | undefined
  readonly declared_rows?: ExactNumber | undefined
}

/** A case that is not written as the README of the cases says. */
export type BrokenCase = { readonly kind: 'broken'; readonly name: string; readonly why: string }

/** What a file holds: its cases, and members of them that nobody looks at. */
export type CaseFile = {
  readonly cases: readonly (BatchCase | SnapshotCase | BrokenCase)[]
  readonly notes: readonly string[]
}

/**
 * Reads a file of cases; null if it is JSON, but no array of cases.
 *
 * @throws SyntaxError if it is no JSON
 */
export function readCaseFile(text: string): CaseFile | null {
  const elements = readJson(text)
  if (!isArray(elements)) return null
  if (elements.length > 0 && !elements.some(looksLikeACase)) return null
  const unknown = new Set(elements.flatMap(unknownMembers))
  const notes = [...unknown].map((name) => `member ${JSON.stringify(name)} is not looked at`)
  return { cases: elements.map(readCase), notes }
}

function looksLikeACase(element: Json): boolean {
  return isObject(element) && (has(element, 'expect') || has(element, 'flow'))
}

function has(object: JsonObject, name: string): boolean {
  return Object.hasOwn(object, name)
}

function readCase(element: Json, place: number): BatchCase | SnapshotCase | BrokenCase {
  const named = isObject(element) ? element['name'] : undefined
  const name = typeof named === 'string' && named !== '' ? named : `case ${place + 1}`
  const isOfSnapshots = isObject(element) && has(element, 'snapshots')
  const parsed = (isOfSnapshots ? SNAPSHOT_CASE : BATCH_CASE).safeParse(element)
  if (parsed.success) return parsed.data
  const why = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  return { kind: 'broken', name, why: why.join('; ') }
}

const anything = z.custom<Json>((value) => value !== undefined, 'is missing')
const object = z.custom<JsonObject>((value) => isObject(value as Json), 'must be an object')
const rows = z.array(object)
const count = z
  .instanceof(ExactNumber, { error: 'must be a number' })
  .transform(({ text }) => Number(text))
  .pipe(z.int().positive())

const EXPECT = z.object({ rows, refused: z.string().optional(), at_batch: count.optional() })

const AS_OF = z.object({
  key: anything,
  valid: anything,
  system: anything.nullable().default(null),
  expect: object.nullable(),
})

const CHECKPOINT = z
  .object({ after_batch: count, rows })
  .transform((given): Checkpoint => ({ afterBatch: given.after_batch, rows: given.rows }))

const BATCH_CASE = z
  .object({
    name: z.string().min(1),
    flow: object,
    batches: z.array(z.array(anything)),
    expect: EXPECT,
    checkpoints: z.array(CHECKPOINT).default([]),
    as_of: z.array(AS_OF).default([]),
    permutable: z.boolean().default(false),
  })
  .refine(({ expect }) => (expect.refused === undefined) === (expect.at_batch === undefined), {
    path: ['expect'],
    error: 'refused and at_batch go together',
  })
  .refine(({ batches, expect }) => (expect.at_batch ?? 0) <= batches.length, {
    path: ['expect', 'at_batch'],
    error: 'there is no such batch',
  })
  .refine(
    ({ batches, checkpoints, expect }) =>
      checkpoints.every(({ afterBatch }) => afterBatch <= (expect.at_batch ?? batches.length)),
    { path: ['checkpoints'], error: 'there is no such batch' },
  )
  .transform((given): BatchCase => ({
    kind: 'batches',
    name: given.name,
    flow: given.flow,
    batches: given.batches,
    rows: given.expect.rows,
    refusal: refusalOf(given.expect),
    checkpoints: given.checkpoints,
    asOf: given.as_of,
    permutable: given.permutable,
  }))

const GIVEN_SNAPSHOT = z.strictObject({
  version: anything.nullable(),
  rows: z.array(anything),
  scope: z.array(anything).optional(),
  force: z.array(z.string()).optional(),
  declared_rows: z.instanceof(ExactNumber).optional(),
})

const SNAPSHOT_CASE = z
  .object({
    name: z.string().min(1),
    flow: object,
    snapshots: z.array(GIVEN_SNAPSHOT),
    snapshot_options: object.default({}),
    expect: z.object({ rows, results: z.array(object).optional() }),
  })
  .refine(
    ({ snapshots, expect: { results } }) =>
      results === undefined || results.length === snapshots.length,
    { path: ['expect', 'results'], error: 'must be as many as there are snapshots' },
  )
  .transform((given): SnapshotCase => ({
    kind: 'snapshots',
    name: given.name,
    flow: given.flow,
    options: given.snapshot_options,
    snapshots: given.snapshots,
    rows: given.expect.rows,
    results: given.expect.results ?? null,
  }))

function refusalOf({ refused, at_batch }: z.infer<typeof EXPECT>): BatchCase['refusal'] {
  if (refused === undefined || at_batch === undefined) return null
  return { code: refused, atBatch: at_batch }
}

/** A misspelt `permutable` would weaken its case in silence, so members that are not known are told. */
function unknownMembers(element: Json): string[] {
  if (!isObject(element)) return []
  const expect = isObject(element['expect']) ? Object.keys(element['expect']) : []
  return [
    ...Object.keys(element).filter((name) => !MEMBERS.has(name)),
    ...expect.filter((name) => !MEMBERS_OF_EXPECT.has(name)).map((name) => `expect.${name}`),
  ]
}

const MEMBERS = new Set(
  (
    'name origin rule notes flow batches snapshots snapshot_options expect checkpoints as_of ' +
    'permutable'
  ).split(' '),
)
const MEMBERS_OF_EXPECT = new Set(['rows', 'results', 'refused', 'at_batch'])
