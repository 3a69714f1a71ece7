import { JSON_FLAG } from '../command.ts'
import type { Command } from '../command.ts'
import { chosenFlows, flowFile, openForReading } from '../flow-file.ts'
import { FLOW_OPTION, quarantineRecords } from '../quarantine-records.ts'
import { quarantineJson, quarantineLine } from '../render/quarantine.ts'

/** `tidemark quarantine list`: the records set aside, a line each. */
export const quarantineList: Command = {
  name: 'quarantine list',
  operands: ['FLOWS'],
  summary: 'list the records that were set aside, and why',
  details: ['A line per record: id, flow, place, code, reason.'],
  options: [FLOW_OPTION, JSON_FLAG],
  examples: [
    ['what was refused or dropped', 'tidemark quarantine list flows.yaml'],
    ['of one flow, for a script', 'tidemark quarantine list flows.yaml --flow customers --json'],
  ],
  async run(args, { io, out, err }) {
    using tidemark = openForReading(flowFile(args, io))
    const flows = chosenFlows(tidemark.flows, args)

    const json = args.flag('json')
    let count = 0
    for (const record of quarantineRecords(tidemark, flows)) {
      const line = json ? quarantineJson(record, 'facts') : quarantineLine(record)
      if (!(await out.write(line))) return 0
      count += 1
    }
    if (count === 0 && !json) await err.write('the quarantine is empty\n')
    return 0
  },
}
