import type { StorageKind } from '../core/target.ts'
import type { MessageFormatName } from '../formats/message-formats.ts'
import type { DeclaredType } from '../core/types.ts'
import type { FoundTopic } from '../ports/store.ts'

/** A checked flow file: one store and the flows that write into it. */
export type FlowFile = {
  /** Directory that relative paths of the file count from. */
  readonly base: string
  readonly store: StoreSpec
  readonly flows: readonly FlowSpec[]
  /**
   * The file with a flow for each of these topics. Only where names of targets are completed by topics
   * that a pattern finds. @throws TidemarkError as for a file that lists them
   */
  readonly withTopics?: (found: FoundTopics) => FlowFile
}

/** The topics that patterns found, by the names of the flows that they complete. */
export type FoundTopics = ReadonlyMap<string, readonly FoundTopic[]>

/** Where targets are kept: an SQLite file, its path as written, or memory, for tests and use from code. */
export type StoreSpec = { readonly sqlite: string } | { readonly memory: true }

/**
 * One flow as its file words it, checked, with every default filled in.
 *
 * Names are those of the flow file. Null means that an option is not given and nothing takes
 * its place. Durations are milliseconds.
 */
export type FlowSpec = {
  /** Identity of the checkpoint; the target's name unless given. */
  readonly name: string
  readonly target: string
  readonly source: SourceSpec
  /** At least one; no two that SQLite would take for one column. */
  readonly keys: readonly string[]
  readonly sequence_by: SequenceSpec
  readonly time_by: string | null
  /** Null: system time is the engine's. */
  readonly system_sequence_by: SequenceSpec | null

  /** At most one of these three is given. */
  readonly ignore_null_updates: boolean
  /** Never empty. */
  readonly ignore_null_updates_column_list: readonly string[] | null
  /** Empty: all columns. */
  readonly ignore_null_updates_except_column_list: readonly string[] | null
  readonly columns_to_update: string | null
  /** What a column that a record lacks becomes: null, or what it was. */
  readonly missing_columns: 'null' | 'keep'

  readonly apply_as_deletes: string | null
  /** False: truncates that a preset would apply are ignored. */
  readonly apply_as_truncates: string | false | null
  /** Column to SQL expression, in the order written. */
  readonly select: Readonly<Record<string, string>> | null
  readonly where: string | null
  /** Column to declared type; empty if nothing is declared. */
  readonly columns: Readonly<Record<string, DeclaredType>>
  /** At most one of the two column lists is given; neither excludes a key. */
  readonly column_list: readonly string[] | null
  readonly except_column_list: readonly string[] | null

  readonly stored_as_scd_type: StorageKind
  /** At most one of the two is given, and neither for type 1. */
  readonly track_history_column_list: readonly string[] | null
  readonly track_history_except_column_list: readonly string[] | null

  /** Whose keys the flow's truncates and snapshots concern. */
  readonly reach: 'target' | 'flow'
  readonly once: boolean
  readonly on_sequence_tie: 'source_order' | 'fail'
  readonly on_error: 'quarantine' | 'fail'
  /** 0 to 1; null: any share of records may be refused. */
  readonly max_refused_fraction: number | null
  readonly expectations: readonly ExpectationSpec[]
  /** Milliseconds; null: for ever. Acts when compacting. */
  readonly retention: number | null
  /** Column lists to index. */
  readonly indexes: readonly (readonly string[])[]

  /** Values that come from the environment; empty for flows made in code. */
  readonly environment: readonly EnvironmentValue[]
}

/**
 * Where a value of a flow comes from the environment, by keys from the flow on, and what is
 * written there, with its `${VAR}`: what is shown in the place of the value.
 */
export type EnvironmentValue = {
  readonly path: readonly (string | number)[]
  readonly text: string
}

/** What orders the events of a flow: its parts, at least one, compared left to right. */
export type SequenceSpec = {
  readonly parts: readonly SequencePart[]
  /** Whether it was written as a list, even of one. */
  readonly list: boolean
}

/** A column or an SQL expression, exactly one of them, and its type if declared there. */
export type SequencePart =
  | { readonly column: string; readonly expr: null; readonly type: DeclaredType | null }
  | { readonly column: null; readonly expr: string; readonly type: DeclaredType | null }

/** A condition that upserts are to satisfy, and what becomes of those that do not. */
export type ExpectationSpec = {
  /** Unique within its flow. */
  readonly name: string
  readonly expect: string
  readonly on_violation: 'warn' | 'drop' | 'fail'
}

/** Where a flow's records come from. */
export type SourceSpec = FilesSourceSpec | KafkaSourceSpec | SnapshotsSourceSpec | EventsSourceSpec

/** How much is read at a time, and how large a record may be. All are positive but the delay, which may be 0. */
export type SourceLimits = {
  /** Null: as many as suit the way in which they are merged. */
  readonly max_batch_records: number | null
  readonly max_batch_bytes: number
  /** Milliseconds. */
  readonly max_batch_delay: number
  readonly max_record_bytes: number
  readonly max_columns: number
}

/** Files, by paths and globs that count from the flow file. */
export type FilesSourceSpec = Omit<FileOptionsSpec, 'format'> &
  MessageOptionsSpec & {
    readonly kind: 'files'
    readonly files: readonly string[]
    /** A format of files, or of the messages that their lines are. Null: as the extension of each file says. */
    readonly format: FileOptionsSpec['format'] | MessageFormatName
    /** Whether lines are messages that were dumped from a topic, with key, headers and place. */
    readonly dump: boolean
  }

