import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import Database from 'better-sqlite3'

/** What a process took, from its own start of work to its end. */
export type Measured = {
  readonly seconds: number
  readonly peakMb: number
  /** What a loop says of its tables; a run of ours does not. */
  readonly rows?: number
  readonly qty?: number
  readonly past?: number
}

const OURS = fileURLToPath(new URL('ours.mjs', import.meta.url))
const BASELINE = fileURLToPath(new URL('baseline.mjs', import.meta.url))

/** Runs a command line of ours in a process of its own. */
export async function ours(...words: readonly string[]): Promise<Measured> {
  return measured([OURS, ...words])
}

/** Runs the hand-written loop in a process of its own. */
export async function loop(kind: string, file: string, store: string): Promise<Measured> {
  return measured([BASELINE, kind, file, store])
}

/** Wall time of a whole Node process, its start included, in seconds. */
export async function wallOf(words: readonly string[]): Promise<number> {
  const started = performance.now()
  await output(words)
  return (performance.now() - started) / 1000
}

/** Writes a flow file that reads one feed; gives its path. */
export function writeFlow(
  folder: string,
  feed: string,
  options: Readonly<Record<string, unknown>>,
  batch: number | null,
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

/** Rows of our target that hold now, the total of a column of theirs, and all rows. */
export function tallyOf(store: string, where: string): { rows: number; qty: number; all: number } {
  const db = new Database(store, { readonly: true })
  try {
    const now = db.prepare<[], { n: number; qty: number }>(
      `SELECT count(*) AS n, total(qty) AS qty FROM target WHERE ${where}`,
    )
    const all = db.prepare<[], { n: number }>('SELECT count(*) AS n FROM target').get()
    const found = now.get()
    return { rows: found?.n ?? 0, qty: found?.qty ?? 0, all: all?.n ?? 0 }
  } finally {
    db.close()
  }
}

/** The share of the changes of our only flow that came after a later one of their key. */
export function lateShareOf(store: string): number {
  const db = new Database(store, { readonly: true })
  try {
    const row = db.prepare<[], { record: string }>('SELECT record FROM __tidemark_flows').get()
    const { counts } = JSON.parse(row?.record ?? '{}') as {
      counts: { changes: number; late: number }
    }
    return counts.late / counts.changes
  } finally {
    db.close()
  }
}

/** The value in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

async function measured(words: readonly string[]): Promise<Measured> {
  const text = await output(words)
  const last = text.trimEnd().split('\n').at(-1) ?? ''
  const result = JSON.parse(last) as Measured & { readonly code: number }
  if (result.code !== 0) throw new Error(`${words.join(' ')} ended with ${result.code}:\n${text}`)
  return result
}

function output(words: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...words], { stdio: ['ignore', 'ignore', 'pipe'] })
    let text = ''
    child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()))
    child.on('error', reject)
    child.on('close', () => {
      resolve(text)
    })
  })
}
