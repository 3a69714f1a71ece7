import { JSON_FLAG, repeatable } from '../command.ts'
import type { Command } from '../command.ts'
import { chosenFlows, flowFile, openForReading } from '../flow-file.ts'
import { snapshotJson, snapshotLine } from '../render/snapshots.ts'

/** `tidemark snapshot list`: the record of past snapshots, a line each. */
export const snapshotList: Command = {
  name: 'snapshot list',
  operands: ['FLOWS'],
  summary: 'list past snapshots, and what became of each',
  details: ['Every run adds a line per snapshot: applied, replayed, skipped or refused.'],
  options: [repeatable('flow', 'NAME', 'only this flow'), JSON_FLAG],
  examples: [
    ['what every night brought', 'tidemark snapshot list flows.yaml'],
    ['of one flow, for a script', 'tidemark snapshot list flows.yaml --flow customers --json'],
  ],
  async run(args, { io, out, err }) {
    using tidemark = openForReading(flowFile(args, io))
    const flows = chosenFlows(tidemark.flows, args)
    const names = tidemark.flows.map(({ name }) => name)
    const records = tidemark.snapshots().filter(({ flow }) => (flows ?? names).includes(flow))
    for (const record of records) {
      const line = args.flag('json') ? snapshotJson(record) : snapshotLine(record)
      if (!(await out.write(line))) return 0
    }
    if (records.length === 0 && !args.flag('json')) await err.write('no snapshot yet\n')
    return 0
  },
}
