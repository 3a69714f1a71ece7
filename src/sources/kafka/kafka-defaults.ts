import { CODECS } from './codecs.ts'
import type { KafkaOptions } from './options.ts'

/** What holds where nothing else is said. */
export const KAFKA_DEFAULTS = {
  groupId: null,
  ssl: false,
  sasl: null,
  start: 'earliest',
  isolation: 'read_committed',
  maxRecordBytes: 16 * 1024 * 1024,
  metadataMaxAgeMs: 30_000,
  /** Half a minute in all. */
  retry: { attempts: 10, firstDelayMs: 200, longestDelayMs: 5000 },
  codecs: CODECS,
  onNotice: () => undefined,
} as const satisfies Partial<KafkaOptions>
