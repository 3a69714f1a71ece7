import { JSON_FLAG } from '../command.ts'
import type { Command } from '../command.ts'
import { flowFile, openForReading } from '../flow-file.ts'
import { TidemarkError } from '../../index.ts'
import { visible } from '../render/text.ts'

/** `tidemark doctor`: whether a store keeps its invariants. */
export const doctor: Command = {
  name: 'doctor',
  operands: ['FLOWS'],
  summary: 'check the invariants of a store and name what is wrong',
  details: [
    'Reads every row, and whether hidden state and tables agree. Exit code 0 if all is well, 3 if',
    'something is wrong.',
  ],
  options: [JSON_FLAG],
  examples: [
    ['check the store', 'tidemark doctor flows.yaml'],
    ['one finding a line, none if all is well', 'tidemark doctor flows.yaml --json'],
  ],
  async run(args, { io, out }) {
    using tidemark = openForReading(flowFile(args, io))
    let found = 0
    for (const { target, law, message } of tidemark.doctor()) {
      found += 1
      const line = args.flag('json')
        ? JSON.stringify({ target, law, message })
        : `${visible(target)}: ${visible(law)}: ${visible(message)}`
      await out.write(`${line}\n`)
    }
    if (found > 0) {
      await out.flush()
      const faults = found === 1 ? '1 fault' : `${found} faults`
      throw new TidemarkError('STORE_INCONSISTENT', `doctor found ${faults} in the store`)
    }
    if (!args.flag('json')) await out.write('all is well\n')
    return 0
  },
}
