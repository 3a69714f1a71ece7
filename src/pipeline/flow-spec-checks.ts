import { asciiLowerCase } from '../core/sql-tokens.ts'
import { systemColumns } from '../core/target.ts'
import { didYouMean } from './flow-spec-nearest.ts'
import { problem } from './flow-spec-problems.ts'
import { TOPIC_PARTS, unknownPart } from './flow-spec-topics.ts'
import type { Problem, SpecPath, Written } from './flow-spec-problems.ts'
import type { FlowSpec, VersionSpec } from './flow-spec-type.ts'
import { isHandedOver } from './handed-over.ts'
import { VERSION_COLUMN } from './virtual-columns.ts'

/** What options of one flow that are right one by one say against each other. */
export function contradictionsIn(flow: FlowSpec, at: SpecPath, written: Written): Problem[] {
  return [
    ...exclusive(flow, at),
    ...excludedKeys(flow, at, written),
    ...kindOnly(flow, at),
    ...reserved(flow, at, written),
    ...ofSnapshots(flow, at),
    ...uncompleted(flow, at, written),
  ]
}

/** Options of which a flow may have one. */
const EXCLUSIVE = [
  ['column_list', 'except_column_list'],
  ['track_history_column_list', 'track_history_except_column_list'],
  [
    'ignore_null_updates',
    'ignore_null_updates_column_list',
    'ignore_null_updates_except_column_list',
  ],
] as const satisfies readonly (readonly (keyof FlowSpec)[])[]

function exclusive(flow: FlowSpec, at: SpecPath): Problem[] {
  return EXCLUSIVE.flatMap((options) => {
    const [first, ...others] = options.filter(
      (option) => flow[option] !== null && flow[option] !== false,
    )
    return others.map((option) =>
      problem([...at, option], `cannot go together with ${first ?? ''}; keep one of them`),
    )
  })
}

function excludedKeys(flow: FlowSpec, at: SpecPath, written: Written): Problem[] {
  const excluded = (flow.except_column_list ?? []).flatMap((column, i) => {
    const path = [...at, 'except_column_list', i]
    return flow.keys.includes(column)
      ? [
          problem(
            path,
            `${written.quote(path)} is a key, and keys are always columns of the target`,
          ),
        ]
      : []
  })
  if (flow.columns_to_update === null || !flow.keys.includes(flow.columns_to_update)) {
    return excluded
  }
  const path = [...at, 'columns_to_update']
  const what = `${written.quote(path)} is a key; the column that names columns is none of the target's`
  return [...excluded, problem(path, what)]
}

/** Options that say something only of history. */
const OF_HISTORY = [
  'time_by',
  'track_history_column_list',
  'track_history_except_column_list',
] as const

function kindOnly(flow: FlowSpec, at: SpecPath): Problem[] {
  if (flow.stored_as_scd_type !== 1) return []
  return OF_HISTORY.filter((option) => flow[option] !== null).map((option) =>
    problem([...at, option], 'needs stored_as_scd_type: 2 or bitemporal; type 1 keeps no history'),
  )
}

/** Options that say something only of change events. */
const OF_EVENTS = [
  'apply_as_deletes',
  'apply_as_truncates',
  'system_sequence_by',
] as const satisfies readonly (keyof FlowSpec)[]

/** Where the version of what a database gives can come from. */
const OF_DATABASES: ReadonlySet<VersionSpec['from']> = new Set(['run', 'column', 'query'])

/** The version orders snapshots, they delete what they lack, and their scope comes from a manifest. */
function ofSnapshots(flow: FlowSpec, at: SpecPath): Problem[] {
  const { source } = flow
  if (source.kind !== 'snapshots') return []
  const isVersion = flow.sequence_by.parts[0]?.column === VERSION_COLUMN
  const sequence = isVersion
    ? []
    : [problem([...at, 'sequence_by'], 'is not for snapshots; say where source.version comes from')]
  const events = OF_EVENTS.filter((option) => flow[option] !== null).map((option) =>
    problem([...at, option], 'is not for snapshots, which state the whole table'),
  )
  const isFromCode = isHandedOver(source)
  const isVersioned = source.version.from !== 'run'
  const needsManifest = source.scope !== null && source.version.from !== 'manifest' && !isFromCode
  const scope = needsManifest
    ? [
        problem(
          [...at, 'source', 'scope'],
          'needs version: manifest, which says what each snapshot is limited to',
        ),
      ]
    : []
  const isInVain = source.delete_after > 1 && source.missing_rows === 'ignore'
  const patience = isInVain
    ? [problem([...at, 'source', 'delete_after'], 'needs missing_rows: delete')]
    : []
  const isAsked = 'query' in source.snapshots
  const isOfOther = isAsked
    ? !OF_DATABASES.has(source.version.from)
    : source.version.from === 'query'
  const version =
    isOfOther && !isFromCode
      ? [
          problem(
            [...at, 'source', 'version'],
            isAsked
              ? 'is run, { column } or { query } for a database'
              : '{ query } is for databases; files have other versions',
          ),
        ]
      : []
  const isOfTheRun = source.from_version !== null && !isVersioned && !isFromCode
  const from = isOfTheRun
    ? [
        problem(
          [...at, 'source', 'from_version'],
          'needs a version, which the time of the run is not',
        ),
      ]
    : []
  const versionOfCode =
    isFromCode && isVersioned
      ? [problem([...at, 'source', 'version'], 'is said by the program that hands snapshots over')]
      : []
  return [...sequence, ...events, ...scope, ...patience, ...version, ...from, ...versionOfCode]
}

/** A target that is to be completed by what topics do not have. */
function uncompleted({ target, source }: FlowSpec, at: SpecPath, written: Written): Problem[] {
  if (source.kind !== 'kafka') return []
  const unknown = unknownPart(target)
  return unknown === null ? [] : [unknownIn([...at, 'target'], `{${unknown}}`, written)]
}

/** A part between braces that topics do not have; quoted only where the file has it, not the environment. */
function unknownIn(path: SpecPath, part: string, written: Written): Problem {
  const known = TOPIC_PARTS.map((each) => `{${each}}`)
  const shown = String(written.at(path)).includes(part) ? part : 'such part'
  const what = `a topic has no ${shown} to complete the name with, only ${known.join(', ')}`
  return problem(path, what + didYouMean(part, known))
}

/** Names that every record's column would be refused for. */
function reserved(flow: FlowSpec, at: SpecPath, written: Written): Problem[] {
  const system = systemColumns({ kind: flow.stored_as_scd_type, timed: flow.time_by !== null })
  const isReserved = (column: string): boolean =>
    system.some((name) => asciiLowerCase(name) === asciiLowerCase(column))
  const what = 'is the name of a system column of the target'

  const keys = flow.keys.flatMap((column, i) => {
    const path = Array.isArray(written.at([...at, 'keys'])) ? [...at, 'keys', i] : [...at, 'keys']
    return isReserved(column) ? [problem(path, `${written.quote(path)} ${what}`)] : []
  })
  const selected = Object.keys(flow.select ?? {})
    .filter(isReserved)
    .map((column) => problem([...at, 'select', column], what))
  return [...keys, ...selected]
}
