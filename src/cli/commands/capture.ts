import { createWriteStream } from 'node:fs'
import { access, rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { option } from '../command.ts'
import type { Command } from '../command.ts'
import { chosenFlows, flowFile, openForReading } from '../flow-file.ts'
import { TidemarkError } from '../../index.ts'
import { StopSignals } from '../stop-signals.ts'
import { visible } from '../render/text.ts'

/** `tidemark capture`: keeps the messages of topics in a file. */
export const capture: Command = {
  name: 'capture',
  operands: ['FLOWS'],
  summary: 'dump the topics of a flow to a file that can be replayed',
  details: [
    'Writes each message there is now, from the start of its partition, as one line of NDJSON: topic,',
    'partition, offset, timestamp, key, value, headers. A flow over the file with dump: true and the',
    'same format makes the same tables. The file appears whole or not at all; .gz packs it.',
  ],
  options: [
    option('flow', 'NAME', 'the flow whose topics are read'),
    { ...option('output', 'FILE', 'the file to be made, which must not be there yet'), short: 'o' },
  ],
  examples: [
    [
      'keep what is in the topics of a flow',
      'tidemark capture flows.yaml --flow crm -o crm.ndjson',
    ],
    ['the same, packed', 'tidemark capture flows.yaml --flow crm -o crm.ndjson.gz'],
  ],
  async run(args, { io, out }) {
    using tidemark = openForReading(flowFile(args, io))
    const flows = chosenFlows(tidemark.flows, args) ?? tidemark.flows.map(({ name }) => name)
    const [flow, other] = flows
    const path = args.value('output')
    if (path === null) throw new TidemarkError('USAGE', 'say with -o where the messages are to go')
    if (flow === undefined || other !== undefined) {
      const names = flows.join(', ')
      throw new TidemarkError(
        'USAGE',
        `there are several flows; say with --flow which one: ${names}`,
      )
    }
    if (await exists(path)) {
      throw new TidemarkError('USAGE', `${path} is there already; give the dump another name`)
    }

    using signals = new StopSignals()
    let messages = 0
    const pieces = tidemark.capture(flow, signals.signal, (more) => {
      messages += more
    })
    await writeWhole(path, untilStopped(pieces, signals.signal))
    await out.write(`${messages} messages in ${visible(path)}\n`)
    return 0
  },
}

/** Fails where a signal ends the reading, for then the rest is missing. */
async function* untilStopped(
  pieces: AsyncIterable<string>,
  signal: AbortSignal,
): AsyncGenerator<string> {
  yield* pieces
  if (signal.aborted) {
    throw new TidemarkError('SOURCE_UNAVAILABLE', 'stopped before the end; nothing was kept')
  }
}

/** Writes beside the file first, so that nobody ever sees a part of it. */
async function writeWhole(path: string, pieces: AsyncIterable<string>): Promise<void> {
  const partial = `${path}.partial-${process.pid}`
  try {
    const target = createWriteStream(partial, { flags: 'wx' })
    if (path.endsWith('.gz')) await pipeline(Readable.from(pieces), createGzip(), target)
    else await pipeline(Readable.from(pieces), target)
    await rename(partial, path)
  } catch (error) {
    // What cannot be made cannot be removed either.
    await rm(partial, { force: true }).catch(() => undefined)
    if (!isSystemFault(error)) throw error
    const what = `${visible(path)} cannot be written: ${error.code}`
    const code = FULL.has(error.code) ? 'STORE_FULL' : 'NOT_FOUND'
    throw new TidemarkError(code, what, { path }, error)
  }
}

/** Faults that pass, unlike a wrong name or a folder that may not be written. */
const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EMFILE', 'ENFILE'])

function isSystemFault(error: unknown): error is Error & { readonly code: string } {
  return (
    !(error instanceof TidemarkError) &&
    error instanceof Error &&
    'syscall' in error &&
    'code' in error
  )
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
