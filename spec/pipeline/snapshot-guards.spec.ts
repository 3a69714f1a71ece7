import { expect, test } from 'vitest'
import { snapshotOptions } from '../../src/pipeline/flow-spec-snapshots.ts'
import { FORCIBLE, judge, type Evidence } from '../../src/pipeline/snapshot-guards.ts'

/** A snapshot of ten rows that nothing is wrong with, but for what is given. */
function seen(given: Partial<Evidence>): Evidence {
  return {
    isLate: false,
    rows: 10,
    declaredRows: null,
    broken: null,
    nullKeys: 0,
    conflicting: null,
    repeated: null,
    outOfScope: null,
    isEmpty: false,
    missingColumns: () => [],
    counts: counting({}),
    ...given,
  }
}

function counting(given: Partial<ReturnType<Evidence['counts']>>): Evidence['counts'] {
  return () => ({ inserted: 0, updated: 0, deleted: 0, unchanged: 0, existing: 10, ...given })
}

type Settings = { readonly guards?: object; readonly force?: readonly string[] }

/** The refusal; or, where there is none, the guards that were lifted. */
function said(given: Partial<Evidence>, { guards = {}, force = [] }: Settings = {}): string {
  const spec = snapshotOptions.guards.parse(guards)
  const { refusal, verdicts } = judge(seen(given), spec, new Set(force))
  if (refusal !== null) return `${refusal.code}: ${refusal.message}`
  const lifted = Object.entries(verdicts).filter(([, verdict]) => verdict === 'lifted')
  if (lifted.length === 0) return 'accepted'
  return lifted.map(([code]) => `${code} lifted`).join()
}

test('a snapshot that nothing is wrong with passes every guard', () => {
  const { refusal, verdicts } = judge(seen({}), snapshotOptions.guards.parse({}), new Set())
  expect(refusal).toBe(null)
  expect(verdicts).toEqual({
    OUT_OF_ORDER_SNAPSHOT: 'passed',
    INCOMPLETE_SNAPSHOT: 'passed',
    NULL_KEY: 'passed',
    DUPLICATE_KEY: 'passed',
    ROW_OUT_OF_SCOPE: 'passed',
    COLUMN_MISSING: 'passed',
    EMPTY_SNAPSHOT: 'passed',
    DELETE_THRESHOLD: 'passed',
    CHANGE_THRESHOLD: 'passed',
  })
})

test('the first guard that refuses decides, and those after it are not asked', () => {
  const never = () => {
    throw new Error('asked')
  }
  const { refusal, verdicts } = judge(
    seen({
      isLate: true,
      declaredRows: 9,
      nullKeys: 1,
      conflicting: '1',
      missingColumns: never,
      counts: never,
    }),
    snapshotOptions.guards.parse({ row_count: 'ignore' }),
    new Set(FORCIBLE),
  )
  expect(refusal).toEqual({ code: 'NULL_KEY', message: 'a key is null in 1 of its rows' })
  expect(verdicts).toEqual({
    OUT_OF_ORDER_SNAPSHOT: 'passed',
    INCOMPLETE_SNAPSHOT: 'lifted',
    NULL_KEY: 'refused',
    DUPLICATE_KEY: 'not judged',
    ROW_OUT_OF_SCOPE: 'not judged',
    COLUMN_MISSING: 'not judged',
    EMPTY_SNAPSHOT: 'not judged',
    DELETE_THRESHOLD: 'not judged',
    CHANGE_THRESHOLD: 'not judged',
  })
})

test('a late snapshot is refused unless late ones are inserted, which nobody has to lift', () => {
  const late = { isLate: true }
  const refused = 'OUT_OF_ORDER_SNAPSHOT: a newer snapshot was applied before'
  expect(said(late)).toBe('accepted')
  expect(said(late, { guards: { out_of_order: 'refuse' } })).toBe(refused)
  expect(said(late, { guards: { out_of_order: 'skip' }, force: FORCIBLE })).toBe(refused)
})

test('a snapshot that is broken, or has another number of rows than it declares, is refused', () => {
  const broken = { broken: 'it ends early', declaredRows: 10 }
  expect(said(broken)).toBe('INCOMPLETE_SNAPSHOT: it ends early')
  expect(said({ declaredRows: 10 })).toBe('accepted')
  expect(said({ declaredRows: 11 }, { force: FORCIBLE })).toBe(
    'INCOMPLETE_SNAPSHOT: it has 10 rows and declares 11',
  )
  expect(said({ declaredRows: 9 })).toBe('INCOMPLETE_SNAPSHOT: it has 10 rows and declares 9')
  expect(said({ declaredRows: 9 }, { guards: { row_count: 'ignore' } })).toBe(
    'INCOMPLETE_SNAPSHOT lifted',
  )
})

test('where nobody counts, a snapshot that is broken is refused all the same', () => {
  const ignoring = { guards: { row_count: 'ignore' } }
  expect(said({ broken: 'it ends early' }, ignoring)).toBe('INCOMPLETE_SNAPSHOT: it ends early')
  expect(said({ broken: 'it ends early', declaredRows: 11 }, ignoring)).toBe(
    'INCOMPLETE_SNAPSHOT: it ends early',
  )
})

