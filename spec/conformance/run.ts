import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { findFiles } from './case-files.ts'
import { asProcess } from './command-line.ts'
import { conformance, drawTally } from './conformance.ts'
import type { Options } from './conformance.ts'

const USAGE = `npm run conformance -- PATH… [--only TEXT] [--shuffles N] [--seed N]

Runs the case files named, and every case file under the directories named, through the
command line. Ends with the line "N passed, N failed", and exits with 1 if any failed, 2 if the
arguments are of no use.

  --only TEXT    only cases whose name has this text
  --shuffles N   other orders and cuts of each permutable case (5)
  --seed N       what draws them (1); failures name it
`

/** What a user's `tidemark` is, as `npm run build` leaves it. */
const BUILT = fileURLToPath(new URL('../../dist/cli/bin.js', import.meta.url))

process.exitCode = await run(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  return 2
})

async function run(words: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      only: { type: 'string', default: '' },
      shuffles: { type: 'string', default: '5' },
      seed: { type: 'string', default: '1' },
    },
  })
  if (positionals.length === 0) throw new Error(USAGE)

  const options: Options = {
    only: values.only,
    shuffles: wholeNumber('shuffles', values.shuffles),
    seed: wholeNumber('seed', values.seed),
    separate: asProcess([process.execPath, BUILT]),
    print: (line) => console.log(line),
  }
  const tally = await conformance(await findFiles(positionals), options)
  if (tally.passed + tally.failed === 0) {
    throw new Error(`no cases in ${positionals.join(', ')}`)
  }
  for (const line of drawTally(tally)) console.log(line)
  return tally.failed === 0 ? 0 : 1
}

function wholeNumber(name: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new Error(`--${name} needs a whole number, not ${text}`)
}
