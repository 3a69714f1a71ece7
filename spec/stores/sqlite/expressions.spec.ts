import { afterAll, describe, expect, test } from 'vitest'
import { TidemarkError } from '../../../src/core/errors.ts'
import type { Value } from '../../../src/core/value.ts'
import { ExpressionError } from '../../../src/ports/expressions.ts'
import { SqliteExpressions } from '../../../src/stores/sqlite/expressions/sqlite-expressions.ts'

const expressions = new SqliteExpressions()
afterAll(() => {
  expressions[Symbol.dispose]()
})

/** The value of one expression over columns given by name; columns that it does not ask for are an error of the test. */
function valueOf(sql: string, record: Record<string, Value> = {}): Value | undefined {
  const { columns, evaluate } = expressions.compile([{ name: 'x', sql, kind: 'value' }])
  return evaluate(columns.map((name) => record[name] ?? null))[0]
}

function isTrue(sql: string, record: Record<string, Value> = {}): Value | undefined {
  const { columns, evaluate } = expressions.compile([{ name: 'x', sql, kind: 'condition' }])
  return evaluate(columns.map((name) => record[name] ?? null))[0]
}

function columnsOf(...sqls: string[]): readonly string[] {
  return expressions.compile(sqls.map((sql, n) => ({ name: String(n), sql, kind: 'value' })))
    .columns
}

/** Why a condition is refused, SQLite's reason only; `accepted` if it is not. */
function refusal(sql: string): unknown {
  try {
    expressions.compile([{ name: 'x', sql, kind: 'condition' }])
    return 'accepted'
  } catch (error) {
    if (error instanceof TidemarkError) return error.details['reason']
    throw error
  }
}

test('expressions of both kinds are compiled and evaluated together', () => {
  const { columns, evaluate } = expressions.compile([
    { name: 'apply_as_deletes', sql: "operation = 'DELETE'", kind: 'condition' },
    { name: 'where', sql: "operation LIKE 'd%' AND n > 1", kind: 'condition' },
    { name: 'double', sql: 'N * 2', kind: 'value' },
    { name: 'renamed', sql: 'flag', kind: 'value' },
  ])
  expect(columns).toEqual(['operation', 'n', 'flag'])
  expect(evaluate(['DELETE', 3, true])).toEqual([true, true, 6, true])
  expect(evaluate(['UPDATE', null, null])).toEqual([false, false, null, null])
})

test('no expressions need no columns', () => {
  const { columns, evaluate } = expressions.compile([])
  expect([columns, evaluate([])]).toEqual([[], []])
})

describe('columns', () => {
  test('are those that the expressions refer to, each once, whatever the case of its letters', () => {
    expect(columnsOf('a + B', 'b || c', 'upper(C)', "'d'", 'NULL', 'TRUE')).toEqual(['a', 'B', 'c'])
  })

  test('may have any name that is quoted', () => {
    expect(
      columnsOf('"user.id"', '`x`', '[y]', '"a`b"', '"a""b"', '`a``c`', '"straße"', '"a]b"'),
    ).toEqual(['user.id', 'x', 'y', 'a`b', 'a"b', 'a`c', 'straße', 'a]b'])
    expect(valueOf('"user.id" || [a"b]', { 'user.id': 'u', 'a"b': 'v' })).toBe('uv')
    expect(columnsOf('"result" || "filler"', 'rowid', '"select"')).toEqual([
      'result',
      'filler',
      'rowid',
      'select',
    ])
  })

  test('cannot be called true or false, names that SQLite hides', () => {
    expect(refusal('"true" = 1')).toMatch(/^no such column: "true"/)
  })

  test('with dots need quotes, and the message says so', () => {
    expect(refusal('user.id = 1')).toBe(
      'no such column: user.id (a name with dots needs quotes: "user.id")',
    )
  })
})

