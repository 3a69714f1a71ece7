import { JSON_FLAG } from '../command.ts'
import type { Command } from '../command.ts'
import { flowFile, openForReading } from '../flow-file.ts'
import { statusJson, statusText } from '../render/status.ts'

/** `tidemark status`: where every flow stands. */
export const status: Command = {
  name: 'status',
  operands: ['FLOWS'],
  summary: 'show checkpoints, lag, counts and the last run of each flow',
  details: ['Counts are those of all runs so far. May be asked while a run goes on.'],
  options: [JSON_FLAG],
  examples: [
    ['how far every flow has come', 'tidemark status flows.yaml'],
    ['one flow a line, for a script', 'tidemark status flows.yaml --json'],
  ],
  async run(args, { io, out }) {
    using tidemark = openForReading(flowFile(args, io))
    const statuses = await tidemark.status()
    if (args.flag('json')) {
      for (const each of statuses) await out.write(statusJson(each))
    } else {
      await out.write(statusText(statuses, io.isTTY ? io.columns : Infinity))
    }
    return 0
  },
}
