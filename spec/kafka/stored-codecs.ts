const BLOCK_BYTES = 65_536

/** A zstd frame of raw blocks: valid for every decoder, and no smaller than what went in (RFC 8878, 3.1.1). */
export function storedZstd(bytes: Buffer): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32LE(0xfd2fb528, 0)
  header.writeUInt8(0b1110_0000, 4) // single segment, the size in eight bytes
  header.writeBigUInt64LE(BigInt(bytes.length), 5)

  const blocks = blocksOf(bytes).map((block, index, { length }) => {
    const size = Buffer.alloc(3)
    size.writeUIntLE((block.length << 3) | (index === length - 1 ? 1 : 0), 0, 3)
    return Buffer.concat([size, block])
  })
  return Buffer.concat([header, ...blocks])
}

/** An LZ4 frame of blocks that are stored, not compressed: independent blocks of at most 64 KiB, no checksums. */
export function storedLz4(bytes: Buffer): Buffer {
  const header = Buffer.from('04224d18604082', 'hex') // magic, flags, block size, checksum of these two
  const blocks = blocksOf(bytes).map((block) => {
    const size = Buffer.alloc(4)
    size.writeUInt32LE((block.length | 0x80000000) >>> 0, 0)
    return Buffer.concat([size, block])
  })
  return Buffer.concat([header, ...blocks, Buffer.alloc(4)])
}

/** Snappy in the framing of the Java producer: a header, then blocks of literals behind their length. */
export function storedSnappy(bytes: Buffer): Buffer {
  const header = Buffer.from('82534e41505059000000000100000001', 'hex')
  const blocks = blocksOf(bytes).map((block) => {
    const literal = Buffer.concat([unsignedVarint(block.length), literalTag(block.length), block])
    const size = Buffer.alloc(4)
    size.writeUInt32BE(literal.length, 0)
    return Buffer.concat([size, literal])
  })
  return Buffer.concat([header, ...blocks])
}

function blocksOf(bytes: Buffer): Buffer[] {
  const count = Math.max(1, Math.ceil(bytes.length / BLOCK_BYTES))
  return Array.from({ length: count }, (_, index) =>
    bytes.subarray(index * BLOCK_BYTES, (index + 1) * BLOCK_BYTES),
  )
}

/** The tag of a literal of up to 65,536 bytes: its length less one in the tag, or in the two bytes that follow. */
function literalTag(size: number): Buffer {
  if (size === 0) return Buffer.alloc(0)
  if (size <= 60) return Buffer.from([(size - 1) << 2])
  const tag = Buffer.alloc(3)
  tag.writeUInt8(61 << 2, 0)
  tag.writeUInt16LE(size - 1, 1)
  return tag
}

function unsignedVarint(value: number): Buffer {
  const out: number[] = []
  let rest = value
  while (rest > 127) {
    out.push((rest & 127) | 128)
    rest = Math.floor(rest / 128)
  }
  out.push(rest)
  return Buffer.from(out)
}
