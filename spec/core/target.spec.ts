import { expect, test } from 'vitest'
import {
  ENGINE_TIME,
  systemColumns,
  systemTypeOf,
  visibleColumns,
  type TargetFacts,
} from '../../src/core/target.ts'

const FACTS: TargetFacts = {
  name: 'people',
  kind: 2,
  layout: 'timeline',
  keys: ['id'],
  columns: ['id', 'later', 'name', 'secret'],
  seen: ['id', 'name', 'secret'],
  excluded: ['secret'],
  tracking: { mode: 'except', columns: [] },
  sequenceType: null,
  systemTime: 'engine',
  systemType: null,
  timed: false,
  feed: null,
}

test('readers see the columns that records have had, in order of appearance, but excluded ones', () => {
  expect(visibleColumns(FACTS)).toEqual(['id', 'name'])
})

test('the system columns are those of the kind', () => {
  expect(systemColumns({ kind: 1, timed: false })).toEqual([])
  expect(systemColumns({ kind: 2, timed: false })).toEqual(['__START_AT', '__END_AT'])
  expect(systemColumns({ kind: 'bitemporal', timed: false })).toEqual([
    '__START_AT',
    '__END_AT',
    '__SYSTEM_START_AT',
    '__SYSTEM_END_AT',
  ])
})

test('a flow with time_by has two more, between the axes', () => {
  expect(systemColumns({ kind: 2, timed: true })).toEqual([
    '__START_AT',
    '__END_AT',
    '__START_TIME',
    '__END_TIME',
  ])
  expect(systemColumns({ kind: 'bitemporal', timed: true }).slice(2, 4)).toEqual([
    '__START_TIME',
    '__END_TIME',
  ])
})

test('system time is a timestamp where the engine gives it, else what the data bring', () => {
  const number = { parts: ['number'] as const, list: false }
  expect(systemTypeOf(FACTS)).toEqual(ENGINE_TIME)
  expect(systemTypeOf({ systemTime: 'data', systemType: null })).toBe(null)
  expect(systemTypeOf({ systemTime: 'data', systemType: number })).toEqual(number)
})
