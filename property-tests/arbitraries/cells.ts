import fc from 'fast-check'
import { exactNumber, type Json } from '../models/json.ts'

/**
 * Values of column `a`. Mostly one plain value, so that neighbours are often equal and runs merge;
 * the rest are what a store is tempted to take for one of them: by type affinity, through a
 * double, by spelling, or as null.
 */
export const scalars: fc.Arbitrary<Json> = fc.oneof(
  { weight: 10, arbitrary: fc.constantFrom<Json[]>(1, 1, 1, 2) },
  { weight: 2, arbitrary: fc.constant(null) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Json[]>(
      '1',
      true,
      exactNumber('1.0'),
      '',
      1.5,
      exactNumber('9007199254740992'),
      exactNumber('9007199254740993'),
    ),
  },
)

/**
 * Values of column `b`: a second column that may be tracked, since with one alone "every column
 * agrees" and "some column agrees" are the same. Plain values as for `a`; the rest are
 * nested values and the texts that spell them.
 */
export const mixed: fc.Arbitrary<Json> = fc.oneof(
  { weight: 10, arbitrary: fc.constantFrom<Json[]>('x', 'x', 'x', 'y') },
  { weight: 2, arbitrary: fc.constant(null) },
  { weight: 2, arbitrary: fc.constantFrom<Json[]>({ a: 1 }, '{"a":1}', [1], '[1]', false, 0) },
)

/** One leaf. Two values and null, so that it is often written twice, and often with what was there. */
const leaf = fc.constantFrom<Json[]>(1, 2, null)

/**
 * Values of column `n`: objects that share the leaves `x` and `y.z`, so that partial writes
 * meet leaf by leaf; and what replaces an object whole: a scalar, an array, nothing at all.
 */
export const nested: fc.Arbitrary<Json> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record<{ x: Json; y: Json }, never>(
      {
        x: leaf,
        y: fc.oneof(
          { weight: 3, arbitrary: fc.record({ z: leaf, w: leaf }, { requiredKeys: [] }) },
          { weight: 1, arbitrary: fc.constantFrom<Json[]>(null, 1, [1, null]) },
        ),
      },
      { requiredKeys: [] },
    ),
  },
  { weight: 2, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.constantFrom<Json[]>(1, [1], '{}') },
)
