import { JSON_FLAG } from '../command.ts'
import type { Command } from '../command.ts'
import { flowFile, openForReading } from '../flow-file.ts'
import { planText } from '../render/plan.ts'

/** `tidemark validate`: the plan and what to think twice about. */
export const validate: Command = {
  name: 'validate',
  operands: ['FLOWS'],
  summary: 'check a flow file, print its plan and warnings',
  details: [
    'Changes nothing. Opens the sources and the store, resolves the columns, and prints every option',
    'with its default. What is legal and rarely meant is a warning, not an error.',
  ],
  options: [JSON_FLAG],
  examples: [
    ['see what a run would do', 'tidemark validate flows.yaml'],
    ['one plan a line, for a script', 'tidemark validate flows.yaml --json'],
  ],
  async run(args, { io, out }) {
    using tidemark = openForReading(flowFile(args, io))
    const reports = await tidemark.validate()
    if (args.flag('json')) {
      for (const report of reports) await out.write(`${JSON.stringify(report)}\n`)
    } else {
      await out.write(planText(reports))
    }
    return 0
  },
}
