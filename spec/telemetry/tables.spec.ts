import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { EVENTS } from '../../src/telemetry/events.ts'
import { METRICS } from '../../src/telemetry/metrics.ts'
import { RunMetrics } from '../../src/telemetry/run-metrics.ts'
import { tableUnder } from '../markdown.ts'

const PAGE = await readFile(fileURLToPath(new URL('../telemetry.md', import.meta.url)), 'utf8')

test('the page has every event with its level, fields and meaning, and no other', () => {
  const rows = Object.entries(EVENTS).map(([name, { level, fields, meaning }]) => [
    code([name]),
    level,
    code(fields),
    meaning,
  ])
  expect(tableUnder(PAGE, '## Events')).toEqual(rows)
})

test('the page has every metric with its kind, unit, labels and meaning, and no other', () => {
  const rows = Object.entries(METRICS).map(([name, { kind, unit, labels, meaning }]) => [
    code([name]),
    kind,
    unit,
    code(labels),
    meaning,
  ])
  expect(tableUnder(PAGE, '## Metrics')).toEqual(rows)
})

test('the endpoint has every metric of the table, and no other', async () => {
  const { body } = await new RunMetrics(() => ({ ready: false, flows: [] })).text()
  const served = [...body.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(
    ([, name, kind]) => `${name} ${kind}`,
  )
  const table = Object.entries(METRICS).map(([name, { kind }]) => `${name} ${kind}`)
  expect(served.toSorted()).toEqual(table.toSorted())
})

test('every metric ends in its base unit, and every counter in total', () => {
  const odd = Object.entries(METRICS).filter(([name, { kind, unit }]) => {
    const [base = ''] = unit.split(' ')
    const stem = kind === 'counter' ? name.replace(/_total$/, '') : name
    if (kind === 'counter' && stem === name) return true
    return ['seconds', 'bytes'].includes(base) && !stem.endsWith(`_${base}`)
  })
  expect(odd).toEqual([])
})

function code(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ')
}
