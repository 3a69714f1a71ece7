import type { Answer, Call } from './broker-answers.ts'
import { ERROR_CODES } from './broker-errors.ts'
import type { Topic } from './scripted-topics.ts'
import { WireWriter } from './wire-bytes.ts'
import type { WireReader } from './wire-bytes.ts'

type Described = {
  readonly name: string
  readonly error: number
  readonly topic: Topic | undefined
}

const CLUSTER = 'scripted'
const NODE = 0
const UNKNOWN_OPERATIONS = -(2 ** 31)

/** Answers Metadata: versions 5 and 6 as kafkajs asks, 9 and 10 in the flexible form, 10 with topic ids. */
export function answerMetadata(call: Call): Answer {
  const { reader, version, script } = call
  const names = version < 9 ? plainNames(reader) : flexibleNames(reader, version)
  const asked = names ?? [...script.topics.keys()]
  const topics = asked.map((name) => {
    const topic = script.topics.get(name)
    const missing = topic === undefined ? ERROR_CODES.UNKNOWN_TOPIC_OR_PARTITION : 0
    const failure = script.failureOf('Metadata', name)
    return { name, topic, error: failure === 0 ? missing : failure }
  })
  return { body: version < 9 ? plain(call, topics) : flexible(call, topics), asked }
}

function plainNames(reader: WireReader): string[] | null {
  return reader.nullableList(() => reader.string())
}

function flexibleNames(reader: WireReader, version: number): string[] | null {
  return reader.compactNullableList(() => {
    if (version >= 10) reader.raw(16)
    const name = reader.compactNullableString() ?? ''
    reader.skipTags()
    return name
  })
}

function plain({ version, host, port }: Call, topics: readonly Described[]): WireWriter {
  const body = new WireWriter().int32(0)
  body.list([NODE], (node) => body.int32(node).string(host).int32(port).string(null))
  body.string(CLUSTER).int32(NODE)
  body.list(topics, ({ name, error, topic }) => {
    body.int16(error).string(name).int8(0)
    body.list([...(topic?.partitions ?? []).keys()], (partition) => {
      body.int16(0).int32(partition).int32(NODE)
      if (version >= 7) body.int32(0)
      body.list([NODE], (node) => body.int32(node))
      body.list([NODE], (node) => body.int32(node))
      body.list([], () => body)
    })
    if (version >= 8) body.int32(UNKNOWN_OPERATIONS)
  })
  if (version >= 8) body.int32(UNKNOWN_OPERATIONS)
  return body
}

function flexible({ version, host, port }: Call, topics: readonly Described[]): WireWriter {
  const body = new WireWriter().noTags().int32(0)
  body.compactList([NODE], (node) =>
    body.int32(node).compactString(host).int32(port).compactString(null).noTags(),
  )
  body.compactString(CLUSTER).int32(NODE)
  body.compactList(topics, ({ name, error, topic }) => {
    body.int16(error).compactString(name)
    if (version >= 10) body.raw(topic?.id ?? Buffer.alloc(16))
    body.int8(0)
    body.compactList([...(topic?.partitions ?? []).keys()], (partition) => {
      body.int16(0).int32(partition).int32(NODE).int32(0)
      body.compactList([NODE], (node) => body.int32(node))
      body.compactList([NODE], (node) => body.int32(node))
      body.compactList([], () => body).noTags()
    })
    body.int32(UNKNOWN_OPERATIONS).noTags()
  })
  return body.int32(UNKNOWN_OPERATIONS).noTags()
}
