import { expect, test } from 'vitest'
import { rowFormat } from '../../../src/cli/render/rows-format.ts'
import { rowsTable } from '../../../src/cli/render/rows-table.ts'
import type { OutputRow, Value } from '../../../src/index.ts'

const NAMES = ['id', 'name', 'note']

function row(...values: readonly Value[]): OutputRow {
  return { names: NAMES, values }
}

function written(format: string, rows: readonly OutputRow[], names = NAMES): string {
  const form = rowFormat(format, names)
  const body = rows.map((each, place) => form?.row(each, place) ?? '')
  return `${form?.head}${body.join('')}${form?.tail(rows.length)}`
}

const WIDE = { width: Infinity, dim: false }

test('a table shows numbers to the right, and null as ∅', () => {
  expect(rowsTable(NAMES, [row(1, 'Ann', null), row(12n, 'Bob', '')], WIDE)).toBe(`\
┌────┬──────┬──────┐
│ id │ name │ note │
├────┼──────┼──────┤
│  1 │ Ann  │ ∅    │
│ 12 │ Bob  │      │
└────┴──────┴──────┘
`)
})

test('a table on a terminal dims its nulls and cuts its widest cells', () => {
  const rows = [row(1, 'A name that is longer than the terminal', null)]
  const table = rowsTable(NAMES, rows, { width: 32, dim: true })
  expect(table.replace('\u001b[2m∅\u001b[22m', '∅')).toBe(`\
┌────┬──────────────────┬──────┐
│ id │ name             │ note │
├────┼──────────────────┼──────┤
│  1 │ A name that is … │ ∅    │
└────┴──────────────────┴──────┘
`)
  expect(table).toContain('\u001b[2m∅\u001b[22m')
})

test('a table without rows shows its columns', () => {
  expect(rowsTable(['id'], [], WIDE)).toBe(`\
┌────┐
│ id │
└────┘
`)
})

test('ndjson has every column of every row, with all digits', () => {
  const values = [
    12345678901234567890n,
    null,
    { type: 'decimal', text: '0.10000000000000000001' },
  ] as const
  expect(written('ndjson', [row(...values), row(1)])).toBe(
    '{"id":12345678901234567890,"name":null,"note":0.10000000000000000001}\n' +
      '{"id":1,"name":null,"note":null}\n',
  )
})

test('ndjson spells names, bytes, times and nested values as JSON does', () => {
  const values = [
    { type: 'bytes', text: 'ff00' },
    { type: 'timestamp', text: '2026-01-01T00:00:00Z' },
    { type: 'json', text: '{"a":[1,null]}' },
  ] as const
  expect(written('ndjson', [row(...values)], ['a"b', 'at', '\n'])).toBe(
    '{"a\\"b":"/wA=","at":"2026-01-01T00:00:00Z","\\n":{"a":[1,null]}}\n',
  )
})

test('ndjson of no rows is empty', () => {
  expect(written('ndjson', [])).toBe('')
})

test('json is one array', () => {
  expect(written('json', [row(1, 'Ann', null), row(2, 'Bob', true)])).toBe(
    '[\n{"id":1,"name":"Ann","note":null},\n{"id":2,"name":"Bob","note":true}\n]\n',
  )
  expect(written('json', [])).toBe('[]\n')
})

test('csv tells null from the empty text, and quotes what it must', () => {
  expect(written('csv', [row(1, null, ''), row(2, 'a "b", c', 'x\ny')])).toBe(
    'id,name,note\r\n1,,""\r\n2,"a ""b"", c","x\ny"\r\n',
  )
})
