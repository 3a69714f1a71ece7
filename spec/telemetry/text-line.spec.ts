import { expect, test } from 'vitest'
import { textLine } from '../../src/telemetry/text-line.ts'

const AT = new Date('2026-01-31T09:31:02.999Z')

test('a line has the time, the level, the event, the flow and the other fields', () => {
  const told = { event: 'source_outage_ended', flow: 'crm', seconds: 12.3456789 } as const
  expect(textLine(told, AT)).toBe('09:31:02 info  source_outage_ended crm seconds=12.345679')
})

test('a value that is no plain word is JSON', () => {
  const told = { event: 'warning', flow: 'my flow', message: 'say "no"' } as const
  expect(textLine(told, AT)).toBe(String.raw`09:31:02 warn  warning "my flow" message="say \"no\""`)
})

test('what would move the cursor or reorder the line is spelled out', () => {
  const told = { event: 'warning', flow: 'a\u001b[2J', message: '\u202eevil\u009b\n' } as const
  expect(textLine(told, AT)).toBe(
    String.raw`09:31:02 warn  warning "a\u001b[2J" message="\u202eevil\u009b\n"`,
  )
})

test('what is empty is left out, a list has commas', () => {
  const refused = {
    event: 'snapshot_refused',
    flow: 'p',
    snapshot: 'a.csv',
    version: null,
    rows: 0,
    seconds: 1,
    code: 'NULL_VERSION',
    message: null,
  } as const
  expect(textLine(refused, AT)).toBe(
    '09:31:02 warn  snapshot_refused p snapshot=a.csv code=NULL_VERSION rows=0 seconds=1',
  )
  expect(textLine({ event: 'run_started', mode: 'bounded', flows: ['a', 'b c'] }, AT)).toBe(
    '09:31:02 info  run_started mode=bounded flows=a,"b c"',
  )
})
