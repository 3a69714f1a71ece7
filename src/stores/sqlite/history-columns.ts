import type { TargetFacts } from '../../core/target.ts'
import { columnNames } from './names.ts'
import { STAMP_COLUMNS } from './stamp-codec.ts'

/**
 * Columns of a table of versions: `k` the key; `a` and `z` start and end as sequences, `an` and
 * `zn` as natural values; `since`, `until` and their natural values the system interval of a
 * bitemporal row; `w0`, `w1` the `time_by` values with their tags; then the entry that the
 * version shows: its stamp (`s` null where it is the start), `cm` its commit, `patch` what it
 * wrote if not everything, `tm` its time; `tags` and the target's own columns.
 */
export function versionColumns(facts: TargetFacts): string[] {
  return [
    'k',
    'a',
    'an',
    'z',
    'zn',
    ...(facts.kind === 'bitemporal' ? ['since', 'sincen', 'until', 'untiln'] : []),
    ...(facts.timed ? ['wtags', 'w0', 'w1'] : []),
    ...STAMP_COLUMNS,
    'cm',
    'patch',
    'tm',
    'tags',
    ...columnNames(facts.columns.length),
  ]
}

/** Columns of the table of hidden entries: `op` is `u` or `d`; the target's columns hold the row after the entry. */
export function hiddenColumns(facts: TargetFacts): string[] {
  return [
    'k',
    'op',
    ...STAMP_COLUMNS,
    'cm',
    'patch',
    'tm',
    'tags',
    ...columnNames(facts.columns.length),
  ]
}
