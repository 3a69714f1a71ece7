import { createHash } from 'node:crypto'
import { microsOf } from '../../core/temporal.ts'
import { isTagged } from '../../core/value.ts'
import type { Message } from '../../formats/message.ts'

/**
 * What a checkpoint remembers besides its offset, to tell a topic that was made anew from the
 * one that was read: the last record that was applied, and the topic's id.
 */
export type Remembered = {
  /** Null from brokers that do not tell. */
  readonly topicId: string | null
  readonly record: RememberedRecord | null
}

/** A record, recognisable. */
export type RememberedRecord = {
  readonly offset: number
  /** In milliseconds; null where it has none. */
  readonly timestamp: number | null
  /** Of key, value and headers, in hex. */
  readonly sha256: string
}

/** Nothing is remembered. */
export const NOTHING: Remembered = { topicId: null, record: null }

/** What makes a message recognisable. */
export function recordOf(message: Message): RememberedRecord {
  const { offset, key, value, headers, timestamp } = message
  const hash = createHash('sha256')
  for (const bytes of [
    key,
    value,
    ...headers.flatMap(([name, held]) => [Buffer.from(name), held]),
  ]) {
    const length = Buffer.alloc(4)
    length.writeInt32BE(bytes === null ? -1 : bytes.length)
    hash.update(length)
    if (bytes !== null) hash.update(bytes)
  }
  const ms = isTagged(timestamp) ? Number(microsOf(timestamp) / 1000n) : null
  return { offset, timestamp: ms, sha256: hash.digest('hex') }
}

/** As it stands in a checkpoint's state: JSON with `topic_id`, `offset`, `timestamp` and `sha256`. */
export function stateOf({ topicId, record }: Remembered): string {
  return JSON.stringify({ ...(topicId === null ? {} : { topic_id: topicId }), ...record })
}

/** What a checkpoint's state says; whatever it does not say is not remembered. */
export function rememberedOf(state: string): Remembered {
  const fields = new Map<string, unknown>(Object.entries(parsed(state)))
  const topicId = fields.get('topic_id')
  const offset = fields.get('offset')
  const timestamp = fields.get('timestamp')
  const sha256 = fields.get('sha256')
  const isWhole = typeof offset === 'number' && typeof sha256 === 'string'
  return {
    topicId: typeof topicId === 'string' ? topicId : null,
    record: isWhole
      ? { offset, timestamp: typeof timestamp === 'number' ? timestamp : null, sha256 }
      : null,
  }
}

function parsed(state: string): object {
  if (state === '') return {}
  try {
    const value: unknown = JSON.parse(state)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