test('null keys refuse a snapshot unless their rows are set aside', () => {
  expect(said({ nullKeys: 2 }, { force: FORCIBLE })).toBe(
    'NULL_KEY: a key is null in 2 of its rows',
  )
  expect(said({ nullKeys: 2 }, { guards: { null_key: 'quarantine' } })).toBe('NULL_KEY lifted')
})

test('rows of one key refuse a snapshot if they differ; copies do where the flow says so', () => {
  const differing = { conflicting: '7' }
  const copies = { repeated: '8' }
  const refused = (key: number) => `DUPLICATE_KEY: it has more than one row of the key ${key}`
  const by = (duplicate_key: string) => ({ guards: { duplicate_key }, force: FORCIBLE })
  expect(said(differing, { force: FORCIBLE })).toBe(refused(7))
  expect(said(copies)).toBe('accepted')
  expect(said(differing, by('refuse'))).toBe(refused(7))
  expect(said(copies, by('refuse'))).toBe(refused(8))
  expect(said({ ...differing, ...copies }, by('refuse'))).toBe(refused(8))
  expect(said(differing, by('first'))).toBe('DUPLICATE_KEY lifted')
  expect(said(differing, by('last'))).toBe('DUPLICATE_KEY lifted')
})

test('a row out of scope refuses a snapshot, whatever is forced', () => {
  expect(said({ outOfScope: '7' }, { force: FORCIBLE })).toBe(
    'ROW_OUT_OF_SCOPE: the row of the key 7 is outside its scope',
  )
})

test('columns that it lacks refuse a snapshot unless that is allowed or forced', () => {
  const lacking = { missingColumns: () => ['price', 'stock'] }
  expect(said(lacking, { force: ['empty', 'deletes', 'changes'] })).toBe(
    'COLUMN_MISSING: it has no column "price", "stock"',
  )
  expect(said(lacking, { guards: { column_missing: 'allow' } })).toBe('COLUMN_MISSING lifted')
  expect(said(lacking, { force: ['column_missing'] })).toBe('COLUMN_MISSING lifted')
})

test('an empty snapshot is refused if it would delete a row, and lifted for its deletions too', () => {
  const empty = { isEmpty: true, rows: 0, counts: counting({ deleted: 10 }) }
  const one = { ...empty, counts: counting({ deleted: 1, existing: 1 }) }
  expect(said({ ...empty, counts: counting({ existing: 0 }) })).toBe('accepted')
  expect(said(one)).toBe('EMPTY_SNAPSHOT: it is empty and would delete 1 rows')
  expect(said(empty, { force: ['deletes', 'changes', 'column_missing'] })).toBe(
    'EMPTY_SNAPSHOT: it is empty and would delete 10 rows',
  )
  expect(said(empty, { guards: { empty: 'allow' } })).toBe('EMPTY_SNAPSHOT lifted')
  expect(said(empty, { force: ['empty'] })).toBe('EMPTY_SNAPSHOT lifted')
  expect(said({ counts: counting({ deleted: 10 }) }, { force: ['empty'] })).toBe(
    'DELETE_THRESHOLD: it would delete 10 of 10 rows, max_delete_fraction is 0.2',
  )
})

test('more deletions than the share are refused, exactly the share is not, nor are few rows judged', () => {
  const deleting = (deleted: number, existing: number) => ({
    counts: counting({ deleted, existing }),
  })
  const refused = 'DELETE_THRESHOLD: it would delete 3 of 10 rows, max_delete_fraction is 0.2'
  expect(said(deleting(2, 10))).toBe('accepted')
  expect(said(deleting(3, 10))).toBe(refused)
  expect(said(deleting(9, 9))).toBe('accepted')
  expect(said(deleting(9, 9), { guards: { min_rows_for_fraction: 9 } })).toBe(
    'DELETE_THRESHOLD: it would delete 9 of 9 rows, max_delete_fraction is 0.2',
  )
  expect(said(deleting(0, 0), { guards: { min_rows_for_fraction: 0 } })).toBe('accepted')
  expect(said(deleting(10, 10), { guards: { max_delete_fraction: null } })).toBe('accepted')
  expect(said(deleting(3, 10), { force: ['empty', 'changes', 'column_missing'] })).toBe(refused)
  expect(said(deleting(3, 10), { force: ['deletes'] })).toBe('DELETE_THRESHOLD lifted')
})

test('more changed rows than the share are refused where there is one', () => {
  const changing = { counts: counting({ updated: 5 }) }
  const guards = { max_change_fraction: 0.4 }
  const refused = 'CHANGE_THRESHOLD: it would change 5 of 10 rows, max_change_fraction is 0.4'
  expect(said(changing)).toBe('accepted')
  expect(said(changing, { guards: { max_change_fraction: 0.5 } })).toBe('accepted')
  // Rows that come into the scope are changed, and none of those that were there.
  const moved = { counts: counting({ updated: 5, existing: 0 }) }
  expect(said(moved, { guards: { ...guards, min_rows_for_fraction: 0 } })).toBe('accepted')
  expect(said(changing, { guards, force: ['empty', 'deletes', 'column_missing'] })).toBe(refused)
  expect(said(changing, { guards, force: ['changes'] })).toBe('CHANGE_THRESHOLD lifted')
})
