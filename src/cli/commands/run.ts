import { choice, flag, JSON_FLAG, repeatable } from '../command.ts'
import type { Command, Context } from '../command.ts'
import { chosenFlows, flowFile } from '../flow-file.ts'
import { openTidemark } from '../../index.ts'
import type { RunOptions, RunSummary } from '../../index.ts'
import { FORCE_OPTION, forcedGuards } from '../force.ts'
import { ProgressLine } from '../progress.ts'
import { StopSignals } from '../stop-signals.ts'
import { summaryJson, summaryText } from '../render/summary.ts'
import { visible } from '../render/text.ts'

/** `tidemark run`: applies what the sources have. */
export const run: Command = {
  name: 'run',
  operands: ['FLOWS'],
  summary: 'apply everything available now from every source',
  details: [
    'Reads each source from where the last run committed, and commits batch by batch: after a',
    'crash or a kill, run again. With --continuous it watches the sources until SIGINT or SIGTERM,',
    'then stops after the current batch. Warnings and progress go to stderr.',
  ],
  options: [
    repeatable('flow', 'NAME', 'only this flow'),
    flag('continuous', 'go on until SIGINT or SIGTERM'),
    JSON_FLAG,
    FORCE_OPTION,
    flag('from-now', 'accept a changed flow whose older values were not kept'),
    choice('log-format', ['text', 'json'], 'form of the warnings on stderr'),
  ],
  examples: [
    ['apply what is there, and print a summary per flow', 'tidemark run flows.yaml'],
    ['one flow, its figures for a script', 'tidemark run flows.yaml --flow customers --json'],
    ['follow growing files until Ctrl-C', 'tidemark run flows.yaml --continuous'],
  ],
  async run(args, context) {
    const file = flowFile(args, context.io)
    const flows = chosenFlows(file, args)
    const continuous = args.flag('continuous')
    using tidemark = openTidemark(file)

    const summaries = await watched(context, continuous, (watch) =>
      tidemark.run({
        mode: continuous ? 'continuous' : 'bounded',
        fromNow: args.flag('from-now'),
        force: forcedGuards(args),
        ...watch,
        ...(flows === null ? {} : { flows }),
      }),
    )
    await writeWarnings(summaries, args.value('log-format') ?? 'text', context)
    await writeSummaries(summaries, args.flag('json'), context)
    return 0
  },
}

type Watch = Pick<RunOptions, 'signal' | 'onProgress'>

/** Runs with a progress line on a terminal and, if it is to go on, until a signal; both end with it. */
async function watched(
  { io, err }: Context,
  continuous: boolean,
  work: (watch: Watch) => Promise<readonly RunSummary[]>,
): Promise<readonly RunSummary[]> {
  using signals = continuous ? new StopSignals() : null
  const line = io.isErrorTTY ? new ProgressLine(err, io.columns) : null
  try {
    return await work({
      ...(signals === null ? {} : { signal: signals.signal }),
      ...(line === null ? {} : { onProgress: (progress) => void line.show(progress) }),
    })
  } finally {
    await line?.clear()
  }
}

async function writeWarnings(
  summaries: readonly RunSummary[],
  format: string,
  { err }: Context,
): Promise<void> {
  for (const { flow, warnings } of summaries) {
    for (const message of warnings) {
      const line =
        format === 'json'
          ? JSON.stringify({ level: 'warn', event: 'warning', flow, message })
          : `tidemark: warning: ${visible(flow)}: ${visible(message)}`
      await err.write(`${line}\n`)
    }
  }
}

async function writeSummaries(
  summaries: readonly RunSummary[],
  json: boolean,
  { io, out }: Context,
): Promise<void> {
  if (!json) {
    await out.write(summaryText(summaries, io.isTTY ? io.columns : Infinity))
    return
  }
  for (const summary of summaries) await out.write(summaryJson(summary))
}
