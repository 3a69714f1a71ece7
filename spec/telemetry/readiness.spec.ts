import { expect, test } from 'vitest'
import type { TelemetryEvent } from '../../src/ports/telemetry.ts'
import { Readiness } from '../../src/telemetry/readiness.ts'

const STARTED = { event: 'run_started', mode: 'continuous', flows: ['a', 'b'] } as const

test('nothing is ready before the run has started', () => {
  expect(drawn([])).toBe('503')
})

test('a run is ready once every flow has its source connected', () => {
  expect(drawn([STARTED])).toBe('503 a waiting, b waiting')
  expect(drawn([STARTED, connected('a')])).toBe('503 a connected, b waiting')
  expect(drawn([STARTED, connected('a'), connected('b')])).toBe('200 a connected, b connected')
})

test('a source that gave its lag or a snapshot is connected', () => {
  const readiness = new Readiness()
  readiness.note({ ...STARTED, flows: ['a'] })
  readiness.reached('a')
  expect(readiness.report()).toEqual({ ready: true, flows: [{ flow: 'a', state: 'connected' }] })
  const refused = {
    event: 'snapshot_refused',
    flow: 'b',
    snapshot: 's',
    version: null,
    rows: 0,
    seconds: 0,
    code: null,
    message: null,
  } as const
  expect(drawn([STARTED, connected('a'), refused])).toBe('200 a connected, b connected')
})

test('an outage lasts until the source says that it is over, whatever else answers', () => {
  const both = [STARTED, connected('a'), connected('b')] as const
  const began = { event: 'source_outage_began', flow: 'a', reason: 'gone' } as const
  const over = { event: 'source_outage_ended', flow: 'a', seconds: 3 } as const
  expect(drawn([...both, began])).toBe('503 a outage, b connected')
  expect(drawn([...both, began, over])).toBe('200 a connected, b connected')

  const readiness = new Readiness()
  for (const event of [...both, began]) readiness.note(event)
  readiness.reached('a')
  expect(readiness.report().ready).toBe(false)
})

test('a flow that failed keeps the run from being ready for good, one that ended does not', () => {
  const failed = { event: 'flow_failed', flow: 'a', code: 'BUG', message: '' } as const
  expect(drawn([STARTED, connected('b'), failed, connected('a')])).toBe('503 a failed, b connected')
  expect(drawn([STARTED, connected('b'), ended('a')])).toBe('200 a ended, b connected')
})

function connected(flow: string): TelemetryEvent {
  return { event: 'source_outage_ended', flow, seconds: 1 }
}

function ended(flow: string): TelemetryEvent {
  const counts = { read: 0, accepted: 0, ignored: 0, dropped: 0, quarantined: 0, changes: 0 }
  const more = { late: 0, ties: 0, warned: 0, batches: 0, seconds: 0, system_time: null }
  return { event: 'flow_ended', flow, ...counts, ...more }
}

function drawn(events: readonly TelemetryEvent[]): string {
  const readiness = new Readiness()
  for (const event of events) readiness.note(event)
  const { ready, flows } = readiness.report()
  const states = flows.map(({ flow, state }) => `${flow} ${state}`).join(', ')
  return `${ready ? 200 : 503} ${states}`.trim()
}
