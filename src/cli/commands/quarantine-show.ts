import { JSON_FLAG } from '../command.ts'
import type { Command } from '../command.ts'
import { chosenFlows, flowFile, openForReading } from '../flow-file.ts'
import { TidemarkError } from '../../index.ts'
import { FLOW_OPTION, quarantineRecords } from '../quarantine-records.ts'
import { quarantineJson, quarantineText } from '../render/quarantine.ts'

/** `tidemark quarantine show`: the records set aside with their bytes. */
export const quarantineShow: Command = {
  name: 'quarantine show',
  operands: ['FLOWS', '[ID]'],
  summary: 'show one record that was set aside, or all, with its bytes',
  details: ['Bytes are shown as text if they are UTF-8, else in hex; with --json also in base64.'],
  options: [FLOW_OPTION, JSON_FLAG],
  examples: [
    ['the record with id 7 of the list', 'tidemark quarantine show flows.yaml 7'],
    ['all of one flow', 'tidemark quarantine show flows.yaml --flow customers'],
  ],
  async run(args, { io, out, err }) {
    using tidemark = openForReading(flowFile(args, io))
    const flows = chosenFlows(tidemark.flows, args)
    const id = args.operand(1)

    const json = args.flag('json')
    let count = 0
    for (const record of quarantineRecords(tidemark, flows)) {
      if (id !== null && String(record.id) !== id) continue
      const gap = count > 0 && !json ? '\n' : ''
      const text = json ? quarantineJson(record, 'bytes') : quarantineText(record)
      if (!(await out.write(gap + text))) return 0
      count += 1
    }
    if (count === 0 && id !== null) {
      const message = `the quarantine has no record ${JSON.stringify(id)}; see tidemark quarantine list`
      throw new TidemarkError('NOT_FOUND', message)
    }
    if (count === 0 && !json) await err.write('the quarantine is empty\n')
    return 0
  },
}
