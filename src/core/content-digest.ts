import { keyOf } from './key.ts'
import type { Content } from './timeline.ts'
import type { Value } from './value.ts'

/**
 * What a change says, in 22 letters at most: equal for changes of equal operation, rank, values and
 * written columns, different for others. By chance two others are taken for one less often than once
 * in 2^53 pairs at one sequence of one key; no guard against somebody who makes two equal on purpose.
 */
export function contentDigest(content: Content): string {
  if (content.op !== 'upsert') return `${content.op} ${content.rank}`
  const { rank, row, writes } = content
  const width = row.findLastIndex((value) => value !== null) + 1
  const cells = row.slice(0, width).map(spell)
  return hash(JSON.stringify([rank, writes, cells]))
}

function spell(value: Value): string | null {
  return value === null ? null : keyOf([value])
}

/** Two of the 53-bit hashes that multiply and mix two lanes of 32 bits, from different seeds. */
function hash(text: string): string {
  return `${lanes(text, 0)}${lanes(text, 0x9e3779b9)}`
}

function lanes(text: string, seed: number): string {
  let a = 0xdeadbeef ^ seed
  let b = 0x41c6ce57 ^ seed
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i)
    a = Math.imul(a ^ unit, 0x9e3779b1)
    b = Math.imul(b ^ unit, 0x5f356495)
  }
  a = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35)
  b = Math.imul(b ^ (b >>> 16), 0x85ebca6b) ^ Math.imul(a ^ (a >>> 13), 0xc2b2ae35)
  const number = 0x100000000 * (b & 0x1fffff) + (a >>> 0)
  return number.toString(36).padStart(11, '0')
}
