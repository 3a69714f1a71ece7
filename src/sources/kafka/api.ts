import type { WireReader } from './wire-reader.ts'
import type { WireWriter } from './wire-writer.ts'

/** A request to a broker and its answer, in the versions of Kafka's protocol that we speak. */
export type Api<Request, Response> = {
  /** Number in the protocol. */
  readonly key: number
  readonly name: string
  /** The best one first. */
  readonly versions: readonly number[]
  /** From this version on lengths are short and fields may be tagged. */
  readonly flexibleFrom: number
  /** Writes everything behind the header. */
  readonly write: (body: WireWriter, version: number, request: Request) => void
  /** Reads everything behind the header; the time to wait is the broker's wish (KIP-219). */
  readonly read: (body: WireReader, version: number) => Answer<Response>
}

/** An answer, and for how many milliseconds the broker wants to be left alone. */
export type Answer<Response> = { readonly throttleMs: number; readonly response: Response }

/** Error codes of the protocol that mean something to us. */
export const CODES = {
  NONE: 0,
  OFFSET_OUT_OF_RANGE: 1,
  CORRUPT_MESSAGE: 2,
  UNKNOWN_TOPIC_OR_PARTITION: 3,
  INVALID_TOPIC: 17,
  TOPIC_AUTHORIZATION_FAILED: 29,
  GROUP_AUTHORIZATION_FAILED: 30,
  CLUSTER_AUTHORIZATION_FAILED: 31,
  ILLEGAL_SASL_STATE: 34,
  UNKNOWN_TOPIC_ID: 100,
  INCONSISTENT_TOPIC_ID: 103,
} as const

/** What a broker may not tell this user at all. */
export function isForbidden(code: number): boolean {
  return (
    code === CODES.TOPIC_AUTHORIZATION_FAILED ||
    code === CODES.GROUP_AUTHORIZATION_FAILED ||
    code === CODES.CLUSTER_AUTHORIZATION_FAILED
  )
}
