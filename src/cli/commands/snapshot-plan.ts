import { JSON_FLAG, repeatable } from '../command.ts'
import type { Command } from '../command.ts'
import { chosenFlows, flowFile } from '../flow-file.ts'
import { FORCE_OPTION, forcedGuards } from '../force.ts'
import { openTidemark } from '../../index.ts'
import { planJson, planText } from '../render/snapshots.ts'

/** `tidemark snapshot plan`: what the next snapshots would do. */
export const snapshotPlan: Command = {
  name: 'snapshot plan',
  operands: ['FLOWS'],
  summary: 'show what the next snapshots would change',
  details: [
    'Reads each snapshot that a run would apply, compares it with the table as it is now, and',
    'prints counts, the verdict of each guard, how often each column would change, and some of',
    'the rows with their old and new values. Changes no rows.',
  ],
  options: [repeatable('flow', 'NAME', 'only this flow'), FORCE_OPTION, JSON_FLAG],
  examples: [
    ['before the nightly run', 'tidemark snapshot plan flows.yaml'],
    ['whether forcing would help', 'tidemark snapshot plan flows.yaml --force deletes --json'],
  ],
  async run(args, { io, out, err }) {
    const file = flowFile(args, io)
    const flows = chosenFlows(file.flows, args)
    using tidemark = openTidemark(file)
    let shown = 0
    for (const { name, source } of file.flows) {
      if (source.kind !== 'snapshots' || flows?.includes(name) === false) continue
      for (const plan of await tidemark.planSnapshots(name, forcedGuards(args))) {
        await out.write(args.flag('json') ? planJson(plan) : planText(plan))
        shown += 1
      }
    }
    if (shown === 0 && !args.flag('json')) await err.write('no new snapshot\n')
    return 0
  },
}
