import type { Random } from '../crash/random.ts'

/** Names that break what builds SQL, JSON or JavaScript objects by hand. */
export const NAMES: readonly string[] = [
  'a"; DROP TABLE t; --',
  `a'; DROP TABLE one; --`,
  '"',
  "'",
  '`',
  '[x]',
  'a"b""c',
  '/* */',
  '?1',
  ':x',
  '',
  ' ',
  'with space',
  'new\nline',
  'tab\there',
  'back\\slash',
  '__START_AT',
  '__start_at',
  '__END_AT',
  '__SYSTEM_START_AT',
  '__START_TIME',
  '__tidemark_x',
  '__tidemark_targets',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'rowid',
  'oid',
  '_rowid_',
  'ROWID',
  'select',
  'NULL',
  'k',
  'c0',
  'c1',
  'tags',
  'ID',
  'Id',
  'S',
  'Ünïcode',
  'ünïcode',
  '🦑',
  '‮rtl',
  '\u0000',
  'nul\u0000inside',
  'x'.repeat(2000),
  '🦑'.repeat(500),
  'ab',
  'aB',
  'AB',
  '0',
  '-1',
  'NaN',
  '$x',
  '_topic',
  '_file',
  '_record',
]

/** JSON texts of values that are hard to keep. */
const VALUES: readonly string[] = [
  'null',
  'true',
  'false',
  '0',
  '-0',
  '1e400',
  '-1e-400',
  '9007199254740993',
  '123456789012345678901234567890.000000001',
  `1${'0'.repeat(500)}`,
  `0.${'1'.repeat(500)}`,
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775809',
  '""',
  '"\\u0000"',
  '"a\\u0000b"',
  '"\\ud83e\\udd91"',
  '"null"',
  '"00123"',
  '"2026-01-01T00:00:00Z"',
  `"${'long '.repeat(2000)}"`,
  '"Robert\'); DROP TABLE one;--"',
  '{}',
  '[]',
  '{"":""}',
  '{"__proto__":{"x":1},"constructor":null}',
  `${'['.repeat(100)}1${']'.repeat(100)}`,
  `${'{"a":'.repeat(100)}1${'}'.repeat(100)}`,
  '[null,[true,{"x":[1e2,"\\u2028"]}]]',
]

/** JSON texts that no reader may take. */
const BROKEN: readonly string[] = [
  'nul',
  'NaN',
  'Infinity',
  '01',
  '1.',
  '+1',
  '0x10',
  "'text'",
  '"open',
  '"\\ud800"',
  '"\\udc00x"',
  '"\\x41"',
  '"\u0001"',
  '[1,]',
  '{"a":1,}',
  '{"a":1,"a":1}',
  `${'['.repeat(5000)}${']'.repeat(5000)}`,
  '/* 1 */ 1',
]

/** Sequences that are none, and some that are. */
const SEQUENCES: readonly string[] = [
  'null',
  '"1"',
  'true',
  '[]',
  '[1]',
  '{}',
  '1e400',
  '-1',
  '0.5',
  '99999999999999999999999999999999',
  `1${'0'.repeat(2000)}`,
]

/** Keys that are none, and some that are. */
const KEYS: readonly string[] = [
  'null',
  'true',
  '1.50',
  '[1]',
  '{"a":1}',
  '""',
  '1e999',
  '"\\u0000"',
]

/** One record of JSON text with something wrong or hard about it; its id is none of the good ones'. */
export function hostileRecord(random: Random, i: number): Buffer {
  const id = random.chance(0.1) ? random.pick(KEYS) : `"bad-${i}"`
  const s = random.chance(0.1) ? random.pick(SEQUENCES) : String(1000 + i)
  const members = [`"id":${id}`, `"s":${s}`]
  const count = random.chance(0.01) ? 1500 : random.below(4)
  for (let n = 0; n < count; n += 1) members.push(member(random, n, count))
  if (random.chance(0.05)) members.splice(0, 1)
  const text = `{${members.join()}}`
  return random.chance(0.35) ? damaged(random, Buffer.from(text)) : Buffer.from(text)
}

function member(random: Random, n: number, count: number): string {
  const isMany = count > 100
  const name = isMany ? `many ${n}` : random.pick(random.chance(0.4) ? NAMES : ['a', 'b', 'c'])
  const value = random.pick(
    random.chance(0.1) && !isMany ? BROKEN : VALUES.slice(0, isMany ? 8 : undefined),
  )
  return `${JSON.stringify(name)}:${value}`
}

/** Bytes that were cut, lost, doubled, or turned into others; never into another line. */
function damaged(random: Random, bytes: Buffer): Buffer {
  const at = random.below(bytes.length)
  const before = bytes.subarray(0, at)
  const after = bytes.subarray(at + 1)
  const byte = random.pick([0x00, 0x22, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d, 0x80, 0xc0, 0xed, 0xff, 0xfe])
  switch (random.below(5)) {
    case 0:
      return before
    case 1:
      return Buffer.concat([before, after])
    case 2:
      return Buffer.concat([before, Buffer.from([byte]), after])
    case 3:
      return Buffer.concat([before, Buffer.from([byte]), bytes.subarray(at)])
    default:
      return Buffer.concat([before, Buffer.from([0xed, 0xa0, 0x80]), after]) // a lone surrogate in UTF-8
  }
}

/** One CSV row of four fields, more or less. */
export function hostileRow(random: Random, i: number): Buffer {
  const field = () =>
    random.pick([
      '',
      '""',
      'plain',
      '"quoted, with a comma"',
      '"two ""quotes"""',
      'stray " quote',
      "'; DROP TABLE one; --",
      '\u0000',
      '1e400',
      '🦑',
      'x'.repeat(3000),
      '{"a":1}',
    ])
  const fields = [`bad-${i}`, String(1000 + i), field(), field()]
  if (random.chance(0.1)) fields.push(field(), field())
  if (random.chance(0.1)) fields.splice(random.below(4), 1)
  if (random.chance(0.1)) fields[1] = random.pick(['', 'text', '1e5', '-0', '0x1', ' 1'])
  const row = Buffer.from(fields.join())
  const isDamaged = random.chance(0.15)
  // Quotes are left alone: an open one swallows the rows that follow, good ones too.
  return isDamaged
    ? Buffer.concat([row, Buffer.from([random.pick([0xff, 0xc0, 0x00, 0xed])])])
    : row
}
