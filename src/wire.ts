import { resolve } from 'node:path'

import type { Clock } from './ports/clock.ts'
import type { TopicWatch } from './pipeline/engine-run.ts'
import type { SnapshotSource, Source } from './ports/source.ts'
import type { Store } from './ports/store.ts'
import type {
  DatabaseSpec,
  FilesSourceSpec,
  FlowFile,
  FlowSpec,
  KafkaSourceSpec,
  MessageOptionsSpec,
  RegistrySpec,
  SnapshotsSourceSpec,
} from './pipeline/flow-spec-type.ts'
import { csvOptionsOf } from './pipeline/flow-spec-source.ts'
import { BugError, TidemarkError } from './core/errors.ts'
import { isHandedOver } from './pipeline/handed-over.ts'
import { messageFormatOf } from './pipeline/flow-spec-messages.ts'
import { messageFormat, type MessageFormatOptions } from './formats/message-formats.ts'
import type { FileFormat } from './sources/files/file-format.ts'
import { openFiles } from './sources/files/files.ts'
import { openSnapshotFiles } from './sources/files/snapshot-files.ts'
import type { OnNotice } from './ports/telemetry.ts'
import { namedSource, namingFaults } from './pipeline/named-source.ts'
import { lateSource } from './pipeline/late-source.ts'
import { kafkaOptions, type ClusterOptions, type SharedClusters } from './wire-kafka.ts'
import { SchemaRegistry } from './sources/schema-registry/schema-registry.ts'
import type { SchemaRegistryOptions } from './sources/schema-registry/schema-registry.ts'
import { querySnapshots, rowsOfSnapshots } from './pipeline/query-snapshots.ts'
import { openMysql } from './sources/mysql/mysql-session.ts'
import { openPostgres } from './sources/postgres/postgres-session.ts'
import { openSqlite } from './sources/sqlite/sqlite-session.ts'
import { MemoryStore } from './stores/memory/memory-store.ts'
import { SqliteStore } from './stores/sqlite/sqlite-store.ts'

/** The clock of the machine. */
export const systemClock: Clock = { micros: () => BigInt(Date.now()) * 1000n }

/** The store that a flow file names. @throws TidemarkError `STORE_BUSY`, `STORE_UNKNOWN`, `NOT_FOUND` */
export function openStore({ store, base }: FlowFile, mode: 'write' | 'read'): Store {
  if ('memory' in store) return new MemoryStore()
  return new SqliteStore(resolve(base, store.sqlite), mode)
}

/** The source that a flow names. @throws TidemarkError `USAGE` where events come from code */
export function openSource(
  flow: FlowSpec,
  base: string,
  onNotice: OnNotice = () => undefined,
  shared: SharedClusters | null = null,
): Source {
  switch (flow.source.kind) {
    case 'files':
      return openFiles(fileOptions(flow.source, base))
    case 'snapshots':
      return 'query' in flow.source.snapshots
        ? rowsOfSnapshots(openSnapshots(flow, base))
        : openFiles(snapshotRowOptions(flow.source, flow.source.snapshots, base))
    case 'kafka': {
      const { source, name } = flow
      const options = kafkaOptions(source, base, onNotice)
      return namedSource(
        lateSource(() => openKafkaFlow(source, name, options, shared)),
        name,
      )
    }
    case 'events':
      throw fedFromCode(flow.name)
  }
}

/** The topics that a flow's pattern finds, group after group as they come to be. */
export function topicsOf(
  { name, source }: FlowSpec,
  base: string,
  { mode, signal, onNotice }: TopicWatch,
): AsyncIterable<readonly string[]> {
  if (source.kind !== 'kafka') throw new BugError(`flow "${name}" reads no topics`)
  const options = kafkaOptions(source, base, onNotice)
  return namingFaults(foundTopics(options, mode, signal), name)
}

async function* foundTopics(
  options: ClusterOptions,
  mode: TopicWatch['mode'],
  signal: AbortSignal,
): AsyncGenerator<readonly string[]> {
  const { CODECS, findTopics } = await import('./wire-topics.ts')
  yield* findTopics({ ...options, codecs: CODECS }, mode, signal)
}

async function openKafkaFlow(
  source: KafkaSourceSpec,
  flow: string,
  given: ClusterOptions,
  shared: SharedClusters | null,
): Promise<Source> {
  const { Cluster, CODECS, openKafka } = await import('./wire-topics.ts')
  const groupId = groupOf(source, flow)
  const format = messageFormat(source.format, messageOptions(source))
  const options = { ...given, codecs: CODECS }
  const cluster = shared?.of(source.kafka, () => new Cluster(options)) ?? null
  return openKafka({ ...options, groupId, format }, cluster)
}

