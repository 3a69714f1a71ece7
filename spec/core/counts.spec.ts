import { expect, test } from 'vitest'
import { addCounts, NO_COUNTS } from '../../src/core/counts.ts'

const A = {
  read: 1,
  accepted: 2,
  ignored: 3,
  dropped: 4,
  quarantined: 5,
  changes: 6,
  late: 7,
  ties: 8,
  warned: 9,
  batches: 10,
}

test('counts of two parts of a run add up, figure by figure', () => {
  expect(addCounts(A, { ...A, read: 100, batches: 0 })).toEqual({
    read: 101,
    accepted: 4,
    ignored: 6,
    dropped: 8,
    quarantined: 10,
    changes: 12,
    late: 14,
    ties: 16,
    warned: 18,
    batches: 10,
  })
})

test('unknown values are counted where there are any', () => {
  expect(addCounts({ ...A, unknown_values: 2 }, A)).toEqual({
    ...addCounts(A, A),
    unknown_values: 2,
  })
  expect(addCounts({ ...A, unknown_values: 2 }, { ...A, unknown_values: 3 }).unknown_values).toBe(5)
  expect(addCounts(A, A)).not.toHaveProperty('unknown_values')
})

test('nothing adds nothing', () => {
  expect(addCounts(A, NO_COUNTS)).toEqual(A)
})
