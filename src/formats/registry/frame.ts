import { refuse } from '../../core/refusal.ts'
import type { Refusal } from '../../core/refusal.ts'
import type { SchemaId } from '../../ports/schema-source.ts'
import { headerOf } from '../message.ts'
import type { Message } from '../message.ts'

/** How many bytes the id has that stands before a payload: 4 in Confluent's framing, 8 in Apicurio's older one. */
export type IdBytes = 4 | 8

/** A payload and what names its schema. */
export type Frame = {
  readonly id: SchemaId
  readonly payload: Buffer
  /** What follows the id in a header: the message indexes of Protobuf. Null where the payload itself begins with them. */
  readonly afterId: Buffer | null
}

/**
 * Takes the id off a key or a value.
 *
 *     value                      00 0000002a payload
 *     __value_schema_id header   00 0000002a            value: payload
 *                                01 GUID (16 bytes)     value: payload
 *
 * A header goes before what the bytes look like.
 */
export function frameOf(
  part: 'key' | 'value',
  bytes: Buffer,
  message: Message,
  idBytes: IdBytes,
): Frame | Refusal {
  const header = headerOf(message, HEADERS[part])
  if (header !== null) return frameByHeader(part, bytes, header)

  if (bytes[0] !== MAGIC_ID) {
    const found = bytes.length === 0 ? 'nothing' : `0x${bytes.toString('hex', 0, 1)}`
    return refuse('UNDECODABLE', `the ${part} begins with ${found} rather than with 0x00 and an id`)
  }
  const end = 1 + idBytes
  if (bytes.length < end) {
    return refuse(
      'UNDECODABLE',
      `the ${part} ends within its schema id, after byte ${bytes.length}`,
    )
  }
  return { id: idAt(bytes, idBytes), payload: bytes.subarray(end), afterId: null }
}

const HEADERS = { key: '__key_schema_id', value: '__value_schema_id' } as const
const MAGIC_ID = 0
const MAGIC_GUID = 1
const GUID_END = 17

function frameByHeader(part: 'key' | 'value', payload: Buffer, header: Buffer): Frame | Refusal {
  if (header[0] === MAGIC_ID && header.length >= 5) {
    return { id: idAt(header, 4), payload, afterId: header.subarray(5) }
  }
  if (header[0] === MAGIC_GUID && header.length >= GUID_END) {
    return { id: guidOf(header), payload, afterId: header.subarray(GUID_END) }
  }
  const shown = header.toString('hex', 0, GUID_END)
  return refuse(
    'UNDECODABLE',
    `the header ${HEADERS[part]} is neither 0x00 and an id nor 0x01 and a GUID, but 0x${shown}`,
  )
}

function idAt(bytes: Buffer, idBytes: IdBytes): SchemaId {
  const text =
    idBytes === 4 ? bytes.readUInt32BE(1).toString() : bytes.readBigUInt64BE(1).toString()
  return { by: 'id', text }
}

function guidOf(header: Buffer): SchemaId {
  const hex = header.toString('hex', 1, GUID_END)
  const groups = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)]
  return { by: 'guid', text: [...groups, hex.slice(20)].join('-') }
}
