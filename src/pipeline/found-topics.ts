import type { FoundTopic, Store } from '../ports/store.ts'
import { awaitsTopics } from './flow-spec-topics.ts'
import type { FlowFile, FlowSpec } from './flow-spec-type.ts'
import { freshRecord } from './flow-totals.ts'
import { rememberedOf } from './reconcile.ts'

/** The file with a flow for each topic that runs have found and its pattern still matches. */
export function withRecordedTopics(file: FlowFile, store: Store | null): FlowFile {
  if (store === null || file.withTopics === undefined) return file
  const found = file.flows
    .filter(awaitsTopics)
    .map((flow): [string, FoundTopic[]] => [
      flow.name,
      (store.flow(flow.name)?.topics ?? []).filter(({ topic }) => isMatch(flow, topic)),
    ])
  return file.withTopics(new Map(found))
}

/**
 * Takes note of topics that were found, all in one commit: those of the first look begin where the
 * flow's `start` says, whenever they are come to; those that come later are news.
 */
export function noteTopics(
  store: Store,
  flow: FlowSpec,
  names: readonly string[],
): readonly FoundTopic[] {
  const record = store.flow(flow.name)
  const known = new Map(record?.topics?.map((each) => [each.topic, each]))
  const isNew = record?.topics !== undefined
  const found = names.map((topic) => known.get(topic) ?? { topic, isNew })
  const added = found.filter(({ topic }) => !known.has(topic))
  if (added.length === 0 && isNew) return found
  store.transact(() => {
    store.saveFlow({
      ...(record ?? freshRecord(flow.name, flow.target, rememberedOf(flow))),
      topics: [...known.values(), ...added],
    })
  })
  return found
}

function isMatch({ source }: FlowSpec, topic: string): boolean {
  const pattern = source.kind === 'kafka' ? source.kafka.topic_pattern : null
  return pattern !== null && new RegExp(pattern, 'u').test(topic)
}
