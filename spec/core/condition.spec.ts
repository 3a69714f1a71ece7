import { expect, test } from 'vitest'
import { compileCondition, plainColumn } from '../../src/core/condition.ts'
import type { Value } from '../../src/core/value.ts'

/** `{columns} answer`, `slow` for a shape that is left to SQLite, `ask` for values that are. */
function judged(sql: string, ...values: Value[]): string {
  const condition = compileCondition(sql)
  if (condition === null) return 'slow'
  return `{${condition.columns.join()}} ${String(condition.test(values) ?? 'ask')}`
}

test('a column compares with a text', () => {
  expect(judged("operation = 'DELETE'", 'DELETE')).toBe('{operation} true')
  expect(judged("operation = 'DELETE'", 'delete')).toBe('{operation} false')
  expect(judged("operation == 'it''s'", "it's")).toBe('{operation} true')
  expect(judged("operation <> 'DELETE'", 'UPDATE')).toBe('{operation} true')
  expect(judged("'DELETE' != operation", 'DELETE')).toBe('{operation} false')
})

test('a column compares with an integer of up to 18 digits', () => {
  expect(judged('n = 7', 7)).toBe('{n} true')
  expect(judged('n = -7', -7)).toBe('{n} true')
  expect(judged('n = 7', 7.5)).toBe('{n} false')
  expect(judged('n = 900719925474099312', 900719925474099312n)).toBe('{n} true')
  expect(judged('n = 9223372036854775807', 1)).toBe('slow')
})

test('text is never a number', () => {
  expect(judged('n = 1', '1')).toBe('{n} false')
  expect(judged("n = '1'", 1)).toBe('{n} false')
})

test('booleans are 1 and 0', () => {
  expect(judged('deleted', true)).toBe('{deleted} true')
  expect(judged('deleted = 1', true)).toBe('{deleted} true')
  expect(judged('deleted = TRUE', 1)).toBe('{deleted} true')
  expect(judged('NOT deleted', false)).toBe('{deleted} true')
  expect(judged("deleted = 'true'", true)).toBe('{deleted} false')
})

test('null is not true, and neither is its negation', () => {
  expect(judged("a = 'x'", null)).toBe('{a} false')
  expect(judged("NOT a = 'x'", null)).toBe('{a} false')
  expect(judged('a = NULL', null)).toBe('{a} false')
  expect(judged("a <> 'x' OR TRUE", null)).toBe('{a} true')
  expect(judged("NOT (a = 'x' AND FALSE)", null)).toBe('{a} true')
})

test('a column that the record lacks is null', () => {
  expect(judged('a IS NULL')).toBe('{a} true')
})

test('IS compares with null', () => {
  expect(judged('a IS NULL', null)).toBe('{a} true')
  expect(judged('a ISNULL', 1)).toBe('{a} false')
  expect(judged('a IS NOT NULL', 1)).toBe('{a} true')
  expect(judged('a NOTNULL', null)).toBe('{a} false')
  expect(judged('a NOT NULL', 'x')).toBe('{a} true')
  expect(judged("a IS NOT 'x'", null)).toBe('{a} true')
})

test('IS TRUE asks for truth, = TRUE for one', () => {
  expect(judged('n IS TRUE', 2)).toBe('{n} true')
  expect(judged('n = TRUE', 2)).toBe('{n} false')
  expect(judged('n IS NOT TRUE', null)).toBe('{n} true')
  expect(judged('n IS FALSE', 0)).toBe('{n} true')
})

test('IN looks for one of several values', () => {
  expect(judged("op IN ('d', 'x')", 'd')).toBe('{op} true')
  expect(judged("op IN ('d', 'x')", 'c')).toBe('{op} false')
  expect(judged("op NOT IN ('d', NULL)", 'c')).toBe('{op} false')
  expect(judged("op NOT IN ('d', 'x')", null)).toBe('{op} false')
})

test('NOT binds tighter than AND, AND tighter than OR, comparisons to the left', () => {
  expect(judged('a OR b AND NOT c', 1, 0, 1)).toBe('{a,b,c} true')
  expect(judged('(a OR b) AND NOT c', 1, 0, 1)).toBe('{a,b,c} false')
  expect(judged('NOT a = 2', 1)).toBe('{a} true')
  expect(judged('a = 2 = 0', 1)).toBe('{a} true')
})

test('names in double quotes, backticks and brackets are columns, in any case of A to Z', () => {
  expect(judged('"user.id" = 1 AND `a b` = 2 AND [c] = 3', 1, 2, 3)).toBe('{user.id,a b,c} true')
  expect(judged('"a""b" = 1', 1)).toBe('{a"b} true')
  expect(judged('Op = 1 OR OP = 2 OR "op" = 3', 3)).toBe('{Op} true')
})

test('comments and line breaks are passed over', () => {
  expect(judged("/* gone */ op\n = 'd' -- deleted", 'd')).toBe('{op} true')
})

test('known columns keep their places', () => {
  expect(compileCondition('b = 1', ['a', 'B'])?.columns).toEqual(['a', 'B'])
  expect(compileCondition('b = 1', ['a', 'B'])?.test([0, 1])).toBe(true)
})

test('SQLite is asked for the truth of a text, for bytes and for integers beyond 64 bits', () => {
  expect(judged('a', '1st')).toBe('{a} ask')
  expect(judged("a = 'x'", { type: 'bytes', text: '78' })).toBe('{a} ask')
  expect(judged("a = 'x'", 2n ** 64n)).toBe('{a} ask')
  expect(judged('a IN (NULL, 1) IS NULL', 2n ** 64n)).toBe('{a} ask')
  expect(judged("a AND b = 'x'", 'text', 'y')).toBe('{a,b} false')
})

test('every other shape is left to SQLite', () => {
  const shapes = ['a < 1', 'a = b', "a LIKE 'x'", 'a = 1.0', 'a = 0x10', "a = x'00'", 'f(a)', 't.a']
  expect(shapes.map((sql) => judged(sql))).toEqual(shapes.map(() => 'slow'))
  const more = ['a = 1 + 1', "a = 'x' COLLATE NOCASE", 'a BETWEEN 1 AND 2', 'a IN ()', 'a IN (b)']
  expect(more.map((sql) => judged(sql))).toEqual(more.map(() => 'slow'))
  const odd = ['', 'a =', '(a', "a = 'x", 'a IS NOT DISTINCT FROM 1', 'a = (b)', "a = '\ufffd'"]
  expect(odd.map((sql) => judged(sql))).toEqual(odd.map(() => 'slow'))
})

test('a nest deeper than a hundred parentheses is left to SQLite', () => {
  expect(judged(`${'('.repeat(101)}a${')'.repeat(101)}`, 1)).toBe('slow')
})

test('a column with nothing done to it is told from an expression', () => {
  expect(['a', '"a b"', '( ( a ) )', '[x] -- a'].map(plainColumn)).toEqual(['a', 'a b', 'a', 'x'])
  expect(['+a', 'NULL', 'TRUE', "'a'", '1', 'f(a)', '(a', 'a, b', ''].map(plainColumn)).toEqual(
    Array.from({ length: 9 }, () => null),
  )
})
