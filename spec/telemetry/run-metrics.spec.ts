import { expect, test } from 'vitest'
import type { BatchCommitted, TelemetryEvent } from '../../src/ports/telemetry.ts'
import { RunMetrics } from '../../src/telemetry/run-metrics.ts'

const STARTED = { event: 'flow_started', flow: 'f', target: 't', source: 'kafka' } as const
const BATCH: BatchCommitted = {
  event: 'batch_committed',
  flow: 'f',
  read: 10,
  accepted: 4,
  ignored: 3,
  dropped: 1,
  quarantined: 2,
  changes: 5,
  late: 2,
  ties: 1,
  warned: 3,
  ignored_by: { where: 2, heartbeat: 1 },
  quarantined_by: { NULL_KEY: 2 },
  unknown_values: 7,
  bytes: 1_000,
  seconds: 0.25,
  system_time: null,
}

test('a flow that has started has its figures, all of them 0', async () => {
  const figures = await figuresOf(metricsOf([STARTED]))
  const others = figures.filter((figure) => !figure.endsWith(' 0'))
  expect(others).toEqual(['tidemark_flow_info{flow="f",target="t",source="kafka"} 1'])
  expect(figures).toContain('tidemark_records_read_total{flow="f"} 0')
  expect(figures).toContain('tidemark_commit_seconds_count{flow="f"} 0')
})

test('each commit is added, ignored records by reason and quarantined ones by code', async () => {
  const figures = await figuresOf(metricsOf([STARTED, BATCH, { ...BATCH, late: 0 }]))
  const shown = figures.filter((each) => !/_bucket|last_commit|_outages|_warnings|info/.test(each))
  expect(shown).toEqual([
    'tidemark_records_read_total{flow="f"} 20',
    'tidemark_records_accepted_total{flow="f"} 8',
    'tidemark_records_ignored_total{flow="f",reason="where"} 4',
    'tidemark_records_ignored_total{flow="f",reason="heartbeat"} 2',
    'tidemark_records_dropped_total{flow="f"} 2',
    'tidemark_records_quarantined_total{flow="f",code="NULL_KEY"} 4',
    'tidemark_records_warned_total{flow="f"} 6',
    'tidemark_read_bytes_total{flow="f"} 2000',
    'tidemark_changes_total{flow="f"} 10',
    'tidemark_late_changes_total{flow="f"} 2',
    'tidemark_sequence_ties_total{flow="f"} 2',
    'tidemark_unknown_values_total{flow="f"} 14',
    'tidemark_batches_total{flow="f"} 2',
    'tidemark_commit_seconds_sum{flow="f"} 0.5',
    'tidemark_commit_seconds_count{flow="f"} 2',
    'tidemark_batch_records_sum{flow="f"} 20',
    'tidemark_batch_records_count{flow="f"} 2',
  ])
})

test('reasons beyond the twentieth are one', async () => {
  const reasons = Array.from({ length: 25 }, (_, i) => [`reason ${i}`, 1])
  const ignored_by = Object.fromEntries(reasons) as Record<string, number>
  const figures = await figuresOf(metricsOf([{ ...BATCH, ignored_by }]))
  const shown = figures.filter((figure) => figure.startsWith('tidemark_records_ignored_total'))
  expect(shown.length).toBe(21)
  expect(shown.at(-1)).toBe('tidemark_records_ignored_total{flow="f",reason="other"} 5')
})

test('the lag is that of the last sample: a figure per partition, one for all files', async () => {
  const metrics = metricsOf([])
  metrics.sampled('f', [
    { name: 'a', partition: 0, behind: 5, unit: 'records' },
    { name: 'a', partition: 1, behind: 6, unit: 'records' },
  ])
  metrics.sampled('f', [{ name: 'a', partition: 1, behind: 7, unit: 'records' }])
  metrics.sampled('g', [
    { name: 'x.csv', partition: 0, behind: 10, unit: 'bytes' },
    { name: 'y.csv', partition: 0, behind: 20, unit: 'bytes' },
  ])
  expect(await lagOf(metrics)).toEqual([
    'tidemark_lag_up{flow="f"} 1',
    'tidemark_lag_up{flow="g"} 1',
    'tidemark_lag_records{flow="f",topic="a",partition="1"} 7',
    'tidemark_lag_bytes{flow="g"} 30',
  ])

  metrics.sampled('f', null)
  metrics.forgetLag('g')
  expect(await lagOf(metrics)).toEqual([
    'tidemark_lag_up{flow="f"} 0',
    'tidemark_lag_records{flow="f",topic="a",partition="1"} 7',
  ])
})

test('snapshots are counted by outcome, outages and warnings each', async () => {
  const told = { flow: 'f', snapshot: 's', version: '1', rows: 1, seconds: 0 } as const
  const rows = { inserted: 1, updated: 0, deleted: 0, unchanged: 0, late: false } as const
  const metrics = metricsOf([
    { event: 'snapshot_done', ...told, ...rows, outcome: 'applied' },
    { event: 'snapshot_done', ...told, ...rows, outcome: 'replayed' },
    { event: 'snapshot_refused', ...told, code: 'EMPTY_SNAPSHOT', message: 'm' },
    { event: 'source_outage_began', flow: 'f', reason: 'r' },
    { event: 'warning', flow: 'f', message: 'm' },
  ])
  expect(await figuresOf(metrics)).toEqual([
    'tidemark_snapshots_total{flow="f",outcome="applied"} 1',
    'tidemark_snapshots_total{flow="f",outcome="replayed"} 1',
    'tidemark_snapshots_total{flow="f",outcome="refused"} 1',
    'tidemark_warnings_total{flow="f"} 1',
    'tidemark_source_outages_total{flow="f"} 1',
  ])
})

function metricsOf(events: readonly TelemetryEvent[]): RunMetrics {
  const metrics = new RunMetrics(() => ({ ready: false, flows: [] }))
  for (const event of events) metrics.note(event)
  return metrics
}

/** The lines with figures of flows. */
async function figuresOf(metrics: RunMetrics): Promise<readonly string[]> {
  const { body } = await metrics.text()
  return body.split('\n').filter((line) => line.startsWith('tidemark_'))
}

async function lagOf(metrics: RunMetrics): Promise<readonly string[]> {
  return (await figuresOf(metrics)).filter((line) => line.startsWith('tidemark_lag_'))
}
