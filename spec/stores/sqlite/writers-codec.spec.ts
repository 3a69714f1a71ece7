import { expect, test } from 'vitest'
import type { Stamp, Stream } from '../../../src/core/change.ts'
import type { PackedVersions } from '../../../src/core/packed-registers.ts'
import { storedSequence } from '../../../src/core/sequence.ts'
import { readWriters, spellWriters } from '../../../src/stores/sqlite/writers-codec.ts'

const STREAM: Stream = { id: 7, flow: 'f', name: 'a', partition: 0 }

const SOME: PackedVersions = {
  stamps: [at('a217', 17), at('a15', 5)],
  deleted: null,
  truncate: false,
  base: null,
  columns: [
    [1, 1],
    [4, 2],
  ],
}

const ALL: PackedVersions = {
  stamps: [
    { ...at('"\\\ud7ff01f600', 17), rank: -1, system: storedSequence('a12'), part: 4 },
    at('a15', 5),
  ],
  deleted: 1,
  truncate: true,
  base: 0,
  columns: [
    [0, [null, 2, [['a"', 1]]]],
    [3, [null, null, []]],
    [1899, 0],
  ],
  told: [[storedSequence('a15'), ['upsert', 'delete 0']]],
}

test('who wrote which column is spelled in few bytes', () => {
  expect(spellWriters(SOME)).toBe('[3,null,null,[1,1,4,2],["a217",7,17,"a15",7,5]]')
})

test('what is spelled comes back, plain or not', () => {
  const none = { ...SOME, stamps: [], columns: [] }
  expect([SOME, ALL, none].map((each) => read(spellWriters(each)))).toEqual([SOME, ALL, none])
})

test('what an earlier release spelled is read', () => {
  const stamps = '[["a217",0,null,7,17,0],["a15",-1,"a12",7,5,4]]'
  const parts = '"deleted":1,"truncate":false,"base":2,"columns":[[0,[null,2,[["a",1]]]],[3,0]]'
  expect(read(`{${parts},"told":[["a15",["x"]]],"stamps":${stamps}}`)).toEqual({
    stamps: [at('a217', 17), { ...at('a15', 5), rank: -1, system: storedSequence('a12'), part: 4 }],
    deleted: 1,
    truncate: false,
    base: 2,
    columns: [
      [0, [null, 2, [['a', 1]]]],
      [3, 0],
    ],
    told: [[storedSequence('a15'), ['x']]],
  })
})

function read(text: string): PackedVersions {
  return readWriters(text, (id) => ({ ...STREAM, id }))
}

function at(sequence: string, number: number): Stamp {
  const plain = { rank: 0, system: null, part: 0 }
  return { sequence: storedSequence(sequence), stream: STREAM, number, ...plain }
}
