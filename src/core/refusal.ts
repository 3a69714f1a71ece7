/**
 * Why a record is refused (semantics 8). The number is the order in which several faults of
 * one record are judged: the first is reported. Codes are public and never reused.
 */
export const REFUSALS = {
  /** The bytes are not of the format: broken JSON, invalid UTF-8, a duplicate member, nested too deep. */
  UNDECODABLE: 1,
  /** The envelope is not the format's, or its operation is unknown. */
  ENVELOPE: 2,
  /** A value is not of the type that its column is declared with. */
  COLUMN_TYPE: 3,
  /** The record has more bytes or columns than the flow allows. */
  TOO_LARGE: 4,
  /** A part of the sequence is null. */
  NULL_SEQUENCE: 5,
  /** The sequence is not of the target's type. */
  SEQUENCE_TYPE: 6,
  /** The system time is null. */
  NULL_SYSTEM_TIME: 7,
  /** A part of the key is null. */
  NULL_KEY: 8,
  /** Two columns differ only in the case of ASCII letters, so SQLite cannot tell them apart. */
  COLUMN_NAME_CLASH: 9,
  /** A column has the name of a system column of the target. */
  RESERVED_COLUMN: 10,
  /** The key already has another event at this sequence, and the flow says `on_sequence_tie: fail`. */
  SEQUENCE_TIE: 11,
  /** The event is older than the horizon and can no longer be decided. */
  TOO_LATE: 12,
} as const

/** The stable name of a reason to refuse a record. */
export type RefusalCode = keyof typeof REFUSALS

/** A refused record is data, not an exception: what is wrong, with the value and the column. */
export type Refusal = {
  readonly kind: 'refusal'
  readonly code: RefusalCode
  readonly message: string
}

/** Makes a refusal. */
export function refuse(code: RefusalCode, message: string): Refusal {
  return { kind: 'refusal', code, message }
}

/** Whether a result is a refusal rather than what was asked for. */
export function isRefusal(result: unknown): result is Refusal {
  return (
    typeof result === 'object' && result !== null && 'kind' in result && result.kind === 'refusal'
  )
}
