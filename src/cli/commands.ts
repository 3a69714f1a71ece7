import type { Command } from './command.ts'
import { capture } from './commands/capture.ts'
import { diff } from './commands/diff.ts'
import { doctor } from './commands/doctor.ts'
import { history } from './commands/history.ts'
import { quarantineList } from './commands/quarantine-list.ts'
import { quarantineShow } from './commands/quarantine-show.ts'
import { run } from './commands/run.ts'
import { show } from './commands/show.ts'
import { snapshotList } from './commands/snapshot-list.ts'
import { snapshotPlan } from './commands/snapshot-plan.ts'
import { status } from './commands/status.ts'
import { validate } from './commands/validate.ts'

/** Every verb, in the order of the help text: the way through a first flow, then upkeep. */
export const COMMANDS: readonly Command[] = [
  validate,
  run,
  show,
  history,
  status,
  snapshotPlan,
  snapshotList,
  diff,
  quarantineList,
  quarantineShow,
  capture,
  doctor,
]
