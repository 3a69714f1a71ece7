import type {
  EnvironmentValue,
  FlowSpec,
  SequencePart,
  SequenceSpec,
  SourceSpec,
  VersionSpec,
} from './flow-spec-type.ts'

/**
 * Every option of a flow with its default, as plain JSON that a flow file could hold in its place.
 *
 * What came from the environment is shown as it was written, `${VAR}` and all.
 */
export function describeFlow(flow: FlowSpec): Record<string, unknown> {
  const { environment, source, sequence_by: by, system_sequence_by: system, ...options } = flow
  const plain: unknown = JSON.parse(
    JSON.stringify({
      ...options,
      source: describeSource(source),
      ...(source.kind === 'snapshots' ? {} : { sequence_by: describeSequence(by) }),
      system_sequence_by: system === null ? null : describeSequence(system),
    }),
  )
  for (const value of environment) hide(plain, value)
  return isRecord(plain) ? plain : {}
}

function describeSource(source: SourceSpec): Record<string, unknown> {
  if (source.kind === 'snapshots') {
    const { kind: _, version, ...given } = source
    return { ...given, version: describeVersion(version) }
  }
  const { kind, ...options } = source
  return kind === 'events' ? { events: true, ...options } : options
}

function describeVersion({ from, column, file_name, type }: VersionSpec): unknown {
  if (from === 'run') return from
  if (from === 'column') return { column, type }
  return from === 'file_name' ? { file_name, type } : { [from]: true, type }
}

function describeSequence({ parts, list }: SequenceSpec): unknown {
  return list ? parts.map(describePart) : describePart(parts[0])
}

function describePart(part: SequencePart | undefined): unknown {
  if (part === undefined) return null
  const type = part.type === null ? {} : { type: part.type }
  if (part.column === null) return { expr: part.expr, ...type }
  return part.type === null ? part.column : { column: part.column, ...type }
}

/** Puts what was written in the place of a value of the environment. */
function hide(plain: unknown, { path, text }: EnvironmentValue): void {
  let holder = plain
  for (const step of path.slice(0, -1)) {
    holder = isRecord(holder) || Array.isArray(holder) ? Reflect.get(holder, step) : undefined
  }
  const last = path.at(-1)
  if (last === undefined || typeof holder !== 'object' || holder === null) return
  if (Object.hasOwn(holder, last)) Reflect.set(holder, last, text)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
