import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TidemarkError } from '../../src/core/errors.ts'
import { messageFormat } from '../../src/formats/message-formats.ts'
import type { FlowSpec } from '../../src/pipeline/flow-spec-type.ts'
import type { Checkpoint, Source } from '../../src/ports/source.ts'
import { CODECS } from '../../src/sources/kafka/codecs.ts'
import { openKafka } from '../../src/sources/kafka/kafka.ts'
import { kafkaOptions } from '../../src/wire-kafka.ts'
import { isArray, isObject, type Json, type JsonObject } from '../conformance/json.ts'
import { brokerOf, scriptOf } from '../kafka/feed-case-broker.ts'
import { CaseRun, type Outcome, type Place } from './case-run.ts'
import { textOf, type FeedCase } from './feed-case.ts'

/** What a run made of a broker that behaves as a case has it. */
export type Situation = {
  readonly outcome: Outcome
  readonly applied: readonly Place[]
  /** Code and text of what stopped the run; null if it ended by itself. */
  readonly fault: { readonly code: string; readonly text: string } | null
}

/** Runs a flow against the broker of a case, from where the case has it stand. */
export async function situationOf(feed: FeedCase): Promise<Situation> {
  const base = await mkdtemp(join(tmpdir(), 'tidemark-feed-'))
  try {
    await using broker = await brokerOf(feed)
    const { topics, events } = scriptOf(feed)
    const groups = events.some(({ kind }) => kind === 'rebalance') ? { group_id: 'case' } : {}
    const kafka = {
      brokers: [broker.address],
      topics: Object.keys(topics),
      metadata_max_age: 100,
      ...groups,
    }
    const source = { kafka, format: 'json', max_batch_delay: 10 }
    const flow = { target: 'target', keys: ['id'], sequence_by: '_offset', source }
    await using run = new CaseRun(flow, base, (spec) => sourceOf(feed, spec, base))
    run.startAt(checkpointsOf(feed))

    let fault: Situation['fault'] = null
    try {
      if (events.length === 0) await run.bounded()
      else
        await run.until(
          ({ checkpoints }) =>
            compareCheckpoints(checkpoints, feed.expect['checkpoint']).length === 0,
        )
    } catch (error) {
      if (!(error instanceof TidemarkError)) throw error
      fault = { code: error.code, text: error.message }
    }
    return { outcome: run.outcome(), applied: run.accepted, fault }
  } finally {
    await rm(base, { recursive: true })
  }
}

/** What differs from what the case expects of a situation. */
export function compareSituation(
  { expect }: FeedCase,
  { outcome, applied, fault }: Situation,
): string[] {
  const differences = [
    ...compareFault(fault, expect['error']),
    ...compareCheckpoints(outcome.checkpoints, expect['checkpoint']),
  ]
  for (const [name, wanted] of Object.entries(expect)) {
    const [, partition] = /^applied_offsets(?:_t(\d+))?$/.exec(name) ?? []
    if (!name.startsWith('applied_offsets') || !isArray(wanted)) continue
    const at = partition ?? '0'
    const ours = offsetsIn(at, applied)
    const theirs = wanted.map(textOf)
    if (String(ours) !== String(theirs)) {
      differences.push(`${name}: applied ${listed(ours)}, and not ${listed(theirs)}`)
    }
  }
  const twice = applied.filter(
    ({ topic, short }, i) =>
      applied.findIndex((one) => one.topic === topic && one.short === short) < i,
  )
  if (expect['each_applied_once'] === true && twice.length > 0) {
    differences.push(`applied twice: ${twice.map(({ short }) => short).join(', ')}`)
  }
  return differences
}

/** What differs from the offsets that are to be read next. */
export function compareCheckpoints(
  ours: Readonly<Record<string, string>>,
  wanted: Json | undefined,
): string[] {
  if (!isObject(wanted)) return []
  return Object.entries(wanted)
    .filter(([place, next]) => ours[place] !== textOf(next))
    .map(
      ([place, next]) =>
        `checkpoint: ${place} is at ${ours[place] ?? 'no offset'}, and not at ${textOf(next)}`,
    )
}

/** What differs from the fault that is to stop a run. */
export function compareFault(fault: Situation['fault'], wanted: Json | undefined): string[] {
  const code = isObject(wanted) ? textOf(wanted['code']) : null
  if (fault === null && code === null) return []
  if (fault?.code === code) return []
  // Where the fault of a client is guarded against, there is none.
  if (fault === null && code === 'CLIENT_CRASH') return []
  return [
    `the run ${fault === null ? 'ended well' : `stopped with ${fault.text}`}, and not with ${code ?? 'no error'}`,
  ]
}

/** Several things in a sentence. */
export function listed(things: readonly string[]): string {
  return things.length === 0 ? 'nothing' : things.join('; ')
}

function offsetsIn(partition: string, places: readonly Place[]): string[] {
  return places.flatMap(({ short }) => {
    const [own, offset = ''] = short.split(':')
    return own === partition ? [offset] : []
  })
}

/** The source of the flow, without the codec that the case has missing. */
function sourceOf({ broker, expect }: FeedCase, { source }: FlowSpec, base: string): Source {
  if (source.kind !== 'kafka') throw new Error('a broker is read by a source of topics')
  const error = expect['error']
  const isMissing = isObject(error) && error['code'] === 'CODEC_MISSING'
  const packed = isMissing ? packedWith(broker ?? {}) : []
  const codecs = Object.fromEntries(
    Object.entries(CODECS).filter(([name]) => !packed.includes(name)),
  )
  const options = kafkaOptions(source, base, () => undefined)
  const format = messageFormat('json', { unavailableValue: source.unavailable_value })
  return openKafka({
    ...options,
    codecs,
    format,
    retry: { ...options.retry, attempts: 2, firstDelayMs: 10 },
  })
}

function packedWith(broker: JsonObject): string[] {
  return Object.values(broker).flatMap((partition) =>
    isObject(partition) && partition['compression'] !== undefined
      ? [textOf(partition['compression'])]
      : [],
  )
}

/** Where the case has the flow stand; a record that is remembered is one that the topic does not have. */
function checkpointsOf({ config, broker }: FeedCase): Checkpoint[] {
  const starts = config['start_checkpoint']
  if (!isObject(starts)) return []
  return Object.entries(starts).map(([place, next]) => {
    const colon = place.lastIndexOf(':')
    const told = broker?.[place]
    const isRemembered =
      isObject(told) && Object.keys(told).some((name) => name.startsWith('record_at_'))
    const offset = Number(textOf(next))
    const record = { offset: offset - 1, timestamp: 1_700_000_000_000, sha256: '0'.repeat(64) }
    return {
      name: place.slice(0, colon),
      partition: Number(place.slice(colon + 1)),
      next: offset,
      state: isRemembered ? JSON.stringify(record) : '',
    }
  })
}
