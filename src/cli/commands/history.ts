import { JSON_FLAG, repeatable } from '../command.ts'
import type { Command } from '../command.ts'
import { chosenTarget, flowFile, openForReading } from '../flow-file.ts'
import { historyJson } from '../render/history-json.ts'
import { historyText } from '../render/history.ts'
import { readWholeKey } from '../values.ts'

/** `tidemark history`: the life of one key. */
export const history: Command = {
  name: 'history',
  operands: ['FLOWS', 'TARGET'],
  summary: 'draw the life of one key, and which event wrote each value',
  details: [
    'Draws versions and deletions on a time line, for a bitemporal target on both axes, then lists',
    'rows and events as far as they are kept. Every column of the key must be named.',
  ],
  options: [repeatable('key', 'NAME=VALUE', 'the value of a key column'), JSON_FLAG],
  examples: [
    ['the life of a customer', 'tidemark history flows.yaml customers --key userId=123'],
    [
      'a key of two columns, as JSON',
      'tidemark history flows.yaml prices --key shop=7 --key item=A1 --json',
    ],
  ],
  async run(args, { io, out }) {
    using tidemark = openForReading(flowFile(args, io))
    const name = chosenTarget(tidemark.flows, args)

    const key = readWholeKey(args.values('key'), tidemark.target(name).keys)
    const life = tidemark.history(name, key)
    const look = { drawing: io.columns, table: io.isTTY ? io.columns : Infinity }
    await out.write(args.flag('json') ? historyJson(life) : historyText(life, look))
    return 0
  },
}
