import type { Arguments } from '../arguments.ts'
import { choice, flag, JSON_FLAG, option, repeatable } from '../command.ts'
import type { Command, Context } from '../command.ts'
import { chosenFlows, flowFile } from '../flow-file.ts'
import { openTelemetry, openTidemark } from '../../index.ts'
import type { FlowFile, RunSummary, RunTelemetry } from '../../index.ts'
import { FORCE_OPTION, forcedGuards } from '../force.ts'
import { ProgressLine } from '../progress.ts'
import { send, telling } from '../run-log.ts'
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
    'then stops after the current batch; a second signal ends it at once. Warnings and progress',
    'go to stderr; with --continuous or --log-format, a log of events instead, from the level',
    'that TIDEMARK_LOG_LEVEL names: debug, info, warn or error. --metrics serves /metrics for',
    'Prometheus, /healthz and /readyz; without a host, on 127.0.0.1.',
  ],
  options: [
    repeatable('flow', 'NAME', 'only this flow'),
    flag('continuous', 'go on until SIGINT or SIGTERM'),
    JSON_FLAG,
    FORCE_OPTION,
    flag('from-now', 'accept a changed flow whose older values were not kept'),
    option('metrics', 'HOST:PORT', 'serve figures and health over HTTP'),
    choice('log-format', ['text', 'json'], 'log what happens to stderr'),
  ],
  examples: [
    ['apply what is there, and print a summary per flow', 'tidemark run flows.yaml'],
    ['one flow, its figures for a script', 'tidemark run flows.yaml --flow customers --json'],
    ['follow growing files until Ctrl-C', 'tidemark run flows.yaml --continuous'],
    [
      'as a service',
      'tidemark run flows.yaml --continuous --log-format json --metrics 127.0.0.1:9464',
    ],
  ],
  async run(args, context) {
    const { io, err } = context
    const file = flowFile(args, io)
    const flows = flowsToRun(file, args) ?? file.flows.map(({ name }) => name)
    const line = io.isErrorTTY ? new ProgressLine(err, io.columns) : null
    const log = logForm(args)
    await using telemetry = await openTelemetry({
      log,
      level: io.env['TIDEMARK_LOG_LEVEL'] ?? null,
      metrics: args.value('metrics'),
      write: (text) => {
        void line?.clear()
        void send(err, text)
      },
    })
    return await telling(telemetry, log, async () => {
      const ended: RunSummary[] = []
      try {
        await runToEnd({ args, file, flows, telemetry, line, ended })
      } finally {
        if (log === null) await writeWarnings(ended, context)
        if (ended.length > 0) await writeSummaries(ended, args, context)
      }
    })
  },
}

/** Names of topics that a pattern is to find are taken as they are: only the run knows them. */
function flowsToRun(file: FlowFile, args: Arguments): readonly string[] | null {
  if (file.withTopics === undefined) return chosenFlows(file.flows, args)
  const given = args.values('flow')
  return given.length === 0 ? null : given
}

/** A run that goes on is followed in its log; one that ends says little unless asked. */
function logForm(args: Arguments): 'text' | 'json' | null {
  const given = args.value('log-format')
  if (given === null) return args.flag('continuous') ? 'text' : null
  return given === 'json' ? 'json' : 'text'
}

type Run = {
  readonly args: Arguments
  readonly file: FlowFile
  readonly flows: readonly string[]
  readonly telemetry: RunTelemetry
  readonly line: ProgressLine | null
  /** Flows that ended well, as they do. */
  readonly ended: RunSummary[]
}

/** Runs with a progress line on a terminal and, if it is to go on, until a signal; both end with it. */
async function runToEnd({ args, file, flows, telemetry, line, ended }: Run): Promise<void> {
  const mode = args.flag('continuous') ? 'continuous' : 'bounded'
  using signals =
    mode === 'continuous'
      ? new StopSignals((signal) => {
          telemetry.tell({ event: 'stopping', signal })
        })
      : null
  using tidemark = openTidemark(file)
  telemetry.tell({ event: 'run_started', mode, flows })
  try {
    await tidemark.run({
      flows,
      mode,
      fromNow: args.flag('from-now'),
      force: forcedGuards(args),
      telemetry,
      onEnded: (summary) => void ended.push(summary),
      ...(signals === null ? {} : { signal: signals.signal }),
      ...(line === null ? {} : { onProgress: (progress) => void line.show(progress) }),
    })
  } finally {
    await line?.clear()
  }
}

/** Without a log, warnings come at the end. */
async function writeWarnings(summaries: readonly RunSummary[], { err }: Context): Promise<void> {
  for (const { flow, warnings } of summaries) {
    for (const message of warnings) {
      await err.write(`tidemark: warning: ${visible(flow)}: ${visible(message)}\n`)
    }
  }
}

async function writeSummaries(
  summaries: readonly RunSummary[],
  args: Arguments,
  { io, out }: Context,
): Promise<void> {
  if (!args.flag('json')) {
    const width = io.isTTY ? io.columns : Infinity
    await out.write(summaryText(summaries, width, args.required(0)))
    return
  }
  for (const summary of summaries) await out.write(summaryJson(summary))
}
