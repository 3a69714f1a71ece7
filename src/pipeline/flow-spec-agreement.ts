import { describeSequenceType, sameSequenceType } from '../core/sequence.ts'
import type { ScalarType, SequenceType } from '../core/sequence.ts'
import { asciiLowerCase } from '../core/sql-tokens.ts'
import { scalarTypeOfDeclared } from '../core/types.ts'
import { isOrderedByFormat, orderOf } from './flow-spec-messages.ts'
import { problem } from './flow-spec-problems.ts'
import type { Problem, SpecPath, Written } from './flow-spec-problems.ts'
import type { FlowSpec, SequenceSpec } from './flow-spec-type.ts'

/** A flow as far as it could be read: options that are wrong have a stand-in for their value. */
export type ReadFlow = {
  readonly at: SpecPath
  readonly flow: FlowSpec
  readonly wrong: ReadonlySet<string>
}

/** Flows of one name, targets that SQLite takes for one, and flows into one target that disagree (semantics 1). */
export function disagreementsOf(flows: readonly ReadFlow[], written: Written): Problem[] {
  const byName = new Map<string, ReadFlow>()
  const byTarget = new Map<string, ReadFlow[]>()
  return flows.flatMap((later) => {
    const { name, target } = later.flow
    const table = asciiLowerCase(target)
    const others = byTarget.get(table) ?? []
    const problems = [
      ...sameName(later, byName.get(name), written),
      ...sameTarget(later, others, written),
    ]
    if (hasName(later) && !byName.has(name)) byName.set(name, later)
    if (hasTarget(later)) {
      if (others.length === 0) byTarget.set(table, others)
      others.push(later)
    }
    return problems
  })
}

/**
 * The type that a flow declares for its sequence, in its parts or for their columns; null while a
 * part is undeclared, or is an array whose length only records tell.
 */
export function declaredSequenceType(
  { parts }: SequenceSpec,
  columns: FlowSpec['columns'],
): SequenceType | null {
  const types = parts.flatMap(({ column, type }): ScalarType[] => {
    const ofColumn = column !== null && Object.hasOwn(columns, column) ? columns[column] : null
    const declared = type ?? ofColumn ?? null
    const scalar = declared === null ? null : scalarTypeOfDeclared(declared)
    return scalar === null ? [] : [scalar]
  })
  return types.length === parts.length ? { parts: types, list: types.length !== 1 } : null
}

function hasTarget({ wrong }: ReadFlow): boolean {
  return !wrong.has('target')
}

function hasName(flow: ReadFlow): boolean {
  return hasTarget(flow) && !flow.wrong.has('name')
}

function sameName(later: ReadFlow, earlier: ReadFlow | undefined, written: Written): Problem[] {
  if (earlier === undefined || !hasName(later)) return []
  const path = nameAt(later, written)
  // Flows that a template makes stand in one place.
  const isOfOneTemplate = later.at.every((step, i) => step === earlier.at[i])
  const what = isOfOneTemplate
    ? `${JSON.stringify(later.flow.target)} is what several of its topics come to; give the flow a name, beside which theirs tell them apart`
    : `${written.quote(path)} is the name of an earlier flow too; give each its own name`
  return [problem(path, what)]
}

function sameTarget(later: ReadFlow, others: readonly ReadFlow[], written: Written): Problem[] {
  const { target } = later.flow
  const [earlier] = others
  if (earlier === undefined || !hasTarget(later)) return []
  if (earlier.flow.target === target) return differences(others, later, written)
  const path = [...later.at, 'target']
  const other = written.quote([...earlier.at, 'target'])
  return [problem(path, `${written.quote(path)} is the same table as ${other}; spell them alike`)]
}

/** Something that flows into one target share, and how to say what a flow has of it. */
type Shared = {
  /** What says it; of two ways to say it, those of which a flow uses one. */
  readonly options: readonly [keyof FlowSpec, ...(keyof FlowSpec)[]]
  /** What else it depends on. */
  readonly depends: readonly (keyof FlowSpec)[]
  readonly what: string
  /** Whether two flows may each agree with a third and not with each other; else the first stands for all. */
  readonly isPairwise?: true
  readonly agree: (a: FlowSpec, b: FlowSpec) => boolean
  readonly say: (flow: FlowSpec, writtenOf: (option: keyof FlowSpec) => string | null) => string
}

