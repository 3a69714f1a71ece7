import { expect, test } from 'vitest'
import { openTidemark, parseFlows } from '../../src/index.ts'
import type { Tidemark, Value } from '../../src/index.ts'

const FLOW = {
  target: 't',
  source: { events: true },
  keys: 'id',
  sequence_by: 's',
  stored_as_scd_type: 2,
  time_by: 'at',
}

test('rows that held at a time are found by the time as it is written', () => {
  using opened = timed({ at: 'timestamp' })
  opened.apply('t', [
    { id: 1, s: 1, at: '2026-01-01T00:00:00Z' },
    { id: 1, s: 2, at: '2026-02-01T00:00:00Z' },
  ])
  expect(sequences(opened, '2026-01-15')).toEqual([1])
  expect(sequences(opened, '2026-02-01T00:00:00Z')).toEqual([2])
  expect(sequences(opened, '2025-12-31')).toEqual([])
})

test.each(['yesterday', '2026-13-45', 5])('%j is no time where the times are timestamps', (at) => {
  using opened = timed({ at: 'timestamp' })
  opened.apply('t', [
    { id: 1, s: 1, at: null },
    { id: 2, s: 1, at: '2026-01-01T00:00:00Z' },
  ])
  expect(() => sequences(opened, at)).toThrow('USAGE: --as-of-time wants a timestamp')
})

test('a number is the time where the times are numbers', () => {
  using opened = timed({})
  opened.apply('t', [{ id: 1, s: 1, at: 10 }])
  expect(sequences(opened, 10)).toEqual([1])
  expect(() => sequences(opened, '2026-01-01')).toThrow('USAGE: --as-of-time wants a number')
})

test('before any time is known, a timestamp or a number will do', () => {
  using opened = timed({})
  opened.apply('t', [{ id: 1, s: 1, at: null }])
  expect([sequences(opened, '2026-01-01'), sequences(opened, 5)]).toEqual([[], []])
  expect(() => sequences(opened, 'yesterday')).toThrow(
    'USAGE: --as-of-time wants a timestamp or number',
  )
})

function timed(columns: Readonly<Record<string, string>>): Tidemark {
  return openTidemark(parseFlows({ store: { memory: true }, flows: [{ ...FLOW, columns }] }, '.'))
}

function sequences(opened: Tidemark, asOfTime: Value): readonly Value[] {
  return [...opened.rows('t', { asOfTime })].map(
    ({ names, values }) => values[names.indexOf('s')] ?? null,
  )
}
