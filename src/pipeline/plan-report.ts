import type { Expressions } from '../ports/expressions.ts'
import type { Decoded, Image, Source } from '../ports/source.ts'
import type { Store } from '../ports/store.ts'
import { visibleColumns } from '../core/target.ts'
import { describeSequenceType } from '../core/sequence.ts'
import type { FlowSpec } from './flow-spec-type.ts'
import { awaitsTopics } from './flow-spec-topics.ts'
import { describeFlow, warningsOf } from './flow-spec.ts'
import { freshFacts } from './target-facts.ts'
import { reconcile } from './reconcile.ts'
import { plannedPreset } from './plan-preset.ts'
import { RecordReader, type Arrival } from './record-reader.ts'
import { TargetDraft } from './target-draft.ts'

/** How many records are looked at to know the columns. */
const SAMPLE = 1_000

/** What a flow would do, with every default, and what to think twice about. */
export type PlanReport = {
  readonly flow: string
  readonly target: string
  readonly plan: Readonly<Record<string, unknown>>
  readonly warnings: readonly string[]
}

/** What a plan is worked out from. */
export type PlanTools = {
  /** All flows into the same target. */
  readonly into: readonly FlowSpec[]
  readonly store: Store | null
  readonly source: Source | null
  readonly expressions: Expressions
}

/**
 * Works out the plan of a flow from its configuration, its store if there is one, and the first
 * records of its source. Writes nothing.
 *
 * @throws TidemarkError what a run would stop at: `EXPRESSION_INVALID`, `TARGET_CHANGED`, `REFRESH_NEEDED`, `NOT_FOUND`
 */
export async function planReport(
  flow: FlowSpec,
  { into, store, source, expressions }: PlanTools,
): Promise<PlanReport> {
  const reconciled = store === null ? null : reconcile(store, into, flow, false)
  const draft = new TargetDraft(reconciled?.facts ?? freshFacts(into, flow))
  const reader = new RecordReader(flow, draft, expressions)
  const isExtract = flow.source.kind === 'snapshots'
  const look = isExtract ? reader.learnColumns.bind(reader) : reader.read.bind(reader)
  const sampled = source === null ? 0 : await sample(look, source)

  const { facts } = draft
  const preset = plannedPreset(flow)
  const known = store?.target(flow.target) ?? null
  return {
    flow: flow.name,
    target: flow.target,
    plan: {
      ...describeFlow(flow),
      resolved: {
        keys: facts.keys,
        columns: visibleColumns(facts),
        sequence_type:
          facts.sequenceType === null ? null : describeSequenceType(facts.sequenceType),
        target_exists: known !== null,
        history_told_again: reconciled?.recompute ?? false,
        sampled_records: sampled,
        ...(awaitsTopics(flow) ? { topics: 'found when it runs, each a flow of its own' } : {}),
        ...(preset === null ? {} : { preset }),
        streams: source === null ? [] : (await source.lag([])).map(({ name }) => name),
      },
    },
    warnings: [
      ...warningsOf(flow),
      ...reader.unmetColumns().map((name) => `no record had the column "${name}" yet`),
    ],
  }
}

/** Reads the first records for what columns they have; refusals are left for the run to report. */
async function sample(
  look: (image: Image, arrival: Arrival) => unknown,
  source: Source,
): Promise<number> {
  const limits = { maxRecords: SAMPLE, maxBytes: 16 * 1024 * 1024, maxDelayMs: 0 }
  const stop = new AbortController()
  for await (const { records } of source.read([], 'bounded', limits, stop.signal)) {
    for (const [i, record] of records.entries()) {
      const stream = { id: 0, flow: '', ...record.stream }
      const { decoded } = record
      for (const image of imagesOf(decoded)) look(image, { record, stream, part: i, past: null })
    }
    return records.length
  }
  return 0
}

function imagesOf(decoded: Decoded): readonly Image[] {
  if (decoded.kind === 'image') return [decoded]
  return decoded.kind === 'images' ? decoded.images : []
}
