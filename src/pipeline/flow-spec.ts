import { disagreementsOf } from './flow-spec-agreement.ts'
import type { ReadFlow } from './flow-spec-agreement.ts'
import { isRecord } from './flow-spec-fields.ts'
import { contradictionsIn } from './flow-spec-checks.ts'
import { problemsOf, refuseSpec, Written } from './flow-spec-problems.ts'
import type { Problem, SpecPath } from './flow-spec-problems.ts'
import { presetOfWritten } from './flow-spec-messages.ts'
import { SEQUENCE_COLUMN, TIME_COLUMN, VERSION_COLUMN } from './virtual-columns.ts'
import { awaitsTopics, flowsByTopic } from './flow-spec-topics.ts'
import { fileSchema, flowSchema, NEUTRAL } from './flow-spec-schema.ts'
import type { EnvironmentValue, FlowFile, FlowSpec, FoundTopics } from './flow-spec-type.ts'

export { describeFlow } from './flow-spec-describe.ts'
export { warningsOf } from './flow-spec-warnings.ts'

/** Where a flow file comes from. */
export type FlowFileOrigin = {
  /** What messages call the file; null for flows made in code. */
  readonly file: string | null
  /** The file before values of the environment were put in: what messages and {@link describeFlow} quote. */
  readonly written: unknown
}

/**
 * Checks a flow file and fills in its defaults.
 *
 * @param base directory that its relative paths count from
 * @throws TidemarkError `SPEC_INVALID` with every problem, each by its path and on a line of its own;
 *   `FLOWS_DISAGREE` if all that is wrong is that flows into one target do not agree
 */
export function parseFlowFile(spec: unknown, base: string, origin?: FlowFileOrigin): FlowFile {
  return parsed(spec, base, origin, new Map())
}

function parsed(
  spec: unknown,
  base: string,
  origin: FlowFileOrigin | undefined,
  found: FoundTopics,
): FlowFile {
  const { file, written: source } = origin ?? { file: null, written: spec }
  const written = new Written(source)
  const top = fileSchema.safeParse(spec)
  const given = new Written(spec)
  const list = given.at(['flows'])

  const flows = Array.isArray(list)
    ? list.flatMap((flow: unknown, i) =>
        flowsByTopic(flow, found).map((each) => readFlow(each, ['flows', i], written)),
      )
    : []
  const read = flows.flatMap((each) => each.read)
  const problems = [
    ...(top.success ? [] : problemsOf(top.error.issues, written)),
    ...flows.flatMap((each) => each.problems),
    ...disagreementsOf(read, written),
  ]
  if (problems.length > 0 || !top.success) refuseSpec(problems, file)
  const checked = { base, store: top.data.store, flows: read.map(({ flow }) => flow) }
  if (!checked.flows.some(awaitsTopics)) return checked
  return { ...checked, withTopics: (more) => parsed(spec, base, origin, more) }
}

/** A flow, if it is one at all, and what is wrong with it. */
function readFlow(
  asGiven: unknown,
  at: SpecPath,
  written: Written,
): { readonly read: readonly ReadFlow[]; readonly problems: readonly Problem[] } {
  const { given, keys } = filledByFormat(sequencedByVersion(asGiven))
  const first = flowSchema.safeParse(given)
  const issues = first.success
    ? []
    : first.error.issues.map((issue) => ({ ...issue, path: [...at, ...issue.path] }))
  const problems = problemsOf(issues, written)

  // What is wrong gets a stand-in, so that one fault does not hide the others.
  const wrong = new Set(issues.map(({ path }) => String(path[at.length])))
  const second = first.success ? first : flowSchema.safeParse(mended(given, wrong))
  if (!second.success) return { read: [], problems }

  const { name, ...options } = second.data
  const environment = environmentOf(given, written.at(at), [])
  const hidden = name === null ? environment.filter(({ path }) => path[0] === 'target') : []
  const flow: FlowSpec = {
    name: name ?? options.target,
    ...options,
    keys: keys ?? options.keys,
    environment: [...environment, ...hidden.map((each) => ({ ...each, path: ['name'] }))],
  }
  return {
    read: [{ at, flow, wrong }],
    problems: [...problems, ...contradictionsIn(flow, at, written)],
  }
}

/** A flow of snapshots has no `sequence_by`: the version of its snapshots orders them. */
function sequencedByVersion(given: unknown): unknown {
  if (!isRecord(given) || !isRecord(given['source'])) return given
  const { source } = given
  if (!Object.hasOwn(source, 'snapshots') || Object.hasOwn(given, 'sequence_by')) return given
  const { version, snapshots } = source
  const type = snapshots === true ? null : versionType(version)
  return { ...given, sequence_by: { column: VERSION_COLUMN, type } }
}

/** The type that versions have once they are read: numbers that count from 1970 are instants by then. */
function versionType(version: unknown): unknown {
  if (version === undefined || version === 'run') return 'timestamp'
  if (version === 'modified') return 'timestamp'
  if (!isRecord(version)) return null
  const { type, modified } = version
  const isClock = typeof type === 'string' && type.startsWith('epoch_')
  return isClock || modified === true ? 'timestamp' : (type ?? null)
}

/**
 * What the format of the feed knows where the flow does not say it: what orders the events, when
 * they happened, and which columns are the key, which only records tell (`keys` are none then).
 */
function filledByFormat(given: unknown): { given: unknown; keys: readonly string[] | null } {
  const preset = isRecord(given) ? presetOfWritten(given['source']) : null
  if (!isRecord(given) || preset === null) return { given, keys: null }
  const isSaid = (option: string): boolean => Object.hasOwn(given, option)
  const keepsHistory = isSaid('stored_as_scd_type') && String(given['stored_as_scd_type']) !== '1'
  const tellsKeys = preset.hasKeys && !isSaid('keys')
  const filled = {
    ...given,
    ...(preset.order !== null && !isSaid('sequence_by') ? { sequence_by: SEQUENCE_COLUMN } : {}),
    ...(preset.hasTime && keepsHistory && !isSaid('time_by') ? { time_by: TIME_COLUMN } : {}),
    ...(tellsKeys ? { keys: NEUTRAL.keys } : {}),
  }
  return { given: filled, keys: tellsKeys ? [] : null }
}

function mended(given: unknown, wrong: ReadonlySet<string>): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given
  const known = Object.entries(given).filter(
    ([key]) => !wrong.has(key) && Object.hasOwn(flowSchema.shape, key),
  )
  return { ...NEUTRAL, ...Object.fromEntries(known) }
}

/** Every text that is not what was written. */
function environmentOf(
  given: unknown,
  written: unknown,
  path: EnvironmentValue['path'],
): EnvironmentValue[] {
  if (typeof given === 'string') {
    return typeof written === 'string' && written !== given ? [{ path, text: written }] : []
  }
  if (given === written || typeof given !== 'object' || given === null) return []
  const at = new Written(written)
  return Object.entries(given).flatMap(([key, value]: [string, unknown]) => {
    const step = Array.isArray(given) ? Number(key) : key
    return environmentOf(value, at.at([step]), [...path, step])
  })
}
