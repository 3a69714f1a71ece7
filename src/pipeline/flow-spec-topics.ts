import { isRecord } from './flow-spec-fields.ts'
import type { FlowSpec, FoundTopics } from './flow-spec-type.ts'

/** What a target's name may take from its topic's, between braces. */
export const TOPIC_PARTS: readonly string[] = ['topic', 'table', 'schema', 'database']

const VARIABLE = /\{([^{}]*)\}/g

/**
 * One flow for each topic where the target's name is a template, as `crm_{table}` is; else the flow
 * itself. Of the topic `srv.inv.public.orders`, `{topic}` is all, `{table}` is `orders`, `{schema}` is
 * `public` and `{database}` is `inv`.
 *
 * A flow is called by its topic too: `name/topic` where it has a name, else by its target. Topics of a
 * pattern are those that were found; as long as none was, the flow stays a template.
 */
export function flowsByTopic(given: unknown, found: FoundTopics): readonly unknown[] {
  if (!isRecord(given) || !isTemplate(given['target'])) return [given]
  const listed = listedTopics(given)
  if (listed !== null) return listed.map((topic) => forTopic(given, { topics: [topic] }, topic))
  const { name, target } = given
  const topics = found.get(typeof name === 'string' ? name : target) ?? []
  if (topics.length === 0) return [given]
  return topics.map(({ topic, isNew }) => {
    // What came after the first look is news from its oldest record on.
    const start = isNew ? { start: 'earliest' } : {}
    return forTopic(given, { topics: [topic], topic_pattern: null, ...start }, topic)
  })
}

/** Whether a flow becomes one for each topic that the cluster has, which nobody knows beforehand. */
export function awaitsTopics({ target, source }: FlowSpec): boolean {
  return source.kind === 'kafka' && source.kafka.topics === null && isTemplate(target)
}

/** Whether a target's name is to be completed by a topic's, and can be. */
export function isTemplate(target: unknown): target is string {
  return typeof target === 'string' && target.search(VARIABLE) >= 0 && unknownPart(target) === null
}

/** The first that stands between braces in a target's name and is no part of a topic's; null if there is none. */
export function unknownPart(target: string): string | null {
  const named = [...target.matchAll(VARIABLE)].map(([, part = '']) => part)
  return named.find((part) => !TOPIC_PARTS.includes(part)) ?? null
}

/** What the flow for one topic is called. */
export function nameByTopic(
  { name, target }: Pick<FlowSpec, 'name' | 'target'>,
  topic: string,
): string {
  return name === target ? completed(target, topic) : `${name}/${topic}`
}

/** The flow for one topic, which is read as `options` say. */
function forTopic(
  given: Readonly<Record<string, unknown>>,
  options: Readonly<Record<string, unknown>>,
  topic: string,
): unknown {
  const { name, target, source } = given
  const kafka = isRecord(source) ? source['kafka'] : null
  if (!isRecord(source) || !isRecord(kafka) || typeof target !== 'string') return given
  return {
    ...given,
    ...(typeof name === 'string' ? { name: nameByTopic({ name, target }, topic) } : {}),
    target: completed(target, topic),
    source: { ...source, kafka: { ...kafka, ...options } },
  }
}

function completed(template: string, topic: string): string {
  const [table = '', schema = '', database = ''] = topic.split('.').toReversed()
  const parts: Readonly<Record<string, string>> = { topic, table, schema, database }
  return template.replace(VARIABLE, (_, variable: string) => parts[variable] ?? '')
}

function listedTopics({ source }: Readonly<Record<string, unknown>>): readonly string[] | null {
  if (!isRecord(source)) return null
  const { kafka } = source
  if (!isRecord(kafka)) return null
  const { topics } = kafka
  const list: readonly unknown[] = Array.isArray(topics) ? topics : [topics]
  return list.every((topic) => typeof topic === 'string') ? list : null
}
