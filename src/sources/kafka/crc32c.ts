/** The checksum of Kafka's batches: CRC-32C (Castagnoli), eight bytes at a time. */
export function crc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff
  let at = 0
  for (const end = bytes.length - 7; at < end; at += 8) {
    crc ^= word(bytes, at)
    crc =
      entry(7, crc & 0xff) ^
      entry(6, (crc >>> 8) & 0xff) ^
      entry(5, (crc >>> 16) & 0xff) ^
      entry(4, crc >>> 24) ^
      entry(3, byte(bytes, at + 4)) ^
      entry(2, byte(bytes, at + 5)) ^
      entry(1, byte(bytes, at + 6)) ^
      entry(0, byte(bytes, at + 7))
  }
  for (; at < bytes.length; at++) crc = entry(0, (crc ^ byte(bytes, at)) & 0xff) ^ (crc >>> 8)
  return (crc ^ 0xffffffff) >>> 0
}

const POLYNOMIAL = 0x82f63b78

/** Eight tables of 256, one after the other. */
const TABLES = tables()

function tables(): Int32Array {
  const all = new Int32Array(8 * 256)
  for (let n = 0; n < 256; n++) {
    let crc = n
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1
    all[n] = crc
  }
  for (let i = 256; i < all.length; i++) {
    const before = all[i - 256] ?? 0
    all[i] = (all[before & 0xff] ?? 0) ^ (before >>> 8)
  }
  return all
}

function entry(table: number, index: number): number {
  return TABLES[table * 256 + index] ?? 0
}

function byte(bytes: Uint8Array, at: number): number {
  return bytes[at] ?? 0
}

function word(bytes: Uint8Array, at: number): number {
  return (
    byte(bytes, at) |
    (byte(bytes, at + 1) << 8) |
    (byte(bytes, at + 2) << 16) |
    (byte(bytes, at + 3) << 24)
  )
}
