import { createReadStream, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Partitioners, type Producer } from 'kafkajs'
import { adminOf, clientOf, eventually, type Broker } from '../../kafka/kafka.ts'

/** How many partitions the topics have that are measured with. */
export const PARTITIONS = 4

/** Formats of messages that are measured. */
export type Format = 'json' | 'debezium-json'

/** An event of a generated feed. */
export type Event = Readonly<Record<string, unknown>> & {
  readonly id: number
  readonly seq: number
  readonly op: 'U' | 'D'
}

/** A message as it is to be written. */
export type Message = {
  readonly key: string
  readonly value: string
  readonly partition: number
}

/** A message of the topic: all of one key are in one partition. */
export function messageOf(event: Event, format: Format): Message {
  const { id } = event
  const value = JSON.stringify(format === 'json' ? event : debezium(event))
  return { key: JSON.stringify({ id }), value, partition: id % PARTITIONS }
}

/** As Debezium tells of a row of PostgreSQL, without schema. */
function debezium({ op, seq, ...row }: Event) {
  const source = {
    version: '3.6.1.Final',
    connector: 'postgresql',
    name: 'crm',
    ts_ms: 1_700_000_000_000 + seq,
    snapshot: 'false',
    db: 'crm',
    sequence: `["${seq - 1}","${seq}"]`,
    schema: 'public',
    table: 'customers',
    txId: seq,
    lsn: seq,
    xmin: null,
  }
  const change = op === 'D' ? { before: { id: row.id }, after: null } : { before: null, after: row }
  return { ...change, source, op: op === 'D' ? 'd' : 'u', ts_ms: 1_700_000_000_000 + seq }
}

/** Makes a topic, and waits until it can be written to. */
export async function makeTopic(broker: Broker, topic: string): Promise<void> {
  await using admin = await adminOf(broker)
  await admin.createTopics({
    topics: [{ topic, numPartitions: PARTITIONS }],
    waitForLeaders: true,
  })
  await eventually(() => admin.fetchTopicOffsets(topic))
}

/** A producer that is connected until it is disposed of. */
export async function producerOf(broker: Broker): Promise<Producer & AsyncDisposable> {
  const producer = clientOf(broker).producer({
    createPartitioner: Partitioners.DefaultPartitioner,
  })
  await producer.connect()
  return { ...producer, [Symbol.asyncDispose]: () => producer.disconnect() }
}

/** Makes a topic of the events of a file. Deletions of Debezium are written without tombstones: one message, one event. */
export async function fillTopic(
  broker: Broker,
  topic: string,
  { file, format }: { readonly file: string; readonly format: Format },
): Promise<void> {
  await makeTopic(broker, topic)
  await using producer = await producerOf(broker)
  let messages: Message[] = []
  const flush = async () => {
    if (messages.length > 0) await producer.send({ topic, messages })
    messages = []
  }
  for await (const line of createInterface({ input: createReadStream(file) })) {
    messages.push(messageOf(JSON.parse(line) as Event, format))
    if (messages.length === 2000) await flush()
  }
  await flush()
}

/** What is read, and how. */
export type TopicFlow = {
  readonly broker: Broker
  readonly topic: string
  readonly format: Format
  /** More options of the source. */
  readonly source?: Readonly<Record<string, unknown>>
  /** More options of the flow. */
  readonly flow?: Readonly<Record<string, unknown>>
}

/** Writes a flow file that reads topics; gives its path. Its store is `ours.db` beside it. */
export function writeTopicFlows(folder: string, flows: readonly TopicFlow[]): string {
  const path = join(folder, 'flow.json')
  const written = flows.map(({ broker, topic, format, source, flow }) => ({
    target: 'target',
    source: { kafka: { brokers: [broker.bootstrap], topics: [topic] }, format, ...source },
    stored_as_scd_type: 1,
    ...(format === 'json' ? PLAIN : {}),
    ...flow,
  }))
  writeFileSync(path, JSON.stringify({ store: { sqlite: 'ours.db' }, flows: written }))
  return path
}

/** What Debezium's records say themselves. */
const PLAIN = {
  keys: ['id'],
  sequence_by: { column: 'seq', type: 'integer' },
  apply_as_deletes: "op = 'D'",
  except_column_list: ['op', 'seq'],
}
