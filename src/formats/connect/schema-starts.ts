import type { Convert } from './scalars.ts'

/** A record's bytes up to its payload, and what the schema in them says. */
export type SchemaStart = { readonly bytes: Buffer; readonly convert: Convert }

/** Schemas of a topic that are kept: those of one table, or of a few that share it, before and after changes. */
const MAX_PER_TOPIC = 16
const MAX_TOPICS = 5000

/**
 * Remembers the schema blocks with which records begin, so that each is parsed and understood once
 * rather than once per record: of ten records' bytes nine are schema.
 */
export class SchemaStarts {
  readonly #byTopic = new Map<string, SchemaStart[]>()

  /** The known schema with which these bytes begin, if any. */
  find(topic: string, bytes: Buffer): SchemaStart | null {
    const starts = this.#byTopic.get(topic)
    if (starts === undefined) return null
    for (const [i, start] of starts.entries()) {
      const { length } = start.bytes
      if (length > bytes.length || start.bytes.compare(bytes, 0, length) !== 0) continue
      if (i > 0) {
        starts.splice(i, 1)
        starts.unshift(start)
      }
      return start
    }
    return null
  }

  /** Keeps what a schema says if these bytes begin with it, as Connect's converter writes them. */
  keep(topic: string, bytes: Buffer, convert: Convert): void {
    const end = payloadOf(bytes)
    if (end === null) return
    const starts = this.#byTopic.get(topic) ?? []
    if (starts.length === 0) {
      if (this.#byTopic.size === MAX_TOPICS) this.#byTopic.clear()
      this.#byTopic.set(topic, starts)
    }
    if (starts.length === MAX_PER_TOPIC) starts.pop()
    starts.unshift({ bytes: Buffer.from(bytes.subarray(0, end)), convert })
  }
}

const SCHEMA = Buffer.from('{"schema":{')
const PAYLOAD = Buffer.from(',"payload":')

/** Where the payload starts in `{"schema":{…},"payload":…}`, which is well formed; null where it is not written like this. */
function payloadOf(bytes: Buffer): number | null {
  if (bytes.compare(SCHEMA, 0, SCHEMA.length, 0, Math.min(SCHEMA.length, bytes.length)) !== 0) {
    return null
  }
  let depth = 1
  let isText = false
  let at = SCHEMA.length
  for (; depth > 0 && at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte === QUOTE) isText = !isText
    else if (isText) at += byte === BACKSLASH ? 1 : 0
    else if (byte === OPEN) depth += 1
    else if (byte === CLOSE) depth -= 1
  }
  const end = at + PAYLOAD.length
  return bytes.subarray(at, end).equals(PAYLOAD) ? end : null
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN = 0x7b
const CLOSE = 0x7d
