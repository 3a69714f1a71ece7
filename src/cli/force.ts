import type { Arguments } from './arguments.ts'
import { option } from './command.ts'
import type { OptionSpec } from './command.ts'
import { FORCIBLE, TidemarkError } from '../index.ts'
import { hint } from './nearest.ts'

const GUARDS: readonly string[] = FORCIBLE

/** The option that lifts guards of snapshots. */
export const FORCE_OPTION: OptionSpec = option(
  'force',
  'GUARDS',
  `lift guards of snapshots: ${GUARDS.join(',')}`,
)

/** The guards that are lifted. @throws TidemarkError `USAGE` */
export function forcedGuards(args: Arguments): readonly string[] {
  const given = args.value('force')
  const guards = given === null ? [] : given.split(',').map((each) => each.trim())
  const unknown = guards.find((each) => !GUARDS.includes(each))
  if (unknown === undefined) return guards
  throw new TidemarkError(
    'USAGE',
    `no guard ${JSON.stringify(unknown)} can be forced${hint(unknown, GUARDS)}`,
  )
}
