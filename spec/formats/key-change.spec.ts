import { expect, test } from 'vitest'
import { splitKeyChange } from '../../src/formats/key-change.ts'
import { drawImage } from './feed-drawing.ts'
import { hintOf } from '../../src/formats/hint.ts'
import type { Value } from '../../src/core/value.ts'

function split(before: Readonly<Record<string, Value>>, keys: readonly string[]): string[] {
  const hint = hintOf({ sequence: [5], before: new Map(Object.entries(before)), isPartial: true })
  const image = {
    kind: 'image',
    shape: { names: ['id', 'part', 'name'] },
    values: [2, 'a', 'x'],
    hint,
  } as const
  return splitKeyChange(image, keys).map(drawImage)
}

test('a key that was another becomes the deletion of that row, then the row under its new key', () => {
  expect(split({ id: 1, name: 'w' }, ['id', 'part'])).toEqual([
    "delete (5) key id, part is (2, 'a'): id=1 part='a' name='w'",
    "upsert (5) key id, part was (1, 'a') partial: id=2 part='a' name='x'",
  ])
})

test('a key that stays, was not told, or was told as null, is left as it is', () => {
  const whole = ["upsert (5) partial: id=2 part='a' name='x'"]
  expect(split({ id: 2, name: 'w' }, ['id'])).toEqual(whole)
  expect(split({ name: 'w' }, ['id'])).toEqual(whole)
  expect(split({ id: null }, ['id'])).toEqual(whole)
  expect(split({ id: 1 }, [])).toEqual(whole)
})

test('a column that was null before is null in the row that is deleted', () => {
  expect(split({ id: 1, name: null }, ['id'])).toEqual([
    "delete (5) key id is (2): id=1 part='a' name=null",
    "upsert (5) key id was (1) partial: id=2 part='a' name='x'",
  ])
})

test('a second time nothing is left to split', () => {
  const hint = hintOf({ before: new Map([['id', 1]]) })
  const image = { kind: 'image', shape: { names: ['id'] }, values: [2], hint } as const
  const images = splitKeyChange(image, ['id'])
  expect(images.flatMap((part) => splitKeyChange(part, ['id']))).toEqual(images)
})
