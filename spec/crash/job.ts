import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { jsonText, loadFlows, openTidemark } from '../../src/index.ts'
import { Random } from './random.ts'

/** Records a file of the feed has, and how many such files there are. */
const RECORDS = 400
const FILES = 3

/** Batches of this many records, so that a run has some hundred commits. */
const BATCH = 10

/** One flow of each kind. Where system time comes from the data, the cut into batches does not show. */
const FLOWS = [
  { target: 'latest', stored_as_scd_type: 1 },
  { target: 'partial', stored_as_scd_type: 1, ignore_null_updates: true },
  { target: 'history', stored_as_scd_type: 2, track_history_except_column_list: ['city'] },
  { target: 'sparse', stored_as_scd_type: 2, missing_columns: 'keep', time_by: 'at' },
  { target: 'beliefs', stored_as_scd_type: 'bitemporal', system_sequence_by: 'learnt' },
] as const

/** A folder with a feed, a flow file and a store. */
export class Job implements Disposable {
  readonly folder: string
  /** The flow file. */
  readonly flows: string
  /** The file of the store. */
  readonly store: string

  /** `place` is where the store is kept, the folder unless given. */
  constructor(place?: string) {
    this.folder = mkdtempSync(join(tmpdir(), 'tidemark-crash-'))
    this.flows = join(this.folder, 'flows.json')
    this.store = join(place ?? this.folder, 'store.db')
    mkdirSync(join(this.folder, 'feed'))
    writeFileSync(this.flows, JSON.stringify(flowFile(this.store)))
  }

  /** Path of a file of the feed. */
  feed(name: string): string {
    return join(this.folder, 'feed', name)
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** A job with a whole feed: some files, one of them packed. */
export function filledJob(seed: number, place?: string): Job {
  const job = new Job(place)
  const random = new Random(seed)
  for (let file = 1; file <= FILES; file += 1) {
    const lines = feedLines(random, RECORDS, (file - 1) * RECORDS)
    if (file === 2) writeFileSync(job.feed(`${file}.ndjson.gz`), gzipSync(lines.join('')))
    else writeFileSync(job.feed(`${file}.ndjson`), lines.join(''))
  }
  return job
}

/** Lines of a feed: some late, some deletions, a few truncates, one in fifty broken in one of several ways. */
export function feedLines(random: Random, count: number, from: number): string[] {
  return Array.from({ length: count }, (_, i) => line(random, from + i))
}

/** All that a job has come to, as far as it must not depend on how it was run. */
export type Result = {
  readonly tables: Readonly<Record<string, readonly string[]>>
  readonly counts: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly quarantine: readonly string[]
  readonly findings: readonly string[]
}

/** Reads what a job has come to. */
export async function resultOf(job: Job): Promise<Result> {
  using tidemark = openTidemark(loadFlows(job.flows, {}), { readOnly: true })
  const tables: Record<string, string[]> = {}
  for (const { target } of FLOWS) {
    const rows = [...tidemark.rows(target)]
    tables[target] = rows.map(({ values }) => values.map(jsonText).join())
  }
  const counts = Object.fromEntries(
    (await tidemark.status()).map((status) => [status.flow, lasting(status.counts)]),
  )
  const quarantine = Array.from(
    tidemark.quarantine(),
    ({ flow, stream, number, code, bytes }) =>
      `${flow} ${stream}:${number} ${code} ${Buffer.from(bytes).toString('base64')}`,
  )
  const findings = Array.from(tidemark.doctor(), ({ law, message }) => `${law}: ${message}`)
  return { tables, counts, quarantine: quarantine.toSorted(), findings }
}

/** How many records of a job are read so far, in all flows; 0 before there is a store. */
export async function readSoFar(job: Job): Promise<number> {
  try {
    using tidemark = openTidemark(loadFlows(job.flows, {}), { readOnly: true })
    const statuses = await tidemark.status()
    return statuses.reduce((sum, { counts }) => sum + counts.read, 0)
  } catch {
    return 0
  }
}

/** Counts that do not depend on the cut into batches. */
function lasting(counts: Readonly<Record<string, number>>): Record<string, number> {
  const { read = 0, accepted = 0, ignored = 0, dropped = 0, quarantined = 0, changes = 0 } = counts
  if (read !== accepted + ignored + dropped + quarantined) throw new Error('law 9 is broken')
  return { read, accepted, ignored, dropped, quarantined, changes }
}

function flowFile(store: string): unknown {
  return {
    store: { sqlite: store },
    flows: FLOWS.map((flow) => ({
      source: { files: 'feed/*', max_batch_records: BATCH },
      keys: ['id'],
      sequence_by: 's',
      apply_as_deletes: `op = 'D'`,
      apply_as_truncates: `op = 'T'`,
      where: `op <> 'H'`,
      except_column_list: ['op', 's', 'at', 'learnt'],
      expectations: [{ name: 'sane', expect: 'score < 97', on_violation: 'drop' }],
      max_refused_fraction: null,
      ...flow,
    })),
  }
}

/** What a broken record looks like. */
const BROKEN = [
  '{"id":1,"s":',
  '{"id":null,"s":1,"op":"U"}',
  '{"id":1,"s":null,"op":"U"}',
  '{"id":1,"s":"text","op":"U"}',
  '{"id":1,"s":1,"s":2,"op":"U"}',
  'nothing of the kind',
]

function line(random: Random, i: number): string {
  if (random.chance(0.02)) return `${random.pick(BROKEN)}\n`
  const late = random.chance(0.2) ? random.below(200) : 0
  const op = operation(random)
  return `${JSON.stringify({
    id: op === 'T' ? null : random.below(60),
    op,
    s: i - late,
    at: `2026-01-01T00:00:${String(i % 60).padStart(2, '0')}Z`,
    learnt: Math.floor((i + random.below(200)) / 200),
    score: random.below(100),
    name: random.pick(['Ann', 'Bob', null]),
    city: random.pick(['Rome', 'Oslo', 'Lima']),
    ...(random.chance(0.5) && { nested: { x: random.below(3), y: { z: random.pick([1, null]) } } }),
  })}\n`
}

function operation(random: Random): string {
  const at = random.fraction()
  if (at < 0.003) return 'T'
  if (at < 0.08) return 'D'
  return at < 0.11 ? 'H' : 'U'
}