const SHARED: readonly Shared[] = [
  {
    options: ['keys'],
    depends: [],
    what: 'keys',
    agree: (a, b) => sameList(a.keys, b.keys),
    say: (_, writtenOf) => writtenOf('keys') ?? '',
  },
  {
    options: ['stored_as_scd_type'],
    depends: [],
    what: 'the storage kind',
    agree: (a, b) => a.stored_as_scd_type === b.stored_as_scd_type,
    say: (_, writtenOf) => writtenOf('stored_as_scd_type') ?? '1, the default',
  },
  {
    options: ['track_history_column_list', 'track_history_except_column_list'],
    depends: ['keys'],
    what: 'the tracked columns',
    agree: sameTracking,
    say: (_, writtenOf) => {
      const only = writtenOf('track_history_column_list')
      const except = writtenOf('track_history_except_column_list')
      if (only !== null) return `only ${only}`
      return except === null ? 'all' : `all but ${except}`
    },
  },
  {
    options: ['sequence_by'],
    depends: ['columns'],
    what: 'the sequence type',
    agree: (a, b) => sameType(typeOf(a, a.sequence_by), typeOf(b, b.sequence_by)),
    say: (flow) => describe(typeOf(flow, flow.sequence_by)),
  },
  {
    options: ['sequence_by'],
    depends: ['source'],
    what: 'what orders their events',
    agree: (a, b) => isOrderedByFormat(a) === isOrderedByFormat(b),
    say: (flow) => (isOrderedByFormat(flow) ? 'the format of its feed' : 'sequence_by'),
  },
  {
    options: ['source'],
    depends: ['sequence_by'],
    what: 'whose order is that of an epoch (give one of them a higher `epoch`, or all `sequence_by`)',
    isPairwise: true,
    agree: (a, b) => {
      const [ours, theirs] = [orderOf(a), orderOf(b)]
      if (ours === null || theirs === null || a.source.epoch !== b.source.epoch) return true
      return ours === theirs
    },
    say: (flow) => `that of ${orderOf(flow) ?? ''} at ${flow.source.epoch}`,
  },
  {
    options: ['system_sequence_by'],
    depends: [],
    what: 'where system time comes from',
    agree: (a, b) => (a.system_sequence_by === null) === (b.system_sequence_by === null),
    say: ({ system_sequence_by: by }) => (by === null ? 'the engine' : 'system_sequence_by'),
  },
  {
    options: ['system_sequence_by'],
    depends: ['columns'],
    what: 'the type of system time',
    agree: (a, b) => sameType(typeOf(a, a.system_sequence_by), typeOf(b, b.system_sequence_by)),
    say: (flow) => describe(typeOf(flow, flow.system_sequence_by)),
  },
  {
    options: ['time_by'],
    depends: ['stored_as_scd_type'],
    what: 'whether rows carry times',
    agree: (a, b) => (a.time_by === null) === (b.time_by === null),
    say: ({ time_by: by }) => (by === null ? 'no time_by' : 'time_by'),
  },
]

function differences(others: readonly ReadFlow[], later: ReadFlow, written: Written): Problem[] {
  const say = ({ say: word }: Shared, { flow, at }: ReadFlow): string =>
    word(flow, (option) => {
      const value = written.at([...at, option])
      return value === undefined || value === null ? null : written.quote([...at, option])
    })

  return SHARED.flatMap((shared): Problem[] => {
    const options = [...shared.options, ...shared.depends]
    const isKnown = ({ wrong }: ReadFlow): boolean => !options.some((each) => wrong.has(each))
    const compared = shared.isPairwise === true ? others : others.slice(0, 1)
    const earlier = compared.find((each) => isKnown(each) && !shared.agree(each.flow, later.flow))
    if (earlier === undefined || !isKnown(later)) return []
    const [ours, theirs] = [later, earlier].map((each) => {
      return `flow ${written.quote(nameAt(each, written))} has ${say(shared, each)}`
    })
    const message = `flows into one target agree on ${shared.what}, but ${ours}, and ${theirs}`
    const option = shared.options.find((each) => later.flow[each] !== null) ?? shared.options[0]
    return [{ path: [...later.at, option], message, code: 'FLOWS_DISAGREE' }]
  })
}

/** Where the name of a flow is written. */
function nameAt({ at }: ReadFlow, written: Written): SpecPath {
  const path = [...at, 'name']
  return typeof written.at(path) === 'string' ? path : [...at, 'target']
}

function sameTracking(a: FlowSpec, b: FlowSpec): boolean {
  if (a.stored_as_scd_type === 1 || b.stored_as_scd_type === 1) return true
  const isOnly = a.track_history_column_list !== null
  return isOnly === (b.track_history_column_list !== null) && sameList(tracked(a), tracked(b))
}

/** The columns that the tracking of a flow lists, keys aside: they are tracked by nobody. */
function tracked(flow: FlowSpec): string[] {
  const listed = flow.track_history_column_list ?? flow.track_history_except_column_list ?? []
  return [...new Set(listed)].filter((column) => !flow.keys.includes(column)).sort()
}

function typeOf(flow: FlowSpec, by: SequenceSpec | null): SequenceType | null {
  return by === null ? null : declaredSequenceType(by, flow.columns)
}

/** What nobody declared, records will decide. */
function sameType(a: SequenceType | null, b: SequenceType | null): boolean {
  return a === null || b === null || sameSequenceType(a, b)
}

function describe(type: SequenceType | null): string {
  return type === null ? 'an undeclared one' : describeSequenceType(type)
}

function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((each, i) => each === b[i])
}
