import { existsSync } from 'node:fs'
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test as base, expect } from 'vitest'
import { z } from 'zod'
import { tidemark } from './cli/captured.ts'
import type { Captured } from './cli/captured.ts'
import { shownIn, withoutSeconds } from './markdown.ts'

const SAMPLES = fileURLToPath(new URL('../samples', import.meta.url))
const ALL = await readdir(SAMPLES)
/** Those that bring their feed along. The one that needs a broker has a test of its own, in spec/kafka. */
const FEEDS = ALL.filter((name) => existsSync(join(SAMPLES, name, 'feed')))
/** Those of full extracts. */
const EXTRACTS = ALL.filter((name) => existsSync(join(SAMPLES, name, 'extracts')))

const listed = z.object({ snapshots: z.array(z.unknown()) })

const test = base.extend<{ samples: string }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest wants a pattern here
  samples: async ({}, use) => {
    const place = await mkdtemp(join(tmpdir(), 'tidemark-samples-'))
    await cp(SAMPLES, place, { recursive: true, filter: isNoStore })
    await use(place)
    await rm(place, { recursive: true })
  },
})

test('the README of the project leads to every sample', async () => {
  const page = await readFile(fileURLToPath(new URL('../README.md', import.meta.url)), 'utf8')
  expect(ALL.filter((name) => !page.includes(`(samples/${name}/README.md)`))).toEqual([])
})

test.for(FEEDS)('%s gives the tables that it shows', async (name, { samples }) => {
  const sample = join(samples, name)
  expect((await runAll(sample)).err).toBe('')
  expect(await tablesOf(sample)).toEqual(await expectedOf(sample))
  expect(await tidemark(['doctor', join(sample, 'flow.yaml')])).toMatchObject({ code: 0 })
})

test.for([...FEEDS, ...EXTRACTS])(
  '%s says what its commands print, and to which tables they lead',
  async (name, { samples }) => {
    const sample = join(samples, name)
    const shown = shownIn(await readFile(join(sample, 'README.md'), 'utf8'))
    expect(shown.length).toBeGreaterThan(1)
    for (const { commands, output } of shown) {
      const printed: string[] = []
      for (const line of commands.trimEnd().split('\n')) {
        const { words, exits } = commandOf(line, samples)
        const { code, out, err } = await tidemark(words, { columns: 120 })
        expect({ line, code }).toEqual({ line, code: exits })
        printed.push(out.replaceAll(samples, 'samples'), err)
      }
      if (output !== null) expect(withoutSeconds(printed.join(''))).toBe(withoutSeconds(output))
    }
    expect(await tablesOf(sample)).toEqual(await expectedOf(sample))
    expect(await tidemark(['doctor', join(sample, 'flow.yaml')])).toMatchObject({ code: 0 })
  },
)

/** Ways to deliver the records of a feed: into files, each read by a run of its own if `often`. */
const DELIVERIES = [
  { how: 'a record a commit', files: inOne, batch: 1, often: false },
  { how: 'backwards, three records a commit', files: backwards, batch: 3, often: false },
  { how: 'a record a run, the latter half first', files: latterHalfFirst, batch: 9, often: true },
  { how: 'twice, the second time backwards', files: twice, batch: 4, often: false },
] as const

test.for(FEEDS.flatMap((name) => DELIVERIES.map((delivery) => ({ name, ...delivery }))))(
  '$name gives the same tables when it comes $how',
  async ({ name, files, batch, often }, { samples }) => {
    const sample = join(samples, name)
    await limitBatches(sample, batch)
    await redeliver(sample, files, often)
    expect(rowsIn(await tablesOf(sample))).toEqual(rowsIn(await expectedOf(sample)))
  },
)

test.for([
  ['the newest first', [4, 3, 2, 1, 0]],
  ['the inner ones last', [0, 4, 2, 1, 3]],
] as const)(
  '06-media-types gives the same table when its versions come one by one, %s',
  async ([, order], { samples }) => {
    const sample = join(samples, '06-media-types')
    const manifest = join(sample, 'extracts', 'manifest.json')
    const { snapshots } = listed.parse(JSON.parse(await readFile(manifest, 'utf8')))
    expect(snapshots).toHaveLength(order.length)
    for (const i of order.keys()) {
      const there = order.slice(0, i + 1).map((place) => snapshots[place])
      await writeFile(manifest, JSON.stringify({ snapshots: there }))
      await runAll(sample)
    }
    expect(rowsIn(await tablesOf(sample))).toEqual(rowsIn(await expectedOf(sample)))
  },
)

