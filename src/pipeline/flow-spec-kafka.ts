import { z } from 'zod'
import { parseTimestamp } from '../core/temporal.ts'
import {
  count,
  custom,
  duration,
  filledText,
  flag,
  oneOrMany,
  parseWithin,
  strict,
  word,
} from './flow-spec-fields.ts'
import type { KafkaSpec, KafkaStartSpec, SaslSpec, TlsSpec } from './flow-spec-type.ts'

const BROKER = 'must be a broker as host:port'
const broker = z
  .string({ error: BROKER })
  .regex(/^[^\s:,]+:\d{1,5}$|^\[[^\]]+\]:\d{1,5}$/, { error: BROKER })

/** A list, or one text with commas, as environments have it. */
const brokers = z.unknown().transform((input, context): string[] => {
  if (typeof input !== 'string') return parseWithin(oneOrMany(broker, 'broker'), input, context)
  const list = input.split(',').map((each) => each.trim())
  if (list.every((each) => broker.safeParse(each).success)) return list
  context.issues.push(custom(BROKER))
  return z.NEVER
})

const TOPIC = 'must be the name of a topic: letters, digits, dots, - and _'
const topic = z.string({ error: TOPIC }).regex(/^[A-Za-z0-9._-]{1,249}$/, { error: TOPIC })

const pattern = z
  .string({ error: 'must be a regular expression' })
  .min(1, { error: 'must be a regular expression' })
  .refine(isPattern, { error: 'must be a regular expression' })

const secret = z.string({ error: 'must be text' }).min(1, { error: 'must not be empty' })

const password = strict({
  mechanism: word(['plain', 'scram-sha-256', 'scram-sha-512']),
  username: secret,
  password: secret,
})

const oauth = strict({
  mechanism: z.literal('oauthbearer'),
  token_command: filledText('the command line that prints a token'),
})

const sasl = z.unknown().transform((input, context): SaslSpec => {
  const isToken =
    typeof input === 'object' &&
    input !== null &&
    'mechanism' in input &&
    input.mechanism === 'oauthbearer'
  return isToken ? parseWithin(oauth, input, context) : parseWithin(password, input, context)
})

const file = filledText('the path of a PEM file').nullable().default(null)
const files = strict({
  ca: file,
  cert: file,
  key: file,
  verify: flag.default(true),
})

const tls = z.unknown().transform((input, context): TlsSpec | null => {
  if (input === false) return null
  return parseWithin(files, input === true ? {} : input, context)
})

const START = 'must be earliest, latest, { timestamp } or { offsets }'
const start = z.unknown().transform((input, context): KafkaStartSpec => {
  if (input === 'earliest' || input === 'latest') return { from: input }
  if (typeof input === 'object' && input !== null && 'timestamp' in input) {
    const { timestamp } = parseWithin(at, input, context)
    return { from: 'timestamp', timestamp }
  }
  if (typeof input === 'object' && input !== null && 'offsets' in input) {
    return { from: 'offsets', ...parseWithin(offsets, input, context) }
  }
  context.issues.push(custom(START))
  return z.NEVER
})

const at = strict({
  timestamp: z
    .string({ error: 'must be a timestamp as ISO text' })
    .refine((written) => parseTimestamp(written) !== null, {
      error: 'must be a timestamp as ISO text',
    }),
})

const offsets = strict({
  offsets: z.record(z.string().regex(/^.+:\d+$/, { error: 'must be topic:partition' }), count(0), {
    error: 'must be an object: topic:partition to offset',
  }),
})

const cluster = strict({
  brokers,
  topics: oneOrMany(topic, 'topic').nullable().default(null),
  topic_pattern: pattern.nullable().default(null),
  client_id: filledText('a client id').default('tidemark'),
  group_id: filledText('the id of a group').nullable().default(null),
  start: start.default({ from: 'earliest' }),
  isolation: word(['read_committed', 'read_uncommitted']).default('read_committed'),
  tls: tls.default(null),
  sasl: sasl.nullable().default(null),
  metadata_max_age: duration().default(30_000),
})

/** Which topics of which cluster, and how to be let in. */
export const kafkaCluster: z.ZodType<KafkaSpec> = cluster.superRefine(
  ({ topics, topic_pattern }, context) => {
    if ((topics === null) !== (topic_pattern === null)) return
    context.issues.push(custom('needs either topics or topic_pattern'))
  },
)

/** Every option of a cluster. */
export const KAFKA_OPTIONS: readonly string[] = Object.keys(cluster.shape)

function isPattern(source: string): boolean {
  try {
    return new RegExp(source, 'u').source !== ''
  } catch {
    return false
  }
}
