import { readFile } from 'node:fs/promises'
import { readCaseFile } from './case.ts'
import type { BatchCase, CaseFile, SnapshotCase } from './case.ts'
import type { FoundFile } from './case-files.ts'
import { inProcess } from './command-line.ts'
import type { CommandLine } from './command-line.ts'
import { deliver } from './deliver.ts'
import type { Failure } from './deliver.ts'
import { deliverSnapshots } from './deliver-snapshots.ts'
import { inOrder, shuffles } from './delivery.ts'

/** How thoroughly to look, and where to say what was seen. */
export type Options = {
  /** How many other orders and cuts a permutable case is delivered in, and what draws them. */
  readonly shuffles: number
  readonly seed: number
  /** Only cases whose name has this text; empty for all. */
  readonly only: string
  /** The command line as a process of its own. */
  readonly separate: CommandLine
  readonly print: (line: string) => void
}

/** How many cases passed and failed. */
export type Tally = { readonly passed: number; readonly failed: number }

/**
 * Runs the cases of files, and prints what is wrong with each that fails.
 *
 * Every case goes through the command line's entry point in this process: once in order and, if
 * it may be permuted, in several other orders and cuts. Those that are right so far go through
 * processes of their own as well, as flows of one flow file.
 *
 * @throws Error naming a file that was asked for by its name and holds no cases
 */
export async function conformance(files: readonly FoundFile[], options: Options): Promise<Tally> {
  const tallies: Tally[] = []
  for (const found of files) tallies.push(await judgeFile(found, options))
  return sum(tallies)
}

/** The last line of a report. */
export function drawTally({ passed, failed }: Tally): readonly string[] {
  return [`${passed} passed, ${failed} failed`]
}

async function judgeFile({ path, named }: FoundFile, options: Options): Promise<Tally> {
  const read = readFileOfCases(await readFile(path, 'utf8'))
  if (read.kind === 'cases') return judgeCases(path, read.file, options)
  if (named) throw new Error(`${path}: ${read.why}`)

  // Nobody can tell how many cases a file would have if it were whole, so it fails as one.
  const broken = read.kind === 'broken'
  options.print(`${broken ? 'FAIL' : 'note'} ${path}: ${read.why}`)
  return { ...NOTHING, failed: broken ? 1 : 0 }
}

type Read =
  | { readonly kind: 'cases'; readonly file: CaseFile }
  | { readonly kind: 'broken' | 'something else'; readonly why: string }

function readFileOfCases(text: string): Read {
  try {
    const file = readCaseFile(text)
    if (file !== null) return { kind: 'cases', file }
    return { kind: 'something else', why: 'not a JSON array of cases, passed by' }
  } catch (error) {
    if (error instanceof SyntaxError) return { kind: 'broken', why: `no JSON: ${error.message}` }
    throw error
  }
}

async function judgeCases(path: string, file: CaseFile, options: Options): Promise<Tally> {
  const started = performance.now()
  const chosen = file.cases.filter(({ name }) => name.includes(options.only))
  const fail = (name: string, lines: readonly string[]): void =>
    options.print([`FAIL ${path}: ${name}`, ...lines.map((line) => `  ${line}`)].join('\n'))
  for (const note of file.notes) options.print(`note ${path}: ${note}`)

  const right: BatchCase[] = []
  let rightSnapshots = 0
  for (const one of chosen) {
    if (one.kind === 'snapshots') {
      const failures = await judgeSnapshots(one, options, rightSnapshots)
      if (failures.length === 0) rightSnapshots += 1
      else fail(one.name, drawFailures(failures))
    } else if (one.kind === 'broken') fail(one.name, [one.why])
    else {
      const failures = await judgeHere(one, options)
      if (failures.length === 0) right.push(one)
      else fail(one.name, drawFailures(failures))
    }
  }

  const failures = await judgeSeparately(right, options.separate)
  const wrong = right.filter((one) => failures.some(({ testCase }) => testCase === one))
  for (const one of wrong) {
    fail(one.name, drawFailures(failures.filter(({ testCase }) => testCase === one)))
  }

  const passed = right.length - wrong.length + rightSnapshots
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  options.print(`${path}: ${chosen.length} cases, ${passed} right, in ${seconds} s`)
  return { passed, failed: chosen.length - passed }
}

/** Every case here; the first few of a file by processes of their own too. */
async function judgeSnapshots(
  testCase: SnapshotCase,
  { separate }: Options,
  before: number,
): Promise<readonly Failure[]> {
  const here = await deliverSnapshots(testCase, { run: inProcess, flowFile: 'yaml' })
  if (here.length > 0 || before >= READ_BY_PROCESSES) return here
  return deliverSnapshots(testCase, { run: separate, flowFile: 'json' })
}

/** In order in a directory of its own, then all other orders side by side. */
async function judgeHere(testCase: BatchCase, options: Options): Promise<readonly Failure[]> {
  const means = { run: inProcess, flowFile: 'yaml' } as const
  const show = inProcess
  const first = await deliver([{ testCase, delivery: inOrder(testCase), show }], means)
  if (first.length > 0 || !testCase.permutable || testCase.refusal !== null) return first

  const others = shuffles(testCase, options.shuffles, options.seed)
  return deliver(
    others.map((delivery) => ({ testCase, delivery, show })),
    means,
  )
}

/**
 * Each run is a process. So is reading some of the tables back; the others are read here, since
 * to start a process for each takes longer than all the rest.
 */
async function judgeSeparately(
  cases: readonly BatchCase[],
  separate: CommandLine,
): Promise<readonly Failure[]> {
  const together = cases.filter(({ refusal }) => refusal === null)
  const alone = cases.filter(({ refusal }) => refusal !== null)
  const groups = [together, ...alone.map((one) => [one])].values()
  const failures: Failure[] = []
  const work = async (): Promise<void> => {
    // Both workers take from one iterator, so that each group is delivered once.
    for (const group of groups) {
      const assignments = group.map((testCase, i) => ({
        testCase,
        delivery: { ...inOrder(testCase), title: 'in order, by processes of their own' },
        show: i < READ_BY_PROCESSES ? separate : inProcess,
      }))
      failures.push(...(await deliver(assignments, { run: separate, flowFile: 'json' })))
    }
  }
  await Promise.all([work(), work()])
  return failures
}

const READ_BY_PROCESSES = 3

/** The first few; what is wrong in one order is mostly wrong in the others too. */
function drawFailures(failures: readonly Failure[]): readonly string[] {
  const more = failures.length - MOST_SHOWN
  const rest = more > 0 ? [`and ${more} more like these`] : []
  return [...failures.slice(0, MOST_SHOWN).flatMap(drawFailure), ...rest]
}

const MOST_SHOWN = 3

function drawFailure({ delivery, moment, lines }: Failure): readonly string[] {
  return [
    `delivered ${delivery}, ${moment}:`,
    ...lines.flatMap((line) => line.split('\n')).map((line) => `  ${line}`),
  ]
}

const NOTHING: Tally = { passed: 0, failed: 0 }

function sum(tallies: readonly Tally[]): Tally {
  return tallies.reduce(
    (all, one) => ({
      passed: all.passed + one.passed,
      failed: all.failed + one.failed,
    }),
    NOTHING,
  )
}