test('07-nightly-extracts takes a whole extract in the place of the broken one, late', async ({
  samples,
}) => {
  const sample = join(samples, '07-nightly-extracts')
  const run = ['run', join(sample, 'flow.yaml'), '--force', 'deletes']
  expect(await tidemark(run)).toMatchObject({ code: 3 })

  const whole = await readFile(join(sample, 'extracts/2026-03-02.csv'), 'utf8')
  const cheaper = whole.replace('A-1,anchor,129.00,4', 'A-1,anchor,99.00,3')
  await writeFile(join(sample, 'extracts/2026-03-03.csv'), cheaper)
  expect(await tidemark(run)).toMatchObject({ code: 0, err: '' })
  const { 'products.ndjson': products = '' } = await tablesOf(sample)
  expect(products.split('\n').filter((line) => line.includes('A-1'))).toEqual([
    '{"sku":"A-1","name":"anchor","price":129,"stock":4,"__START_AT":"2026-03-01T00:00:00Z","__END_AT":"2026-03-03T00:00:00Z"}',
    '{"sku":"A-1","name":"anchor","price":99,"stock":3,"__START_AT":"2026-03-03T00:00:00Z","__END_AT":"2026-03-04T00:00:00Z"}',
  ])
})

function inOne(records: readonly string[]): string[][] {
  return [[...records]]
}

function backwards(records: readonly string[]): string[][] {
  return [records.toReversed()]
}

function latterHalfFirst(records: readonly string[]): string[][] {
  const middle = Math.floor(records.length / 2)
  return [...records.slice(middle), ...records.slice(0, middle)].map((record) => [record])
}

function twice(records: readonly string[]): string[][] {
  return [[...records], records.toReversed()]
}

async function runAll(sample: string): Promise<Captured> {
  const ran = await tidemark(['run', join(sample, 'flow.yaml'), '--json'])
  expect(ran).toMatchObject({ code: 0 })
  return ran
}

/** Every expected file's name, and what `show` prints for its target. */
async function tablesOf(sample: string): Promise<Record<string, string>> {
  const tables: Record<string, string> = {}
  for (const file of await readdir(join(sample, 'expected'))) {
    const words = ['show', join(sample, 'flow.yaml'), file.replace('.ndjson', '')]
    tables[file] = (await tidemark([...words, '--format', 'ndjson'])).out
  }
  return tables
}

async function expectedOf(sample: string): Promise<Record<string, string>> {
  const tables: Record<string, string> = {}
  for (const file of await readdir(join(sample, 'expected'))) {
    tables[file] = await readFile(join(sample, 'expected', file), 'utf8')
  }
  return tables
}

/** Rows as objects: columns stand in the order in which records first had them. */
function rowsIn(tables: Readonly<Record<string, string>>): Record<string, unknown[]> {
  return Object.fromEntries(
    Object.entries(tables).map(([file, text]) => [
      file,
      text
        .trimEnd()
        .split('\n')
        .map((line): unknown => JSON.parse(line)),
    ]),
  )
}

async function limitBatches(sample: string, records: number): Promise<void> {
  const path = join(sample, 'flow.yaml')
  const text = await readFile(path, 'utf8')
  await writeFile(path, text.replaceAll('source: {', `source: { max_batch_records: ${records},`))
}

/** Puts other files in the place of a feed's, with the same records, and runs. */
async function redeliver(
  sample: string,
  arrange: (records: readonly string[]) => string[][],
  often: boolean,
): Promise<void> {
  const feed = join(sample, 'feed')
  const names = (await readdir(feed)).toSorted()
  const extension = extname(names[0] ?? '')
  const texts = await Promise.all(names.map((name) => readFile(join(feed, name), 'utf8')))
  await Promise.all(names.map((name) => rm(join(feed, name))))

  const header = extension === '.csv' ? (texts[0]?.split('\n').slice(0, 1) ?? []) : []
  const records = texts.flatMap((text) => text.trimEnd().split('\n').slice(header.length))
  for (const [i, group] of arrange(records).entries()) {
    await writeFile(join(feed, `${i}${extension}`), `${[...header, ...group].join('\n')}\n`)
    if (often) await runAll(sample)
  }
  await runAll(sample)
}

/** `npx tidemark WORDS`, paths below `samples/` being those of the copy; it exits with 0 unless a comment says otherwise. */
function commandOf(line: string, samples: string): { words: string[]; exits: number } {
  const [command = '', comment = '# exits with 0'] = line.split(/ (?=# )/)
  const [npx, program, ...words] = command.split(' ')
  expect([npx, program]).toEqual(['npx', 'tidemark'])
  return {
    words: words.map((word) => word.replace(/^samples/, samples).replace(/^'(.*)'$/, '$1')),
    exits: Number(comment.replace('# exits with ', '')),
  }
}

/** Whether a path is not of a store that somebody's run of the sample left behind. */
function isNoStore(path: string): boolean {
  return !/\.db(?:-\w+)?$/.test(path)
}
