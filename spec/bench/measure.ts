import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What a process took from its start to its end. */
export type Measured = {
  /** Wall time in seconds. */
  readonly wall: number
  /** Processor time of all its threads in seconds; unlike wall time, hardly touched by other work. */
  readonly cpu: number
  /** The most memory that was resident, in MiB. */
  readonly peakMb: number
}

/** The command line as it is installed. */
export const BIN = at('../../dist/cli/bin.js')

const REPORT = at('report.mjs')

/** Runs our command line in a process of its own. @throws Error with what it said if it fails */
export async function ours(...words: readonly string[]): Promise<Measured> {
  return measured(['--import', REPORT, BIN, ...words])
}

/** Runs a script beside this one in a process of its own. @throws Error with what it said if it fails */
export async function script(name: string, ...words: readonly string[]): Promise<Measured> {
  return measured(['--import', REPORT, at(name), ...words])
}

/** Runs a script beside this one by a Python in a process of its own. @throws Error with what it said if it fails */
export async function pythonScript(
  python: string,
  name: string,
  ...words: readonly string[]
): Promise<Measured> {
  return measured([at('report.py'), at(name), ...words], python)
}

/** Wall time of a bare Node process in seconds. @throws Error with what it said if it fails */
export async function wallOf(words: readonly string[]): Promise<number> {
  const started = performance.now()
  await ended(words)
  return (performance.now() - started) / 1000
}

/** What a script beside this one prints. @throws Error with what it said if it fails */
export async function printed(name: string, ...words: readonly string[]): Promise<string> {
  return (await ended([at(name), ...words])).out
}

/** Writes a flow file that reads `feed`; gives its path. Its store is `ours.db` beside it. */
export function writeFlow(
  folder: string,
  feed: string,
  options: Readonly<Record<string, unknown>>,
  batch: number | null = null,
): string {
  const source = { files: feed, ...(batch === null ? {} : { max_batch_records: batch }) }
  const flow = {
    target: 'target',
    source,
    keys: ['id'],
    sequence_by: { column: 'seq', type: 'integer' },
    apply_as_deletes: "op = 'D'",
    except_column_list: ['op', 'seq'],
    ...options,
  }
  const path = join(folder, 'flow.json')
  writeFileSync(path, JSON.stringify({ store: { sqlite: 'ours.db' }, flows: [flow] }))
  return path
}

/** Gives `work` a folder that is gone afterwards. */
export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-bench-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The value in the middle; of an even number, the mean of the two there. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  const upper = sorted[Math.floor(middle)] ?? NaN
  return Number.isInteger(middle) ? (upper + (sorted[middle - 1] ?? NaN)) / 2 : upper
}

async function measured(
  words: readonly string[],
  program: string = process.execPath,
): Promise<Measured> {
  const started = performance.now()
  const { report } = await ended(words, program)
  const wall = (performance.now() - started) / 1000
  return { wall, ...(JSON.parse(report) as Omit<Measured, 'wall'>) }
}

async function ended(
  words: readonly string[],
  program: string = process.execPath,
): Promise<{ out: string; report: string }> {
  const pipes = ['ignore', 'pipe', 'pipe', 'pipe'] as const
  const child = spawn(program, [...words], { stdio: [...pipes] })
  const texts = ['', '', '', '']
  for (const [i, stream] of child.stdio.entries()) {
    stream?.on('data', (chunk: Buffer) => (texts[i] += chunk.toString()))
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  const [, out = '', error = '', report = ''] = texts
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}:\n${out}${error}`)
  return { out, report }
}

function at(place: string): string {
  return fileURLToPath(new URL(place, import.meta.url))
}
