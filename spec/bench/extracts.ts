import { once } from 'node:events'
import { createWriteStream, existsSync, mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { randomOf } from './random-of.ts'

/** Two full extracts of a table of 10 columns, the later one with a hundredth of the rows changed. */
export type Extracts = {
  readonly before: string
  readonly after: string
  /** What the later one brings, changes and leaves out. */
  readonly inserted: number
  readonly updated: number
  readonly deleted: number
}

/** How rows follow each other in a file. */
export type RowOrder = 'by key' | 'any'

/** Part of the name of every file: another number whenever the same description means another text. */
const EDITION = 1

/** Writes both extracts into `folder` unless they are there already. */
export async function extracts(folder: string, rows: number, order: RowOrder): Promise<Extracts> {
  mkdirSync(folder, { recursive: true })
  const ids = (version: 1 | 2) => {
    const all = Array.from({ length: rows + rows / 1000 }, (_, i) => i + 1)
    return all.filter((id) => fateOf(id, rows)[version] !== null)
  }
  const file = async (version: 1 | 2) => {
    const name = `extract-v${EDITION}-${rows}-${order === 'by key' ? 'ordered' : 'shuffled'}-${version}`
    const path = join(folder, `${name}.ndjson`)
    if (existsSync(path)) return path
    const listed = ids(version)
    await write(path, order === 'by key' ? listed : shuffled(listed, version), (id) =>
      rowOf(id, fateOf(id, rows)[version] ?? 0),
    )
    return path
  }
  const fates = Array.from({ length: rows + rows / 1000 }, (_, i) => fateOf(i + 1, rows))
  const count = (is: (fate: Fate) => boolean) => fates.filter(is).length
  return {
    before: await file(1),
    after: await file(2),
    inserted: count((fate) => fate[1] === null),
    updated: count((fate) => fate[1] !== null && fate[2] !== null && fate[1] !== fate[2]),
    deleted: count((fate) => fate[2] === null),
  }
}

/** Which edition of a row each extract has, null where it has none. */
type Fate = { readonly 1: number | null; readonly 2: number | null }

/** Of a thousand rows eight change, one goes, and one comes. */
function fateOf(id: number, rows: number): Fate {
  if (id > rows) return { 1: null, 2: 0 }
  const lot = Math.floor(randomOf(id)() * 1000)
  if (lot === 8) return { 1: 0, 2: null }
  return { 1: 0, 2: lot < 8 ? 1 : 0 }
}

function rowOf(id: number, edition: number): Readonly<Record<string, unknown>> {
  const random = randomOf(Math.imul(id, 0x9e3779b1) ^ 20260101)
  return {
    id,
    name: `name ${Math.floor(random() * 1e6)}`,
    city: `city ${Math.floor(random() * 1e3)}`,
    email: `user${id}@example.com`,
    amount: Math.floor(random() * 1e5) / 100,
    qty: Math.floor(random() * 100) + edition,
    active: random() < 0.5,
    note: random() < 0.5 ? null : 'some words of note',
    rank: Math.floor(random() * 1e4),
    day: `2026-01-${String(1 + Math.floor(random() * 28)).padStart(2, '0')}`,
  }
}

function shuffled(ids: number[], seed: number): number[] {
  const random = randomOf(seed)
  const places = new Map(ids.map((id) => [id, random()]))
  return ids.toSorted((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0))
}

async function write(
  path: string,
  ids: readonly number[],
  row: (id: number) => Readonly<Record<string, unknown>>,
): Promise<void> {
  const out = createWriteStream(`${path}.part`)
  let text = ''
  for (const id of ids) {
    text += `${JSON.stringify(row(id))}\n`
    if (text.length < 1 << 20) continue
    if (!out.write(text)) await once(out, 'drain')
    text = ''
  }
  out.end(text)
  await once(out, 'finish')
  renameSync(`${path}.part`, path)
}
