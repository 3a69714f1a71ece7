import { expect, test } from 'vitest'
import { Random } from '../crash/random.ts'
import { hostileRecord, hostileRow } from './hostile.ts'
import { Workspace, type Summary } from './workspace.ts'

/** Hostile records per file; `ABUSE_RECORDS` for more. */
const HOSTILE = Number(process.env['ABUSE_RECORDS'] ?? 2000)
const SEED = Number(process.env['ABUSE_SEED'] ?? 1)

/** One good record to so many hostile ones. */
const BETWEEN = 10

const KINDS = [
  { target: 'one', stored_as_scd_type: 1 },
  { target: 'partial', stored_as_scd_type: 1, ignore_null_updates: true },
  { target: 'two', stored_as_scd_type: 2 },
  { target: 'both', stored_as_scd_type: 'bitemporal' },
]

test(`9 ${HOSTILE} hostile lines of NDJSON are each accepted or set aside, and the good ones between land`, async () => {
  const good = (i: number) => JSON.stringify({ id: `good-${i}`, s: i, a: `a${i}`, b: null, c: 'c' })
  const lines = mixed((i) => Buffer.from(good(i)), hostileRecord)
  using place = new Workspace()
  place.write('feed.ndjson', Buffer.concat(lines.flatMap((line) => [line, NEWLINE])))
  const records = lines.filter((line) => !isBlank(line)).length
  expect(await outcome(place, 'feed.ndjson')).toEqual(sound(records))
})

test(`9 ${HOSTILE} hostile elements of a JSON array are each accepted or set aside, and the good ones between land`, async () => {
  const good = (i: number) => JSON.stringify({ id: `good-${i}`, s: i, a: `a${i}`, b: null, c: 'c' })
  // A text that does not end swallows what follows, by the rules of JSON: only whole ones here.
  const elements = mixed((i) => Buffer.from(good(i)), hostileRecord).filter(isBalanced)
  using place = new Workspace()
  const body = elements.flatMap((element, i) => (i === 0 ? [element] : [COMMA, element]))
  place.write('feed.json', Buffer.concat([Buffer.from('['), ...body, Buffer.from(']')]))
  expect(await outcome(place, 'feed.json')).toEqual(sound(elements.length))
})

test(`9 ${HOSTILE} hostile rows of CSV are each accepted or set aside, and the good ones between land`, async () => {
  const rows = mixed((i) => Buffer.from(`good-${i},${i},a${i},c`), hostileRow)
  using place = new Workspace()
  place.write(
    'feed.csv',
    Buffer.concat([Buffer.from('id,s,a,c\n'), ...rows.flatMap((row) => [row, NEWLINE])]),
  )
  const typed = { columns: { s: 'decimal' } }
  expect(await outcome(place, 'feed.csv', typed)).toEqual(sound(rows.length))
})

test('9 bytes that are no text at all are read to their end', async () => {
  const random = new Random(SEED)
  using place = new Workspace()
  const noise = Buffer.from(Array.from({ length: 100_000 }, () => random.below(256)))
  place.write('feed.ndjson', noise)
  place.write('feed.csv', Buffer.concat([Buffer.from('id,s\n'), noise]))
  place.flows([
    { target: 'lines', stored_as_scd_type: 1, source: { files: 'feed.ndjson' } },
    { target: 'rows', stored_as_scd_type: 2, source: { files: 'feed.csv' } },
  ])
  for (const summary of await place.run()) expect(lost(summary)).toBe(0)
  expect(place.visible()).toEqual(['lines', 'rows', 'ok'])
  expect(await place.tidemark('doctor')).toMatchObject({ code: 0 })
})

const NEWLINE = Buffer.from('\n')
const COMMA = Buffer.from(',')
const GOOD = Math.ceil(HOSTILE / BETWEEN) + 1