/** Workers share the partitions of a flow; two flows over one topic must not, for each needs all of them. */
function groupOf({ kafka }: KafkaSourceSpec, flow: string): string | null {
  return kafka.group_id === null ? null : `${kafka.group_id}.${flow}`
}

/** The messages of a flow's topics as lines of a dump. @throws TidemarkError `USAGE` where there are none */
export function captureFlow(
  { name, source }: FlowSpec,
  base: string,
  signal: AbortSignal,
  onMessages: (messages: number) => void,
): AsyncIterable<string> {
  if (source.kind !== 'kafka') {
    throw new TidemarkError(
      'USAGE',
      `flow "${name}" reads no topics, so there is nothing to capture`,
    )
  }
  return capturedLines(
    kafkaOptions(source, base, () => undefined),
    signal,
    onMessages,
  )
}

async function* capturedLines(
  options: ClusterOptions,
  signal: AbortSignal,
  onMessages: (messages: number) => void,
): AsyncGenerator<string> {
  const { captureTopic, CODECS } = await import('./wire-topics.ts')
  const whole = { ...options, codecs: CODECS, groupId: null, start: 'earliest' } as const
  yield* captureTopic(whole, 'bounded', signal, onMessages)
}

function fedFromCode(name: string): TidemarkError {
  return new TidemarkError('USAGE', `flow "${name}" is fed from code; there is nothing to run`)
}

/** The snapshots that a flow names. @throws TidemarkError `USAGE` where a program hands them over */
export function openSnapshots({ source, name }: FlowSpec, base: string): SnapshotSource {
  if (source.kind !== 'snapshots') throw new BugError(`flow "${name}" has no snapshots`)
  const { snapshots, version, format, max_record_bytes } = source
  if ('query' in snapshots) {
    return querySnapshots({
      flow: name,
      query: snapshots.query,
      version,
      maxRecordBytes: max_record_bytes,
      ...openDatabase(snapshots, name, base),
    })
  }
  if (isHandedOver(source)) throw fedFromCode(name)
  return openSnapshotFiles({
    base,
    patterns: snapshots,
    version: { ...version, from: version.from === 'query' ? 'run' : version.from },
    format,
    csv: csvOptionsOf(source),
    maxRecordBytes: max_record_bytes,
  })
}

/** How the database of a query is opened, and what messages call it. */
function openDatabase(spec: DatabaseSpec, flow: string, base: string) {
  if ('sqlite' in spec) {
    const path = resolve(base, spec.sqlite)
    return { name: spec.sqlite, open: () => Promise.resolve(openSqlite({ path, flow })) }
  }
  return 'postgres' in spec
    ? { name: 'postgres', open: () => openPostgres({ url: spec.postgres, flow }) }
    : { name: 'mysql', open: () => openMysql({ url: spec.mysql, flow }) }
}

/** The files of snapshots as plain rows, for a look at their columns. */
function snapshotRowOptions(source: SnapshotsSourceSpec, paths: readonly string[], base: string) {
  const { version, max_record_bytes: maxRecordBytes } = source
  const patterns = version.from === 'manifest' ? [] : paths
  return { base, patterns, maxRecordBytes, ...fileContent(source) }
}

function fileOptions(source: FilesSourceSpec, base: string): Parameters<typeof openFiles>[0] {
  const { files, max_record_bytes: maxRecordBytes } = source
  const messages = messageFormatOf(source)
  const common = { base, patterns: files, maxRecordBytes }
  if (messages !== null) {
    const format = messageFormat(messages, messageOptions(source))
    return { ...common, messages: { format, areDumped: source.dump } }
  }
  return { ...common, ...fileContent(source) }
}

/** How files that are no messages are written. */
function fileContent(
  source: Pick<FilesSourceSpec, 'format' | 'header' | 'delimiter' | 'quote' | 'escape'>,
) {
  const { format } = source
  return { ...(isFileFormat(format) ? { format } : {}), csv: csvOptionsOf(source) }
}

function isFileFormat(format: FilesSourceSpec['format']): format is FileFormat {
  return format !== null && ['ndjson', 'json', 'csv', 'parquet'].includes(format)
}

function messageOptions({ unavailable_value, registry }: MessageOptionsSpec): MessageFormatOptions {
  return {
    unavailableValue: unavailable_value,
    ...(registry === null ? {} : { schemas: new SchemaRegistry(registryOptions(registry)) }),
  }
}

/** A token goes before a user; a user without a password has an empty one. */
function registryOptions({ url, username, password, token }: RegistrySpec): SchemaRegistryOptions {
  if (token !== null) return { url, auth: { token } }
  return username === null ? { url } : { url, auth: { user: username, password: password ?? '' } }
}
