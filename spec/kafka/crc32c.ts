const TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index
  for (let bit = 0; bit < 8; bit += 1) {
    value = value & 1 ? (value >>> 1) ^ 0x82f63b78 : value >>> 1
  }
  return value
})

/** The Castagnoli checksum that record batches carry: `crc32c('123456789') === 0xe3069283`. */
export function crc32c(bytes: Buffer): number {
  let value = 0xffffffff
  for (const byte of bytes) value = (value >>> 8) ^ (TABLE[(value ^ byte) & 255] ?? 0)
  return (value ^ 0xffffffff) >>> 0
}
