import { expect, test } from 'vitest'
import { TidemarkError } from '../../src/core/errors.ts'
import { describeFlow, parseFlowFile, warningsOf } from '../../src/pipeline/flow-spec.ts'

function flow(source: object = {}, options: object = {}) {
  const given = { target: 't', keys: 'id', source: { snapshots: 'x/*.csv', ...source }, ...options }
  const [only] = parseFlowFile({ store: { memory: true }, flows: [given] }, '/').flows
  if (only === undefined) throw new Error('no flow')
  return only
}

function wrong(source: object, options: object = {}): string {
  try {
    flow(source, options)
  } catch (error) {
    if (error instanceof TidemarkError) return error.message
    throw error
  }
  return 'accepted'
}

test('a flow of snapshots is ordered by their versions, by default the time of the run', () => {
  expect(describeFlow(flow())['source']).toMatchObject({
    version: 'run',
    guards: {
      empty: 'refuse',
      max_delete_fraction: 0.2,
      max_change_fraction: null,
      min_rows_for_fraction: 10,
      duplicate_key: 'refuse_conflicting',
      null_key: 'refuse',
      row_count: 'check',
      column_missing: 'refuse',
      out_of_order: 'insert',
    },
    scope: null,
    missing_rows: 'delete',
    delete_after: 1,
  })
  expect(describeFlow(flow())).not.toHaveProperty('sequence_by')
  expect(warningsOf(flow())).toEqual([])
})

test('what is shown of a version can be read again', () => {
  const version = { file_name: '(\\d+)', type: 'integer' }
  expect(describeFlow(flow({ version }))['source']).toMatchObject({ version })
  expect(describeFlow(flow({ version: 'manifest' }))['source']).toMatchObject({
    version: { manifest: true, type: null },
  })
})

test('what only change events can say is refused, and a scope needs a manifest', () => {
  expect(wrong({}, { sequence_by: 'v' })).toBe(
    'SPEC_INVALID: flows[0].sequence_by: is not for snapshots; say where source.version comes from',
  )
  expect(wrong({}, { apply_as_deletes: 'x = 1' })).toBe(
    'SPEC_INVALID: flows[0].apply_as_deletes: is not for snapshots, which state the whole table',
  )
  expect(wrong({ scope: 'p' })).toBe(
    'SPEC_INVALID: flows[0].source.scope: needs version: manifest, which says what each snapshot is limited to',
  )
  expect(wrong({}, { system_sequence_by: 'v', stored_as_scd_type: 'bitemporal' })).toBe(
    'SPEC_INVALID: flows[0].system_sequence_by: is not for snapshots, which state the whole table',
  )
  expect(wrong({ from_version: 3 })).toBe(
    'SPEC_INVALID: flows[0].source.from_version: needs a version, which the time of the run is not',
  )
  expect(wrong({ version: 'modified', from_version: 2 ** 53 })).toBe(
    'SPEC_INVALID: flows[0].source.from_version: must be a version: text, or a whole number, in quotes from 2^53 on, not 9007199254740992',
  )
  expect(wrong({ version: { file_name: 'no group' } })).toContain('with a group around the version')
  expect(wrong({ missing_rows: 'ignore', delete_after: 2 })).toBe(
    'SPEC_INVALID: flows[0].source.delete_after: needs missing_rows: delete',
  )
})

test('a URL that is none is answered with what one looks like, and not repeated', () => {
  const query = 'select 1'
  expect(wrong({ snapshots: { postgres: 'http://me:hush@host', query } })).toBe(
    'SPEC_INVALID: flows[0].source.snapshots.postgres: needs a URL such as postgres://user:password@host:5432/database',
  )
  expect(wrong({ snapshots: { mysql: 'nowhere', query } })).toBe(
    'SPEC_INVALID: flows[0].source.snapshots.mysql: needs a URL such as mysql://user:password@host:3306/database',
  )
})