/** What came of a file, per target, and of the store. */
type Outcome = {
  readonly read: readonly number[]
  /** Records that are neither accepted nor set aside. */
  readonly lost: readonly number[]
  /** Records counted as set aside that are not in the quarantine, once. */
  readonly astray: readonly number[]
  /** Whether a good share of the hostile ones was accepted, and one was refused. */
  readonly hard: readonly boolean[]
  readonly good: readonly number[]
  readonly visible: readonly string[]
  /** Exit codes of what reads the store, that are not 0. */
  readonly failures: readonly string[]
}

/** What must come of any file of so many records. */
function sound(records: number): Outcome {
  return {
    read: KINDS.map(() => records),
    lost: KINDS.map(() => 0),
    astray: KINDS.map(() => 0),
    hard: KINDS.map(() => true),
    good: KINDS.map(() => GOOD),
    visible: ['both', 'one', 'partial', 'two', 'ok'],
    failures: [],
  }
}

/** Runs a file into targets of every kind, and reads all there is to read. */
async function outcome(
  place: Workspace,
  file: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<Outcome> {
  place.flows(KINDS.map((kind) => ({ source: { files: file }, ...more, ...kind })))
  const summaries = await place.run()
  const failures: string[] = []
  for (const words of readings()) {
    const [command = '', ...rest] = words
    const { code, err } = await place.tidemark(command, ...rest)
    if (code !== 0) failures.push(`${words.join(' ')}: ${err}`)
  }
  return {
    read: summaries.map(({ read = 0 }) => read),
    lost: summaries.map(lost),
    astray: summaries.map(({ flow, quarantined = 0 }) => quarantined - setAside(place, flow)),
    hard: summaries.map(
      ({ accepted = 0, quarantined = 0 }) => accepted > HOSTILE / 4 && quarantined > HOSTILE / 20,
    ),
    good: KINDS.map(({ target }) => goodRows(place, target)),
    visible: place.visible(),
    failures,
  }
}

function readings(): string[][] {
  const shows = KINDS.flatMap(({ target }) => [
    ['show', target, '--format', 'ndjson'],
    ['show', target, '--limit', '20'],
  ])
  return [['doctor'], ['status'], ['quarantine list'], ...shows]
}

function setAside(place: Workspace, flow: string): number {
  const [row] = place.query(
    `SELECT count(DISTINCT number) AS n FROM __tidemark_quarantine WHERE flow = '${flow}'`,
  )
  return Number(row?.['n'])
}

/** How many good records are in a target with all their values. */
function goodRows(place: Workspace, target: string): number {
  const [row] = place.query(
    `SELECT count(*) AS n FROM ${target} WHERE id = 'good-' || s AND a = 'a' || s AND c = 'c'`,
  )
  return Number(row?.['n'])
}

/** Good records, one first, with hostile ones between. */
function mixed(
  good: (i: number) => Buffer,
  hostile: (random: Random, i: number) => Buffer,
): Buffer[] {
  const random = new Random(SEED)
  const out = [good(0)]
  for (let i = 0; i < HOSTILE; i += 1) {
    out.push(hostile(random, i))
    if (i % BETWEEN === BETWEEN - 1) out.push(good((i + 1) / BETWEEN))
  }
  return out
}

function lost({
  read = 0,
  accepted = 0,
  ignored = 0,
  dropped = 0,
  quarantined = 0,
}: Summary): number {
  return read - accepted - ignored - dropped - quarantined
}

function isBlank(line: Buffer): boolean {
  return line.toString('latin1').trim() === ''
}

/** Whether quotes and brackets close, and nothing is outside them, however wrong the rest may be. */
function isBalanced(element: Buffer): boolean {
  let depth = 0
  let inText = false
  for (let i = 0; i < element.length; i += 1) {
    const byte = String.fromCharCode(element[i] ?? 0)
    if (depth === 0 && byte !== '{') return false
    if (inText && byte === '\\') i += 1
    else if (byte === '"') inText = !inText
    else if (!inText && (byte === '{' || byte === '[')) depth += 1
    else if (!inText && (byte === '}' || byte === ']')) depth -= 1
    if (depth === 0 && i !== element.length - 1) return false
  }
  return depth === 0 && !inText && element.length > 0
}
