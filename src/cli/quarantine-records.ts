import { repeatable } from './command.ts'
import type { OptionSpec } from './command.ts'
import type { Quarantined, Tidemark } from '../index.ts'

/** The option of both quarantine verbs. */
export const FLOW_OPTION: OptionSpec = repeatable('flow', 'NAME', 'only records of this flow')

/** Records set aside by the chosen flows, one flow after the other, or by all. */
export function* quarantineRecords(
  tidemark: Tidemark,
  flows: readonly string[] | null,
): Iterable<Quarantined> {
  for (const flow of flows ?? [undefined]) yield* tidemark.quarantine(flow)
}
