import { describeDatabase, withoutPassword } from './flow-spec-database.ts'
import type {
  EnvironmentValue,
  FlowSpec,
  RegistrySpec,
  SequenceSpec,
  SnapshotsSourceSpec,
  SourceSpec,
  VersionSpec,
} from './flow-spec-type.ts'
import { isHandedOver } from './handed-over.ts'

/**
 * Every option of a flow with its default, as plain JSON that a flow file could hold in its place.
 *
 * What came from the environment is shown as it was written, `${VAR}` and all.
 */
export function describeFlow(flow: FlowSpec): Record<string, unknown> {
  const { environment, sequence_by: by, ...options } = flow
  const plain: Record<string, unknown> = {
    ...options,
    source: describeSource(flow.source),
    // Of snapshots the version is, which the source says.
    ...(flow.source.kind === 'snapshots' ? {} : { sequence_by: describeSequence(by) }),
    system_sequence_by:
      flow.system_sequence_by === null ? null : describeSequence(flow.system_sequence_by),
  }
  return Object.fromEntries(
    Object.entries(plain).map(([option, value]) => {
      const hidden = environment.filter(({ path }) => path[0] === option)
      return [option, hidden.reduce((node, each) => hide(node, each, 1), structuredClone(value))]
    }),
  )
}

/** As a file has it: the kind is the key that says what is read. */
function describeSource(source: SourceSpec): Record<string, unknown> {
  const { kind, ...options } = source
  if (source.kind === 'snapshots') {
    const { version } = source
    return {
      ...options,
      snapshots: describeExtracts(source),
      version: describeVersion(version),
    }
  }
  if (kind === 'events') return { events: true, ...options }
  if (source.kind === 'files') return { ...options, registry: describeRegistry(source.registry) }
  const { kafka, registry } = source
  const { sasl } = kafka
  const login = sasl !== null && 'password' in sasl ? { ...sasl, password: SECRET } : sasl
  return { ...options, kafka: { ...kafka, sasl: login }, registry: describeRegistry(registry) }
}

/** What stands in a plan for a secret that the file itself holds. */
const SECRET = '***'

function describeRegistry(registry: RegistrySpec | null): RegistrySpec | null {
  if (registry === null) return null
  const { url, password, token } = registry
  return {
    ...registry,
    url: withoutPassword(url),
    password: password === null ? null : SECRET,
    token: token === null ? null : SECRET,
  }
}

function describeExtracts(source: SnapshotsSourceSpec): unknown {
  const { snapshots } = source
  if (isHandedOver(source)) return true
  return 'query' in snapshots ? describeDatabase(snapshots) : snapshots
}

function describeVersion({ from, column, file_name, query, type }: VersionSpec): unknown {
  if (from === 'run') return from
  if (from === 'column') return { column, type }
  if (from === 'query') return { query, type }
  return from === 'file_name' ? { file_name, type } : { [from]: true, type }
}

function describeSequence({ parts, list }: SequenceSpec): unknown {
  const described = parts.map(({ column, expr, type }) => {
    if (column === null) return type === null ? { expr } : { expr, type }
    return type === null ? column : { column, type }
  })
  return list ? described : described[0]
}

/**
 * Puts what was written in the place of a value. Where a description is shaped otherwise than the
 * file was, in the place of all that the value can have become.
 */
function hide(node: unknown, value: EnvironmentValue, depth: number): unknown {
  const { path, text } = value
  const step = path[depth]
  if (step === undefined) return Array.isArray(node) ? [text] : text
  if (Array.isArray(node)) {
    const items: readonly unknown[] = node
    return items.map((each, i) => (i === step ? hide(each, value, depth + 1) : each))
  }
  if (typeof node !== 'object' || node === null) return text
  return Object.fromEntries(
    Object.entries(node).map(([key, each]: [string, unknown]) => [
      key,
      key === step ? hide(each, value, depth + 1) : each,
    ]),
  )
}
