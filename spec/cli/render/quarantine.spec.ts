import { expect, test } from 'vitest'
import {
  quarantineJson,
  quarantineLine,
  quarantineText,
} from '../../../src/cli/render/quarantine.ts'
import type { Quarantined } from '../../../src/index.ts'

const BROKEN: Quarantined = {
  id: 7,
  flow: 'customers',
  stream: 'feed/a.ndjson',
  partition: 0,
  number: 12,
  code: 'UNDECODABLE',
  reason: 'expected a value at character 6',
  bytes: new TextEncoder().encode('{"id":\u001b}'),
  at: '2026-01-01T00:00:00Z',
}

test('the list has a line per record', () => {
  expect(quarantineLine(BROKEN)).toBe(
    '7  customers  feed/a.ndjson:12  UNDECODABLE  expected a value at character 6\n',
  )
})

test('a record of a topic is placed by partition, as history does, and offset', () => {
  const first = { ...BROKEN, stream: 'users', number: 0 }
  expect(quarantineLine(first)).toContain('  users:0  ')
  expect(quarantineLine({ ...first, partition: 1 })).toContain('  users[1]:0  ')
})

test('a record is shown with its bytes as text', () => {
  expect(quarantineText(BROKEN)).toBe(`\
record 7
  flow    customers
  place   feed/a.ndjson:12
  code    UNDECODABLE
  reason  expected a value at character 6
  at      2026-01-01T00:00:00Z
  bytes   8

{"id":\\u001b}
`)
})

test('bytes that are not UTF-8 are shown in hex', () => {
  const bytes = Uint8Array.from({ length: 18 }, (_, i) => 0xf0 + i)
  expect(quarantineText({ ...BROKEN, bytes })).toBe(`\
record 7
  flow    customers
  place   feed/a.ndjson:12
  code    UNDECODABLE
  reason  expected a value at character 6
  at      2026-01-01T00:00:00Z
  bytes   18, not UTF-8, as hex

00000000  f0 f1 f2 f3 f4 f5 f6 f7 f8 f9 fa fb fc fd fe ff
00000010  00 01
`)
})

test('a record as JSON has its bytes as text, where they are that, and as base64', () => {
  const { bytes: _, ...facts } = BROKEN
  expect(JSON.parse(quarantineJson(BROKEN, 'facts'))).toEqual({
    ...facts,
    place: 'feed/a.ndjson:12',
  })
  const binary = { ...BROKEN, bytes: Uint8Array.of(0xff) }
  expect(JSON.parse(quarantineJson(binary, 'bytes'))).toEqual({
    ...facts,
    place: 'feed/a.ndjson:12',
    text: null,
    base64: '/w==',
  })
})
