import { TidemarkError } from '../core/errors.ts'
import type { EngineRunOptions } from './engine-run.ts'
import { didYouMean } from './flow-spec-nearest.ts'
import { awaitsTopics } from './flow-spec-topics.ts'
import type { FlowFile, FlowSpec } from './flow-spec-type.ts'

/**
 * The flows to run of these names, or all. A name that the file lacks may be that of a topic which a
 * pattern finds: that shows when it runs.
 *
 * @throws TidemarkError `NOT_FOUND` where there is no pattern either
 */
export function flowsToRun(
  { flows }: FlowFile,
  names: readonly string[] | undefined,
): Pick<EngineRunOptions, 'flows' | 'only'> {
  if (names === undefined) return { flows }
  const templates = flows.filter(awaitsTopics)
  if (templates.length === 0) return { flows: names.map((name) => flowNamed(flows, name)) }

  const isTopicNamed = names.some((name) => !flows.some((flow) => flow.name === name))
  const chosen = flows.filter((flow) => names.includes(flow.name))
  const more = isTopicNamed ? templates.filter((flow) => !chosen.includes(flow)) : []
  return { flows: [...chosen, ...more], only: new Set(names) }
}

/** @throws TidemarkError `NOT_FOUND` naming the nearest flow */
export function flowNamed(flows: readonly FlowSpec[], name: string): FlowSpec {
  const flow = flows.find((candidate) => candidate.name === name)
  if (flow !== undefined) return flow
  throw notFound(
    'flow',
    name,
    flows.map((candidate) => candidate.name),
  )
}

/** The error for a name that there is not. */
export function notFound(what: string, name: string, known: readonly string[]): TidemarkError {
  const hint = didYouMean(name, known)
  return new TidemarkError('NOT_FOUND', `there is no ${what} "${name}"${hint}`, { [what]: name })
}
