import { repeatable } from './command.ts'
import type { OptionSpec } from './command.ts'
import type { FlowFile, Quarantined, Tidemark } from '../index.ts'
import { placeOf } from './render/quarantine.ts'

/** The option of both quarantine verbs. */
export const FLOW_OPTION: OptionSpec = repeatable('flow', 'NAME', 'only records of this flow')

/** A record set aside, and where it was published. */
export type Placed = { readonly record: Quarantined; readonly place: string }

/** Records set aside by the chosen flows, or by all, one after the other. */
export function* quarantineRecords(
  file: FlowFile,
  tidemark: Tidemark,
  flows: readonly string[] | null,
): Iterable<Placed> {
  const topics = new Set(
    file.flows.filter(({ source }) => 'kafka' in source).map(({ name }) => name),
  )
  for (const flow of flows ?? [undefined]) {
    for (const record of tidemark.quarantine(flow)) {
      yield { record, place: placeOf(record, topics.has(record.flow)) }
    }
  }
}
