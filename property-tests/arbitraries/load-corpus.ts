import { readdirSync, readFileSync } from 'node:fs'
import { readJson } from '../models/json.ts'
import type { Scenario } from '../models/scenario.ts'
import { drawable } from './scenarios.ts'

/** A shrunk find: what it taught, in a sentence, and the scenario that taught it. */
export type Find = { readonly sentence: string; readonly scenario: Scenario }

/** All finds of `property-tests/corpus`, to be replayed before anything is generated. */
export function loadCorpus(): Find[] {
  const folder = new URL('../corpus/', import.meta.url)
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
  return files.toSorted().map((name) => {
    const find = readJson(readFileSync(new URL(name, folder), 'utf8')) as unknown as Find
    return { ...find, scenario: drawable(find.scenario) }
  })
}

/** The corpus as fast-check takes it: `fc.assert(property, { examples: corpusExamples() })`. */
export function corpusExamples(): [Scenario][] {
  return loadCorpus().map(({ scenario }) => [scenario])
}
