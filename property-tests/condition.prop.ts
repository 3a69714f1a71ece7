import Database from 'better-sqlite3'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileCondition } from '../src/core/condition.ts'
import type { Value } from '../src/core/value.ts'
import { SqliteExpressions } from '../src/stores/sqlite/expressions/sqlite-expressions.ts'

const numRuns = Number(process.env['FC_RUNS'] ?? 500)
const COLUMNS = ['a', 'b', 'user.id']

/** Few texts and numbers, the same in conditions and values, so that they meet: `1`, `'1'`, TRUE, `'DELETE'`, `'delete'`. */
const TEXTS = ['', '0', '1', '1.0', ' 1', '1x', 'true', 'DELETE', 'delete', "it's", 'null', '-7']
const INTEGERS = [0n, 1n, 2n, -7n, 2n ** 53n, 2n ** 53n + 1n, 10n ** 17n]

const text = fc.constantFrom(...TEXTS)
const column = fc.constantFrom('a', 'A', '"a"', '`b`', '[b]', 'b', '"user.id"', '[User.ID]')
const literal = fc.oneof(
  text.map((content) => `'${content.replaceAll("'", "''")}'`),
  fc.constantFrom(...INTEGERS).map(String),
  fc.constantFrom('NULL', 'null', 'TRUE', 'true', 'FALSE', '(TRUE)', '- 1'),
)

const { condition } = fc.letrec<{ condition: string; test: string; operand: string }>((tie) => ({
  operand: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'condition' },
    { arbitrary: column, weight: 4 },
    { arbitrary: literal, weight: 2 },
    { arbitrary: tie('condition').map((inner) => `(${inner})`), weight: 1 },
  ),
  test: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'condition' },
    tie('operand'),
    fc
      .tuple(tie('operand'), fc.constantFrom('=', '==', '<>', '!=', 'IS', 'is not'), literal)
      .map((parts) => parts.join(' ')),
    fc
      .tuple(literal, fc.constantFrom('=', '<>', 'IS', 'IS NOT'), tie('operand'))
      .map((parts) => parts.join(' ')),
    fc
      .tuple(
        tie('test'),
        fc.constantFrom('IN', 'NOT IN'),
        fc.array(literal, { minLength: 1, maxLength: 4 }),
      )
      .map(([left, word, items]) => `${left} ${word} (${items.join(', ')})`),
    fc
      .tuple(
        tie('test'),
        fc.constantFrom('IS NULL', 'ISNULL', 'IS NOT NULL', 'NOTNULL', 'NOT NULL', '= 1'),
      )
      .map((parts) => parts.join(' ')),
  ),
  condition: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'condition' },
    tie('test'),
    tie('condition').map((inner) => `NOT ${inner}`),
    fc
      .tuple(tie('condition'), fc.constantFrom('AND', 'OR', 'and', '/* or */ or'), tie('condition'))
      .map((parts) => parts.join(' ')),
  ),
}))

const value: fc.Arbitrary<Value> = fc.oneof(
  fc.constantFrom<Value>(null, true, false, 0.5, 1e-7),
  text,
  fc.constantFrom(...INTEGERS).map((n) => (Number.isSafeInteger(Number(n)) ? Number(n) : n)),
  fc.constantFrom<Value>(2n ** 63n, 10n ** 20n, -(2n ** 63n), { type: 'bytes', text: '31' }),
  fc.constantFrom<Value>(
    { type: 'decimal', text: '0.1000000000000000000001' },
    { type: 'json', text: '[1]' },
  ),
)
const values = fc.tuple(value, value, value)

/** SQLite on its own: bound as plainly as can be, judged by a WHERE. */
function trueInSqlite(database: Database.Database, sql: string, row: readonly Value[]): boolean {
  return (
    database
      .prepare(`SELECT 1 FROM (SELECT ? AS a, ? AS b, ? AS "user.id") WHERE ${sql}`)
      .get(row.map(plainlyBound)) !== undefined
  )
}

function plainlyBound(cell: Value): unknown {
  if (typeof cell === 'boolean') return cell ? 1n : 0n
  if (typeof cell === 'number' && Number.isInteger(cell)) return BigInt(cell)
  if (cell === 10n ** 20n) return 1e20
  if (cell === 2n ** 63n) return '9223372036854775808'
  if (typeof cell !== 'object' || cell === null) return cell
  return cell.type === 'bytes' ? Buffer.from(cell.text, 'hex') : cell.text
}

test('a condition judged without SQLite is judged as SQLite judges it', () => {
  const database = new Database(':memory:')
  fc.assert(
    fc.property(condition, values, (sql, row) => {
      const compiled = compileCondition(sql, COLUMNS)
      expect(compiled?.columns).toEqual(COLUMNS)
      expect(compiled?.test(row) ?? trueInSqlite(database, sql, row)).toBe(
        trueInSqlite(database, sql, row),
      )
    }),
    { numRuns },
  )
})

test('expressions compiled together answer as each would alone', () => {
  using expressions = new SqliteExpressions()
  const database = new Database(':memory:')
  const slower = condition.map((sql) => `coalesce(NULL, ${sql})`)
  fc.assert(
    fc.property(fc.array(fc.oneof(condition, slower), { maxLength: 4 }), values, (sqls, row) => {
      const { columns, evaluate } = expressions.compile(
        sqls.map((sql, n) => ({ name: String(n), sql, kind: 'condition' })),
      )
      const handed = columns.map((name) => row[COLUMNS.indexOf(name.toLowerCase())] ?? null)
      expect(evaluate(handed)).toEqual(sqls.map((sql) => trueInSqlite(database, sql, row)))
    }),
    { numRuns: Math.ceil(numRuns / 5) },
  )
})