describe('values', () => {
  const exact: Value = { type: 'decimal', text: '1.00000000000000000001' }

  test('keep their SQLite type on the way in', () => {
    const type = (value: Value): unknown => valueOf('typeof(a)', { a: value })
    expect([1, 1.5, 2n ** 62n, true, null, 'x'].map(type)).toEqual([
      'integer',
      'real',
      'integer',
      'integer',
      'null',
      'text',
    ])
    expect(
      [10n ** 20n, 2n ** 64n, exact, { type: 'bytes', text: '00ff' } as const].map(type),
    ).toEqual(['real', 'text', 'text', 'blob'])
  })

  test('come out in the one representation that they have', () => {
    expect(valueOf('a + 1', { a: 41 })).toBe(42)
    expect(valueOf('a + 1', { a: 2n ** 53n })).toBe(2n ** 53n + 1n)
    expect(valueOf('a / 2.0', { a: 4 })).toBe(2)
    expect(valueOf('a * 1e20', { a: 1 })).toBe(10n ** 20n)
    expect(valueOf('-0.0 * a', { a: 1 })).toBe(0)
    expect(valueOf('1e308 * a', { a: 10 })).toEqual({ type: 'double', text: 'Infinity' })
    expect(valueOf('CAST(a AS BLOB)', { a: 'é' })).toEqual({ type: 'bytes', text: 'c3a9' })
    expect(valueOf("a || ''", { a: { type: 'date', text: '2026-01-02' } })).toBe('2026-01-02')
    expect(valueOf('a = 1', { a: true })).toBe(1)
  })

  test('of a column with nothing done to it come out as they went in', () => {
    const values: Value[] = [true, exact, 2n ** 64n, { type: 'json', text: '{"a":1}' }]
    expect(values.map((a) => valueOf('(a)', { a }))).toEqual(values)
  })

  test('inside JSON are within reach', () => {
    const a: Value = { type: 'json', text: '{"op":"d","n":[1,2]}' }
    expect(isTrue("a ->> 'op' = 'd'", { a })).toBe(true)
    expect(valueOf("json_extract(a, '$.n[1]')", { a })).toBe(2)
  })

  test('convert only where a cast says so', () => {
    expect(isTrue('a = 1', { a: '1' })).toBe(false)
    expect(isTrue('a + 0 = 1', { a: '1' })).toBe(true)
    expect(isTrue("CAST(a AS TEXT) = '1'", { a: 1 })).toBe(true)
  })
})

describe('a condition', () => {
  test('is true only if SQLite says so', () => {
    expect(['1', '0', 'x', '1x', '0.5'].map((a) => isTrue('a', { a }))).toEqual([
      true,
      false,
      false,
      true,
      true,
    ])
    expect(isTrue('a', { a: null })).toBe(false)
    expect(isTrue('NOT a > 1', { a: null })).toBe(false)
  })

  test('may end in a comment', () => {
    expect(isTrue('a > 1 -- more than one', { a: 2 })).toBe(true)
    expect(isTrue('a = 2 -- two', { a: 2 })).toBe(true)
  })
})

describe('at run time', () => {
  test('an expression that SQLite cannot evaluate is named', () => {
    const { evaluate } = expressions.compile([
      { name: 'fine', sql: 'upper(a)', kind: 'value' },
      { name: 'parsed', sql: "json_extract(a, '$.x')", kind: 'value' },
    ])
    expect(() => evaluate(['{'])).toThrow(new ExpressionError('parsed', 'malformed JSON'))
    expect(evaluate(['{"x":1}'])).toEqual(['{"X":1}', 1])
  })

  test('an integer overflow is an error, not another number', () => {
    expect(() => valueOf('abs(a)', { a: -(2n ** 63n) })).toThrow(
      new ExpressionError('x', 'integer overflow'),
    )
  })

  test('a record cannot bring in the clock', () => {
    expect(valueOf("datetime(a, '+1 day')", { a: '2026-01-31T10:00:00Z' })).toBe(
      '2026-02-01 10:00:00',
    )
    expect(valueOf("unixepoch(a, 'subsec')", { a: '2026-01-01' })).toBe(1767225600)
    expect(() => valueOf('date(a)', { a: 'now' })).toThrow(
      new ExpressionError('x', 'non-deterministic use of date()'),
    )
    expect(() => valueOf('datetime(a, b)', { a: '2026-01-01', b: 'localtime' })).toThrow(
      ExpressionError,
    )
  })
})

