import type { Call } from './broker-call.ts'
import { ERROR_CODES } from './broker-errors.ts'
import type { WireReader } from './wire-bytes.ts'

const CLUSTER = 'scripted'
const NODE = 0
const WITH_TOPIC_IDS = 10
const OPERATIONS_NOT_ASKED = -(2 ** 31)

/** Answers Metadata in the versions 5 to 12; topic ids come with 10. A topic that is asked for is never made. */
export function answerMetadata(call: Call): void {
  const { reader, body, version, script, host, port } = call
  const names = namesAsked(reader, version) ?? [...script.topics.keys()]
  call.asked(...names)

  body.int32(0)
  body.list([NODE], (node) => body.int32(node).string(host).int32(port).string(null).end())
  body.string(CLUSTER).int32(NODE)
  body.list(names, (name) => {
    const topic = script.topics.get(name)
    const missing = topic === undefined ? ERROR_CODES.UNKNOWN_TOPIC_OR_PARTITION : 0
    body.int16(script.failureOf('Metadata', name) || missing).string(name)
    if (version >= WITH_TOPIC_IDS) body.raw(topic?.id ?? Buffer.alloc(16))
    body.int8(0)
    body.list([...(topic?.partitions ?? []).keys()], (partition) => {
      body.int16(0).int32(partition).int32(NODE)
      if (version >= 7) body.int32(0)
      body.list([NODE], (node) => body.int32(node))
      body.list([NODE], (node) => body.int32(node))
      body.list([], () => undefined).end()
    })
    if (version >= 8) body.int32(OPERATIONS_NOT_ASKED)
    body.end()
  })
  if (version >= 8 && version <= 10) body.int32(OPERATIONS_NOT_ASKED)
  body.end()
}

function namesAsked(reader: WireReader, version: number): string[] | null {
  return reader.nullableList(() => {
    if (version >= WITH_TOPIC_IDS) reader.raw(16)
    const name = reader.string()
    reader.end()
    return name
  })
}
