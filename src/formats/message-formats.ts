import { TidemarkError } from '../core/errors.ts'
import type { SchemaSource, SchemaText } from '../ports/schema-source.ts'
import { AIRBYTE, Airbyte } from './airbyte.ts'
import { AWS_DMS, AwsDms } from './aws-dms.ts'
import { CANAL, Canal } from './canal.ts'
import { COCKROACHDB, CockroachDb } from './cockroachdb.ts'
import { DEBEZIUM_MONGODB, DebeziumMongoDb } from './debezium-mongodb.ts'
import { DELTA_CDF, DeltaChangeFeed } from './delta-cdf.ts'
import { ConnectJsonCodec } from './connect/connect-json-codec.ts'
import { DEBEZIUM_CHANGES, DebeziumChanges } from './debezium/debezium-changes.ts'
import { FlattenedRows } from './debezium/flattened-rows.ts'
import { EnvelopeFormat } from './envelope.ts'
import type { Envelope } from './envelope.ts'
import { JsonCodec } from './json-codec.ts'
import { JsonRows } from './json-rows.ts'
import { MAXWELL, Maxwell } from './maxwell.ts'
import type { MessageFormat, Preset } from './message.ts'
import { MONGODB, MongoDb } from './mongodb.ts'
import { OGG, OracleGoldenGate } from './ogg.ts'
import { PLAIN_ROWS, PlainRows } from './plain-rows.ts'
import { QLIK, QlikReplicate } from './qlik.ts'
import { connectNames } from './registry/connect-names.ts'
import { RegistryCodec } from './registry/registry-codec.ts'

/** What the formats of messages can be told. */
export type MessageFormatOptions = {
  /** The text that a feed puts in the place of a value that it does not have. */
  readonly unavailableValue: string
  /** Where the schemas are that messages name; absent where the feed has none. */
  readonly schemas?: SchemaSource
}

type Entry = {
  readonly preset: Preset
  readonly make: (options: MessageFormatOptions) => MessageFormat
}

/** Every format of messages by the name that flows give it. */
const FORMATS = {
  json: { preset: PLAIN_ROWS, make: () => new JsonRows() },
  'connect-json': { preset: PLAIN_ROWS, make: () => asConnectJson(new PlainRows()) },
  'debezium-json': {
    preset: DEBEZIUM_CHANGES,
    make: (options) => asConnectJson(changes(options)),
  },
  'debezium-json-flat': {
    preset: DEBEZIUM_CHANGES,
    make: ({ unavailableValue }) => asConnectJson(new FlattenedRows(unavailableValue)),
  },
  'debezium-avro': {
    preset: DEBEZIUM_CHANGES,
    make: (options) => byRegistry('AVRO', options, changes(options)),
  },
  'debezium-protobuf': {
    preset: DEBEZIUM_CHANGES,
    make: (options) => byRegistry('PROTOBUF', options, changes(options)),
  },
  'debezium-json-schema': {
    preset: DEBEZIUM_CHANGES,
    make: (options) => byRegistry('JSON', options, changes(options)),
  },
  'confluent-avro': {
    preset: PLAIN_ROWS,
    make: (options) => byRegistry('AVRO', options, new PlainRows()),
  },
  'confluent-protobuf': {
    preset: PLAIN_ROWS,
    make: (options) => byRegistry('PROTOBUF', options, new PlainRows()),
  },
  'confluent-json-schema': {
    preset: PLAIN_ROWS,
    make: (options) => byRegistry('JSON', options, new PlainRows()),
  },
  'debezium-mongodb': { preset: DEBEZIUM_MONGODB, make: () => asJson(new DebeziumMongoDb()) },
  'maxwell-json': { preset: MAXWELL, make: () => asJson(new Maxwell()) },
  'canal-json': { preset: CANAL, make: () => asJson(new Canal()) },
  'cockroachdb-json': { preset: COCKROACHDB, make: () => asJson(new CockroachDb()) },
  'aws-dms-json': { preset: AWS_DMS, make: () => asJson(new AwsDms()) },
  'ogg-json': { preset: OGG, make: () => asJson(new OracleGoldenGate()) },
  'qlik-json': { preset: QLIK, make: () => asJson(new QlikReplicate()) },
  'delta-cdf': { preset: DELTA_CDF, make: () => asJson(new DeltaChangeFeed()) },
  airbyte: { preset: AIRBYTE, make: () => asJson(new Airbyte()) },
  'mongodb-json': { preset: MONGODB, make: () => asJson(new MongoDb()) },
} as const satisfies Record<string, Entry>

/** The name of a format of messages. */
export type MessageFormatName = keyof typeof FORMATS

/** All of them, in the order in which they are documented. */
export const MESSAGE_FORMAT_NAMES: readonly MessageFormatName[] = [
  'json',
  'connect-json',
  'debezium-json',
  'debezium-json-flat',
  'debezium-avro',
  'debezium-protobuf',
  'debezium-json-schema',
  'confluent-avro',
  'confluent-protobuf',
  'confluent-json-schema',
  'debezium-mongodb',
  'maxwell-json',
  'canal-json',
  'cockroachdb-json',
  'aws-dms-json',
  'ogg-json',
  'qlik-json',
  'delta-cdf',
  'airbyte',
  'mongodb-json',
]

/** What a format fills in where a flow says nothing. */
export function presetOf(name: MessageFormatName): Preset {
  return FORMATS[name].preset
}

/** A decoder for messages of a format. @throws TidemarkError `SPEC_INVALID` where it needs schemas and is given none */
export function messageFormat(
  name: MessageFormatName,
  options: MessageFormatOptions,
): MessageFormat {
  const entry: Entry = FORMATS[name]
  return entry.make(options)
}

function asJson(envelope: Envelope): MessageFormat {
  return new EnvelopeFormat(new JsonCodec(), envelope)
}

function asConnectJson(envelope: Envelope): MessageFormat {
  return new EnvelopeFormat(new ConnectJsonCodec(), envelope)
}

function changes({ unavailableValue }: MessageFormatOptions): Envelope {
  return new DebeziumChanges(unavailableValue)
}

function byRegistry(
  kind: SchemaText['kind'],
  { schemas }: MessageFormatOptions,
  envelope: Envelope,
): MessageFormat {
  if (schemas === undefined) {
    throw new TidemarkError('SPEC_INVALID', 'the format needs a "registry" that has its schemas')
  }
  const codec = new RegistryCodec({ source: schemas, kind, connectTypes: connectNames })
  return new EnvelopeFormat(codec, envelope)
}
