import type { JsonNode } from '../../../core/json.ts'
import { numberFromDouble } from '../../../core/number.ts'
import { bytesValue, valueOfFloat, whole } from '../scalars.ts'
import { WIRE } from './proto-bytes.ts'
import type { ProtoBytes } from './proto-bytes.ts'

/** How the values of a type are laid out and read, and what an absent one means where nothing marks absence. */
export type ProtoScalar = {
  readonly wire: number
  readonly read: (bytes: ProtoBytes) => JsonNode
  readonly zero: JsonNode
}

/** The types of Protobuf that are no messages and no enums. */
export const PROTO_SCALARS: ReadonlyMap<string, ProtoScalar> = new Map<string, ProtoScalar>([
  ['int32', varint((bytes) => signed(bytes, 32))],
  ['int64', varint((bytes) => signed(bytes, 64))],
  ['uint32', varint((bytes) => Number(BigInt.asUintN(32, BigInt(bytes.varint()))))],
  ['uint64', varint((bytes) => bytes.varint())],
  ['sint32', varint((bytes) => Number(BigInt.asIntN(32, BigInt(bytes.zigzag()))))],
  ['sint64', varint((bytes) => bytes.zigzag())],
  ['bool', { wire: WIRE.VARINT, read: (bytes) => bytes.varint() !== 0, zero: false }],
  ['fixed32', fixed32((four) => four.readUInt32LE(0))],
  ['sfixed32', fixed32((four) => four.readInt32LE(0))],
  ['float', fixed32((four) => valueOfFloat(four.readFloatLE(0)))],
  ['fixed64', fixed64((eight) => whole(eight.readBigUInt64LE(0)))],
  ['sfixed64', fixed64((eight) => whole(eight.readBigInt64LE(0)))],
  ['double', fixed64((eight) => numberFromDouble(eight.readDoubleLE(0)))],
  ['string', { wire: WIRE.BYTES, read: (bytes) => bytes.string(), zero: '' }],
  [
    'bytes',
    {
      wire: WIRE.BYTES,
      read: (bytes) => bytesValue(bytes.bytes()),
      zero: bytesValue(Buffer.alloc(0)),
    },
  ],
])

/** An integer of the lowest 32 or 64 bits, the highest of them being its sign. */
export function signed(bytes: ProtoBytes, bits: 32 | 64): number | bigint {
  const n = bytes.varint()
  return n < 0x8000_0000 ? n : whole(BigInt.asIntN(bits, BigInt(n)))
}

function varint(read: ProtoScalar['read']): ProtoScalar {
  return { wire: WIRE.VARINT, read, zero: 0 }
}

function fixed32(read: (four: Buffer) => JsonNode): ProtoScalar {
  return { wire: WIRE.FIXED32, read: (bytes) => read(bytes.fixed(4)), zero: 0 }
}

function fixed64(read: (eight: Buffer) => JsonNode): ProtoScalar {
  return { wire: WIRE.FIXED64, read: (bytes) => read(bytes.fixed(8)), zero: 0 }
}
