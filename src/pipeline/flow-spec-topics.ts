import { isRecord } from './flow-spec-fields.ts'

/** What a target's name may take from its topic's, between braces. */
export const TOPIC_PARTS: readonly string[] = ['topic', 'table', 'schema', 'database']

const VARIABLE = /\{([^{}]*)\}/g

/**
 * One flow for each topic where the target's name is a template, as `crm_{table}` is; else the flow
 * itself. Of the topic `srv.inv.public.orders`, `{topic}` is all, `{table}` is `orders`, `{schema}` is
 * `public` and `{database}` is `inv`.
 *
 * A flow is called by its topic too: `name/topic` where it has a name, else by its target.
 */
export function flowsByTopic(given: unknown): readonly unknown[] {
  const topics = topicsOf(given)
  if (!isRecord(given) || topics === null || !isTemplate(given['target'])) return [given]
  return topics.map((topic) => forTopic(given, topic))
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

/** The flow for one topic. */
function forTopic(given: Readonly<Record<string, unknown>>, topic: string): unknown {
  const { name, target, source } = given
  const kafka = isRecord(source) ? source['kafka'] : null
  if (!isRecord(source) || !isRecord(kafka) || typeof target !== 'string') return given
  return {
    ...given,
    ...(typeof name === 'string' ? { name: `${name}/${topic}` } : {}),
    target: completed(target, topic),
    source: { ...source, kafka: { ...kafka, topics: [topic] } },
  }
}

function completed(template: string, topic: string): string {
  const [table = '', schema = '', database = ''] = topic.split('.').toReversed()
  const parts: Readonly<Record<string, string>> = { topic, table, schema, database }
  return template.replace(VARIABLE, (_, variable: string) => parts[variable] ?? '')
}

function topicsOf(given: unknown): readonly string[] | null {
  if (!isRecord(given) || !isRecord(given['source'])) return null
  const { kafka } = given['source']
  if (!isRecord(kafka)) return null
  const { topics } = kafka
  const list: readonly unknown[] = Array.isArray(topics) ? topics : [topics]
  return list.every((topic) => typeof topic === 'string') ? list : null
}
