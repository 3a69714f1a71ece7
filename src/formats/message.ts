import type { Value } from '../core/value.ts'
import type { Decoded, StreamName } from '../ports/source.ts'

/** A record of a topic as the transport hands it over, before any format has looked at it. */
export type Message = {
  /** Topic and partition; the same object for all messages of a partition. */
  readonly stream: StreamName
  readonly offset: number
  /** Null is Kafka's null, not an empty key. */
  readonly key: Buffer | null
  /** Null makes the message a tombstone of Kafka's. */
  readonly value: Buffer | null
  /** In order; one name may come several times. */
  readonly headers: readonly MessageHeader[]
  /** When it was written, as the broker has it: a timestamp, or null. */
  readonly timestamp: Value
}

/** A header of a message. */
export type MessageHeader = readonly [name: string, value: Buffer | null]

/** The last value of a header of this name; null where there is none. */
export function headerOf({ headers }: Message, name: string): Buffer | null {
  return headers.findLast((header) => header[0] === name)?.[1] ?? null
}

/**
 * Reads the messages of one kind of change feed.
 *
 * The implementer must: give the same answer for the same message, whatever came before; never
 * throw for a bad message, but refuse it (`UNDECODABLE` where the bytes are not what they should
 * be, `ENVELOPE` where the record is not one of the format's), naming what is wrong; guess no type.
 * The caller must: call `prepare` with the messages first, where there is one.
 */
export interface MessageFormat {
  /**
   * Fetches what decoding these messages needs, such as schemas that they name.
   *
   * @throws TidemarkError `SCHEMA_UNAVAILABLE` where it cannot be had now
   */
  prepare?(messages: readonly Message[]): Promise<void>

  decode(message: Message): Decoded
}

/** What a format fills in where a flow does not say it (semantics 1), whatever its messages are. */
export type Preset = {
  /**
   * By whose account images say in their hint what orders them; null where the flow has to say.
   * Sequences of one account compare, however its records are encoded; those of two do not.
   */
  readonly order: string | null
  /** Whether images say in their hint which columns are their key. Else the flow has to. */
  readonly hasKeys: boolean
  /** Whether images say in their hint at what time the source changed. */
  readonly hasTime: boolean
  /** Whether images may leave out, or mark as unavailable, columns that keep their value. */
  readonly isPartial: boolean
}
