import { expect, test } from 'vitest'
import { planText } from '../../../src/cli/render/plan.ts'

test('a plan reads like a flow file, with its warnings below', () => {
  const plan = {
    source: { files: ['feed/*.ndjson'], max_batch_records: 20000 },
    keys: ['userId'],
    apply_as_deletes: "operation = 'DELETE'",
    columns: {},
    where: null,
    once: false,
    expectations: [{ name: 'has_name', expect: 'name IS NOT NULL', on_violation: 'drop' }],
  }
  const warnings = ['column "nmae" was in no record so far']
  expect(planText([{ flow: 'customers', target: 'users', plan, warnings }])).toBe(`\
customers:
  target: users
  source:
    files: [feed/*.ndjson]
    max_batch_records: 20000
  keys: [userId]
  apply_as_deletes: "operation = 'DELETE'"
  columns: {}
  where: null
  once: false
  expectations:
    - name: has_name
      expect: name IS NOT NULL
      on_violation: drop

warning: customers: column "nmae" was in no record so far
`)
})

test('words that YAML would take for something else are quoted', () => {
  const plan = { on: 'yes', text: '12', empty: '', colon: 'a: b', list: ['no', 'fine'] }
  expect(planText([{ flow: 'a', target: 'a', plan, warnings: [] }])).toBe(`\
a:
  target: a
  "on": "yes"
  text: "12"
  empty: ""
  colon: "a: b"
  list: ["no", fine]

no warnings
`)
})
