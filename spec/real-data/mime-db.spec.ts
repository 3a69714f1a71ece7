import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test as base } from 'vitest'
import { z } from 'zod'
import { tidemark } from '../cli/captured.ts'
import { Random } from '../crash/random.ts'
import { FACTS } from './changelog-facts.ts'
import { numbersOf, publish, writeFlow } from './media-types-flow.ts'
import { mimeDb, type MimeDb, type Release } from './mime-db.ts'

const seed = Number(process.env['MIME_DB_SEED'] ?? Date.now() % 1_000_000)
/** How many versions come late; 63 are all of them. */
const LATE = Number(process.env['MIME_DB_LATE'] ?? 6)
const { releases, changelog } = (await fetched()) ?? { releases: [], changelog: '' }

const TITLED = FACTS.map((fact) => [`${fact.version}: ${fact.says}`, fact] as const)

const row = z.strictObject({
  type: z.string(),
  source: z.string().nullable(),
  charset: z.string().nullable(),
  compressible: z.boolean().nullable(),
  extensions: z.array(z.string()).nullable(),
  __START_AT: z.array(z.number()),
  __END_AT: z.array(z.number()).nullable(),
})
type Row = z.infer<typeof row>

/** All versions, applied in one run. */
const test = base.extend<{ flow: string }>({
  flow: [
    // oxlint-disable-next-line no-empty-pattern -- vitest wants a pattern here
    async ({}, use) => {
      await withPlace(async (place) => {
        const flow = await writeFlow(place, releases)
        await run(flow)
        await use(flow)
      })
    },
    { scope: 'file' },
  ],
})

describe.skipIf(releases.length === 0)('every published version of mime-db as a snapshot', () => {
  test('all are applied, by number, and each changes what differs from the one before', async ({
    flow,
  }) => {
    const { out } = await tidemark(['snapshot', 'list', flow])
    const told = out
      .trimEnd()
      .split('\n')
      .map((line) => line.replace(/^.* {2}snapshot /, ''))
    expect(told).toEqual(releases.map((release, i) => `${sequence(release)}: ${difference(i)}`))
  })

  test(
    'as of each version the table is what that version has',
    { timeout: 300_000 },
    async ({ flow }) => {
      for (const release of releases) {
        const { version, types } = release
        const rows = await show(flow, '--as-of', sequence(release))
        expect({ version, types: rows.map(contents) }).toEqual({ version, types: sorted(types) })
      }
    },
  )

  test.for(TITLED)('%s', async ([, { version, says, histories }], { flow }) => {
    expect(linesUnder(version)).toContain(says)
    const rows = await show(flow)
    const found = Object.keys(histories).map((name) => [
      name,
      rows.filter(({ type }) => type === name).map(draw),
    ])
    expect(Object.fromEntries(found)).toEqual(histories)
  })

  test(
    `${LATE} versions that come late, each in a run of its own and in any order, give the same table (MIME_DB_SEED=${seed})`,
    { timeout: 600_000 },
    async ({ flow }) => {
      const coming = drawn(new Random(seed))
      await withPlace(async (place) => {
        const delivered = await writeFlow(place, releases)
        let there = releases.filter((release) => !coming.includes(release))
        for (const release of [null, ...coming]) {
          if (release !== null) there = [...there, release]
          await publish(place, there)
          await run(delivered)
        }
        expect(await show(delivered)).toEqual(await show(flow))
      })
    },
  )
})

/** The versions; null, said aloud, where npm cannot be reached, which under CI is an error. */
async function fetched(): Promise<MimeDb | null> {
  try {
    return await mimeDb()
  } catch (error) {
    if (process.env['CI'] !== undefined) throw error
    process.stderr.write(`\nSKIPPED: no test with real data runs here: ${String(error)}\n\n`)
    return null
  }
}

async function withPlace(use: (place: string) => Promise<void>): Promise<void> {
  const place = await mkdtemp(join(tmpdir(), 'tidemark-mime-db-'))
  try {
    await use(place)
  } finally {
    await rm(place, { recursive: true })
  }
}

async function run(flow: string): Promise<void> {
  const { code, err } = await tidemark(['run', flow])
  expect({ code, err }).toEqual({ code: 0, err: '' })
}

async function show(flow: string, ...more: string[]): Promise<Row[]> {
  const { out } = await tidemark(['show', flow, 'media_types', '--format', 'ndjson', ...more])
  return out
    .trimEnd()
    .split('\n')
    .map((line) => row.parse(JSON.parse(line)))
}

/** A version as `show --as-of` takes it: `[1,54,0]`. */
function sequence({ version }: Release): string {
  return JSON.stringify(numbersOf(version))
}

type Contents = Omit<Row, '__START_AT' | '__END_AT'>

function contents({ __START_AT, __END_AT, ...rest }: Row): Contents {
  return rest
}

function sorted(types: Release['types']): Contents[] {
  return Object.entries(types)
    .map(([type, what]) => contentsOf(type, what))
    .sort((a, b) => (a.type < b.type ? -1 : 1))
}

function contentsOf(type: string, what: Release['types'][string]): Contents {
  const { source = null, charset = null, compressible = null, extensions = null } = what
  return { type, source, charset, compressible, extensions }
}

/** What a version differs in from the one before, in the words of a snapshot's record. */
function difference(at: number): string {
  const before = new Map(Object.entries(releases[at - 1]?.types ?? {}))
  const after = new Map(Object.entries(releases[at]?.types ?? {}))
  const both = [...after].filter(([type]) => before.has(type))
  const updated = both.filter(([type, what]) => {
    const old = contentsOf(type, before.get(type) ?? {})
    return JSON.stringify(old) !== JSON.stringify(contentsOf(type, what))
  })
  const counts = [
    `${after.size - both.length} inserted`,
    `${updated.length} updated`,
    `${before.size - both.length} deleted`,
    `${both.length - updated.length} unchanged`,
  ]
  return counts.join(', ')
}

/** A row on a line: `[1.28.0, 1.53.0) iana compressible .markdown .md`. */
function draw({ source, charset, compressible, extensions, __START_AT, __END_AT }: Row): string {
  const interval = `[${__START_AT.join('.')}, ${__END_AT?.join('.') ?? '∞'})`
  const words = [interval, source, charset, compressing(compressible)]
  for (const extension of extensions ?? []) words.push(`.${extension}`)
  return words.filter((word) => word !== null).join(' ')
}

function compressing(compressible: boolean | null): string | null {
  if (compressible === null) return null
  return compressible ? 'compressible' : 'incompressible'
}

/** What the changelog says of a version, its bullets taken off. */
function linesUnder(version: string): string[] {
  const [, section = ''] = `\n${changelog}`.split(`\n${version} / `)
  const [own = ''] = section.split(/\n\d+\.\d+\.\d+ \/ /)
  return own.split('\n').map((line) => line.trim().replace(/^\* /, ''))
}

/** The first version, the last one, and some others, in any order. */
function drawn(random: Random): Release[] {
  const ends = releases.filter((_, i) => i === 0 || i === releases.length - 1)
  const others = shuffled(releases.slice(1, -1), random)
  return shuffled([...ends, ...others.slice(0, LATE - ends.length)], random)
}

function shuffled<T>(things: readonly T[], random: Random): T[] {
  const out: T[] = []
  for (const thing of things) out.splice(random.below(out.length + 1), 0, thing)
  return out
}
