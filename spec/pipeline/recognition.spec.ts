import { expect, test } from 'vitest'
import { FINGERPRINT_PAGE, FINGERPRINT_WORDS } from '../../src/core/fingerprint.ts'
import { keyOf } from '../../src/core/key.ts'
import { Recognition } from '../../src/pipeline/recognition.ts'
import { fingerprintsOf, MemoryFingerprintDraft } from '../../src/stores/memory/fingerprints.ts'

const HEAD = { context: '', digest: '', shapes: [] }

/** Fingerprints of records that are told apart by a number; those of small ones begin alike. */
function wordsOf(records: readonly number[]): Uint32Array {
  return Uint32Array.from(records.flatMap((record) => [record < 100 ? 7 : record, 0, 1, record]))
}

/** What is known of these records, whose keys are their numbers. */
function known(...records: readonly number[]): Recognition {
  const draft = new MemoryFingerprintDraft()
  const words = wordsOf(records)
  for (const [i, record] of records.entries()) {
    draft.add(words, i * FINGERPRINT_WORDS, record % 3, keyOf([record]))
  }
  return new Recognition(fingerprintsOf(HEAD, draft))
}

/** The keys under which records are found, and their shapes; `-` for new ones. */
function found(recognition: Recognition, ...records: readonly number[]): string {
  const { keys, shapes } = recognition.match(wordsOf(records), records.length)
  return keys.map((key, i) => (key === undefined ? '-' : `${key}/${shapes[i]}`)).join(' ')
}

function count(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i)
}

test('records that were there before are found with their keys and shapes, in any order', () => {
  expect(found(known(1, 2, 3), 1, 2, 3)).toBe('n1/1 n2/2 n3/0')
  expect(found(known(1, 2, 3), 3, 4, 1)).toBe('n3/0 - n1/1')
  expect(found(known(), 1)).toBe('-')
})

test('what was not found is told once all were looked for', () => {
  const recognition = known(1, 2, 3, 4)
  found(recognition, 4)
  found(recognition, 2, 5)
  expect([...recognition.unseen()]).toEqual(['n1', 'n3'])
  expect(recognition.count).toBe(2)
})

test('a record that comes a second time is none that was there before', () => {
  const recognition = known(1, 2)
  expect(found(recognition, 1, 1)).toBe('n1/1 -')
  expect(found(recognition, 1, 2)).toBe('- n2/2')
  expect(recognition.count).toBe(2)
})

test('in the order of before, at the end and from the start again, all are found on any page', () => {
  const all = count(0, 3 * FINGERPRINT_PAGE + 5)
  const recognition = known(...all)
  const middle = FINGERPRINT_PAGE + 7
  const parts = [all.slice(0, middle), all.slice(middle, -20), [...all.slice(-20), -1]]
  expect(parts.map((part) => found(recognition, ...part).split('-').length - 1)).toEqual([0, 0, 1])
  expect(recognition.count).toBe(all.length)
  expect([...recognition.unseen()]).toEqual([])
})

test('in any order all are found on any page', () => {
  const all = count(0, 4 * FINGERPRINT_PAGE)
  const recognition = known(...all)
  found(recognition, ...all.filter((record) => record % 5 === 3).toReversed())
  found(recognition, ...all.filter((record) => record % 5 !== 3).toReversed())
  expect(recognition.count).toBe(all.length)
})

test('records in another order are told from those in the same one, also where all are found', () => {
  const all = count(0, 20 * FINGERPRINT_PAGE)
  const recognition = known(...all)
  found(recognition, ...all.slice(0, 2 * FINGERPRINT_PAGE))
  expect(recognition.isInOrder).toBe(true)
  found(recognition, ...all.slice(2 * FINGERPRINT_PAGE).filter((record) => record % 18 === 0))
  expect(recognition.isInOrder).toBe(false)
})
