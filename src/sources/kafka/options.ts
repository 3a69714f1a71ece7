import type { MessageFormat } from '../../formats/message.ts'
import type { Codecs } from './codecs.ts'
import type { Isolation } from './list-offsets-api.ts'

/** How to get at a cluster and which topics to read. */
export type KafkaOptions = {
  /** `host:port`, at least one. */
  readonly brokers: readonly string[]
  readonly clientId: string
  /** Members of one group share the partitions; each needs a store of its own. Null reads all. */
  readonly groupId: string | null
  /** Names, or a pattern: text between slashes or a regular expression, neither anchored. */
  readonly topics: TopicChoice
  /** `true` trusts the usual authorities. */
  readonly ssl: boolean | TlsOptions
  readonly sasl: SaslOptions | null
  /** Where partitions begin that the very first run finds. Those found later begin at their oldest record. */
  readonly start: StartPosition
  readonly isolation: Isolation
  /** Larger records are refused as `TOO_LARGE`. */
  readonly maxRecordBytes: number
  /** How often continuous runs look for new partitions and topics. */
  readonly metadataMaxAgeMs: number
  readonly retry: RetryOptions
  readonly codecs: Codecs
  /** Hears of what an operator should know, once each; never of secrets. */
  readonly onNotice: OnNotice
}

/** {@link KafkaOptions}, and how to understand the messages. */
export type KafkaSourceOptions = KafkaOptions & { readonly format: MessageFormat }

/** Topics by name, or every one whose name a pattern finds. */
export type TopicChoice = readonly string[] | string | { readonly pattern: string }

/** What TLS needs beyond the usual authorities; PEM texts. */
export type TlsOptions = {
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  readonly passphrase?: string
  readonly servername?: string
  readonly rejectUnauthorized?: boolean
}

/** Who we are. The token is what a command prints, which is run without a shell. */
export type SaslOptions =
  | {
      readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'
      readonly username: string
      readonly password: string
    }
  | { readonly mechanism: 'oauthbearer'; readonly tokenCommand: string }

/** Offsets by topic and partition. */
export type StartOffsets = ReadonlyMap<string, ReadonlyMap<number, number>>

/** A beginning; `offsets` are by topic and partition, those left out begin at the oldest record. */
export type StartPosition =
  | 'earliest'
  | 'latest'
  /** The first record at this time or later, in milliseconds since 1970. */
  | { readonly timestamp: number }
  | { readonly offsets: StartOffsets }

/** How long to go on when brokers cannot be reached. Continuous runs go on for ever. */
export type RetryOptions = {
  readonly attempts: number
  readonly firstDelayMs: number
  readonly longestDelayMs: number
}

/** Names of notices. */
export type NoticeName =
  /** Brokers cannot be reached, or a partition has no leader; said once until it is over. */
  | 'source_unavailable'
  | 'source_available'
  /** A topic that is named does not exist; waited for. */
  | 'topic_missing'
  | 'partitions_added'
  | 'partitions_assigned'

/** Hears of an event, with fields that say what it is about. */
export type OnNotice = (event: NoticeName, fields: Readonly<Record<string, unknown>>) => void