/** What formats of messages can be told. */
export type MessageOptionsSpec = {
  readonly unavailable_value: string
  readonly registry: RegistrySpec | null
}

/** A schema registry and how to be let in. */
export type RegistrySpec = {
  readonly url: string
  readonly username: string | null
  readonly password: string | null
  readonly token: string | null
}

/** Topics of a Kafka cluster. */
export type KafkaSourceSpec = SourceLimits &
  MessageOptionsSpec & {
    readonly kind: 'kafka'
    readonly kafka: KafkaSpec
    readonly format: MessageFormatName
    readonly epoch: number
  }

/** Which topics of which cluster, and how to be let in. */
export type KafkaSpec = {
  readonly brokers: readonly string[]
  /** Exactly one of the two is given. */
  readonly topics: readonly string[] | null
  readonly topic_pattern: string | null
  readonly client_id: string
  /** With it, workers share the partitions, each with a store of its own. */
  readonly group_id: string | null
  readonly start: KafkaStartSpec
  readonly isolation: 'read_committed' | 'read_uncommitted'
  /** Null: no encryption. */
  readonly tls: TlsSpec | null
  readonly sasl: SaslSpec | null
  /** Milliseconds after which new topics and partitions are looked for. */
  readonly metadata_max_age: number
}

/** Where a partition without a checkpoint begins. Partitions that come to be later begin at their start. */
export type KafkaStartSpec =
  | { readonly from: 'earliest' | 'latest' }
  | { readonly from: 'timestamp'; readonly timestamp: string }
  | { readonly from: 'offsets'; readonly offsets: Readonly<Record<string, number>> }

/** Paths of PEM files that count from the flow file. */
export type TlsSpec = {
  readonly ca: string | null
  readonly cert: string | null
  readonly key: string | null
  /** Whether the broker has to prove who it is. */
  readonly verify: boolean
}

/** How the client proves who it is. */
export type SaslSpec =
  | {
      readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'
      readonly username: string
      readonly password: string
    }
  | { readonly mechanism: 'oauthbearer'; readonly token_command: string }

/** Full extracts of a table (semantics 7). */
export type SnapshotsSourceSpec = FileOptionsSpec & {
  readonly kind: 'snapshots'
  /**
   * Paths and globs of the extracts, or of the manifests that name them; or a query of a database. No
   * path at all: a program hands them over.
   */
  readonly snapshots: readonly string[] | DatabaseSpec
  readonly version: VersionSpec
  /** Snapshots of earlier versions are passed over; null: none is. */
  readonly from_version: string | number | null
  readonly guards: GuardsSpec
  /** The column that snapshots may be limited by; null: each states the whole table. */
  readonly scope: string | null
  /** Whether a key that a snapshot lacks is deleted. */
  readonly missing_rows: 'delete' | 'ignore'
  /** How many snapshots that follow each other have to lack a key before it is deleted; at least 1. */
  readonly delete_after: number
}

/** A query that gives a whole table, and the path of an SQLite file, or the URL of a server, that it is put to. */
export type DatabaseSpec =
  | { readonly sqlite: string; readonly query: string }
  | { readonly postgres: string; readonly query: string }
  | { readonly mysql: string; readonly query: string }

/** Where the version of a snapshot comes from. A type applies to all but the time of the run. */
export type VersionSpec = {
  /** `run`: the time of the run, all files being one snapshot; `modified`: that of the file. */
  readonly from: 'run' | 'modified' | 'column' | 'file_name' | 'manifest' | 'query'
  readonly column: string | null
  /** A regular expression; its first group is the version. */
  readonly file_name: string | null
  /** A query of one value, put to the database of the rows in the same transaction. */
  readonly query: string | null
  readonly type: DeclaredType | null
}

/** What makes a snapshot be refused. */
export type GuardsSpec = {
  readonly empty: 'refuse' | 'allow'
  /** 0 to 1; null: any share. */
  readonly max_delete_fraction: number | null
  readonly max_change_fraction: number | null
  readonly min_rows_for_fraction: number
  readonly duplicate_key: 'refuse_conflicting' | 'refuse' | 'first' | 'last'
  readonly null_key: 'refuse' | 'quarantine'
  readonly row_count: 'check' | 'ignore'
  readonly column_missing: 'refuse' | 'allow'
  readonly out_of_order: 'insert' | 'refuse' | 'skip'
}

/** How files are read. */
export type FileOptionsSpec = SourceLimits & {
  /** Null: as the extension of each file says. */
  readonly format: 'ndjson' | 'json' | 'csv' | 'parquet' | null
  /** True: the first row of a CSV file; else the names themselves. */
  readonly header: true | readonly string[]
  /** Null: a comma, in `.tsv` files a tab. */
  readonly delimiter: string | null
  /** Null: quotes are ordinary text. */
  readonly quote: string | null
  /** Null: the quote itself. */
  readonly escape: string | null
  readonly epoch: number
}

/** Events that a program hands over. */
export type EventsSourceSpec = SourceLimits & { readonly kind: 'events'; readonly epoch: number }