describe('refused when compiling', () => {
  test('is what SQLite cannot parse, with the name, the reason and the text', () => {
    const compile = (): unknown =>
      expressions.compile([{ name: 'apply_as_deletes', sql: 'operation = = 1', kind: 'condition' }])
    expect(compile).toThrow(
      'EXPRESSION_INVALID: condition "apply_as_deletes" is not valid: near "=": syntax error in operation = = 1',
    )
    expect(refusal('nope(a)')).toBe('no such function: nope')
    expect(refusal('a = b COLLATE french')).toBe('no such collation sequence: french')
    expect(refusal("a REGEXP 'x'")).toBe('no such function: REGEXP')
    expect(refusal('')).toBe('it is empty')
    expect(refusal('-- nothing')).toBe('it is empty')
  })

  test('is more than one expression', () => {
    expect(refusal('1) FROM x --')).toBe('unbalanced parentheses')
    expect(refusal('1), (2')).toBe('unbalanced parentheses')
    expect(refusal('((a)')).toBe('unbalanced parentheses')
    expect(refusal('1; DROP TABLE x')).toBe('near ";": syntax error')
    expect(refusal('a, b')).toBe('row value misused')
    expect(refusal('1 /* and on')).toBe('a comment does not end')
    expect(refusal("a = 'x")).toBe('a quote is not closed')
    expect(refusal('a\0')).toBe('it contains a NUL character')
    expect(refusal('a AS b')).toBe('near "AS": syntax error')
    expect(refusal('*')).toBe('near "*": syntax error')
  })

  test('are subqueries, aggregates and window functions', () => {
    expect(refusal('a IN (SELECT 1)')).toBe('subqueries prohibited')
    expect(refusal('EXISTS (VALUES (1))')).toBe('subqueries prohibited')
    expect(refusal('a IN pragma_user_version')).toBe('subqueries prohibited')
    expect(refusal('count(a) > 1')).toBe('misuse of aggregate function count()')
    expect(refusal('row_number() OVER ()')).toBe('misuse of window function row_number()')
  })

  test('are parameters, however spelled', () => {
    expect(['?', '?1', ':a', '@a', '$a'].map((sql) => refusal(`a = ${sql}`))).toEqual([
      'parameters prohibited: ?',
      'parameters prohibited: ?1',
      'parameters prohibited: :a',
      'parameters prohibited: @a',
      'parameters prohibited: $a',
    ])
    expect(refusal("a = '?' OR \"$b\" = ':c' -- :d")).toBe('accepted')
  })

  test('are functions that give another answer tomorrow', () => {
    const prohibited = 'non-deterministic functions prohibited'
    expect(
      ['random()', 'CURRENT_TIMESTAMP', 'current_date', 'changes()', 'sqlite_version()'].map(
        refusal,
      ),
    ).toEqual(Array.from({ length: 5 }, () => prohibited))
    expect(refusal("a > date('now')")).toBe('non-deterministic use of date()')
    expect(refusal('a > unixepoch()')).toBe('non-deterministic use of unixepoch()')
    expect(refusal("a = 1 AND b > strftime('%Y')")).toBe('non-deterministic use of strftime()')
    expect(refusal("CASE WHEN a THEN datetime(b, 'LocalTime') END")).toBe(
      'non-deterministic use of datetime()',
    )
    expect(refusal("date(lower('NOW')) > a")).toBe('non-deterministic use of date()')
    expect(refusal('load_extension(a)')).toBe('load_extension() prohibited')
    expect(refusal("RAISE(ABORT, 'x')")).toBe('RAISE() prohibited')
    expect(refusal("a = 'now' OR date(b, coalesce(c, 'utc')) = 'utc'")).toBe('accepted')
  })

  test('is nothing that only the values of a record decide', () => {
    expect(refusal("json_extract(coalesce(a, '{'), '$.x')")).toBe('accepted')
  })
})
