import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { format } from 'node:util'
import { expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { FAULTS, parseFlows } from '../src/index.ts'
import { COMMANDS } from '../src/cli/commands.ts'
import { flowSchema } from '../src/pipeline/flow-spec-schema.ts'
import { KAFKA_OPTIONS } from '../src/pipeline/flow-spec-kafka.ts'
import { SOURCE_OPTIONS } from '../src/pipeline/flow-spec-source.ts'
import { blocksOf, shownIn, tableUnder, withoutSeconds } from './markdown.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const README = await readFile(join(ROOT, 'README.md'), 'utf8')

const INSTALL = 'npm ci && npm run build && '
const TEST = 'npm ci && npm test\n'

test('the first two commands install and show a sample, and run the tests', () => {
  const [first, second] = shownIn(README).map(({ commands }) => commands)
  expect(first).toMatch(
    /^npm ci && npm run build && npx tidemark run \S+ && npx tidemark show .+\n$/,
  )
  expect(second).toBe(TEST)
})

test('every command does what the page says', { timeout: 300_000 }, () => {
  const place = copyOfSamples()
  try {
    for (const { commands, output } of shownIn(README)) {
      if (commands === TEST) continue
      const script = commands.replace(INSTALL, '')
      const { status, stdout, stderr } = shell(script, place)
      expect({ script, status, stderr: withoutNotes(stderr) }).toEqual({
        script,
        status: 0,
        stderr: '',
      })
      if (output !== null) expect(withoutSeconds(stdout)).toBe(withoutSeconds(output))
      // What the first command shows stands below the second.
      if (script !== commands) expect(stdout).toContain(tableOfFirstCommand())
    }
  } finally {
    rmSync(place, { recursive: true })
  }
})

test('every command of the command line is on the page', () => {
  const missing = COMMANDS.filter(({ name }) => !README.includes(name)).map(({ name }) => name)
  expect(missing).toEqual([])
})

test('the library example is the one that is checked, and prints what the page says', async () => {
  const page = blocksOf(README)
  const at = page.findIndex(({ language }) => language === 'ts')
  const source = await readFile(join(ROOT, 'spec/readme-example.ts'), 'utf8')
  expect(page[at]?.text).toBe(source.replace('../src/index.ts', 'tidemark'))

  const printed: string[] = []
  const log = vi.spyOn(console, 'log').mockImplementation((...words: unknown[]) => {
    printed.push(`${format(...words)}\n`)
  })
  await import('./readme-example.ts')
  log.mockRestore()
  expect(printed.join('')).toBe(page[at + 1]?.text)
})

const FLOW_ROWS = optionsUnder('### Options of a flow')
const SOURCE_ROWS = optionsUnder('### Options of a source')
const FEED_ROWS = optionsUnder('### Options of messages')
const KAFKA_ROWS = optionsUnder('### Options of kafka')
const SNAPSHOT_ROWS = optionsUnder('### Options of snapshots')

test('the tables have every option, and no other', () => {
  expect(FLOW_ROWS.map(({ option }) => option).toSorted()).toEqual(
    Object.keys(flowSchema.shape).toSorted(),
  )
  const rows = [...SOURCE_ROWS, ...FEED_ROWS, ...SNAPSHOT_ROWS]
  expect(rows.map(({ option }) => option).toSorted()).toEqual(SOURCE_OPTIONS.toSorted())
  expect(KAFKA_ROWS.map(({ option }) => option).toSorted()).toEqual(KAFKA_OPTIONS.toSorted())
})

test('every default written out changes nothing, and where none is told there is none', () => {
  const required = { target: 't', keys: ['k'], sequence_by: 's' }
  const flow = { ...required, source: { files: 'feed/*.csv' } }
  const spelled = {
    ...required,
    ...defaultsIn(FLOW_ROWS),
    source: { files: 'feed/*.csv', ...defaultsIn([...SOURCE_ROWS, ...FEED_ROWS]) },
  }
  const { flows } = parseFlows({ store: { memory: true }, flows: [flow] }, '.')
  expect(parseFlows({ store: { memory: true }, flows: [spelled] }, '.').flows).toEqual(flows)

  const [parsed] = flows
  const given: Readonly<Record<string, unknown>> = { ...parsed, ...parsed?.source }
  const silent = [...FLOW_ROWS, ...SOURCE_ROWS].filter(({ told }) => told === null)
  const others = silent.filter(({ option }) => (given[option] ?? null) !== null)
  // Those that have to be given, and the name, which is the target's.
  expect(others.map(({ option }) => option)).toEqual([
    'name',
    'target',
    'source',
    'keys',
    'sequence_by',
    'files',
  ])
})

test('the exit codes are those that faults have', () => {
  const codes = tableUnder(README, '## Exit codes').map(([code]) => Number(code))
  // Codes of faults, and those that are none: done, a bug, and files that differ.
  const used = new Set([0, 1, 10, ...Object.values(FAULTS).map(({ exit }) => exit)])
  expect(codes).toEqual([...used].toSorted((a, b) => a - b))
})

type OptionRow = {
  readonly option: string
  /** The default as YAML; null where the cell is no code. */
  readonly told: string | null
}

function optionsUnder(heading: string): OptionRow[] {
  return tableUnder(README, heading).map(([option = '', , told = '']) => ({
    option: codeIn(option) ?? '',
    told: codeIn(told),
  }))
}

function defaultsIn(rows: readonly OptionRow[]): Record<string, unknown> {
  return Object.fromEntries(
    rows.flatMap(({ option, told }) => (told === null ? [] : [[option, parse(told) as unknown]])),
  )
}

/** The text of a cell that is all code. */
function codeIn(cell: string): string | null {
  return /^`([^`]+)`$/.exec(cell)?.[1] ?? null
}

function tableOfFirstCommand(): string {
  return blocksOf(README).find(({ language }) => language === 'text')?.text ?? ''
}

/** A folder like the repository's, with the samples, and with an `npx` that runs the sources. */
function copyOfSamples(): string {
  const place = mkdtempSync(join(tmpdir(), 'tidemark-readme-'))
  cpSync(join(ROOT, 'samples'), join(place, 'samples'), {
    recursive: true,
    filter: (path) => !/\.db(?:-\w+)?$/.test(path),
  })
  mkdirSync(join(place, 'bin'))
  const npx = join(place, 'bin', 'npx')
  const program = `"${ROOT}node_modules/.bin/tsx" "${ROOT}src/cli/bin.ts"`
  writeFileSync(npx, `#!/bin/sh\n[ "$1" = tidemark ] && shift && exec ${program} "$@"\n`)
  chmodSync(npx, 0o755)
  return place
}

function shell(
  script: string,
  cwd: string,
): ReturnType<typeof spawnSync> & { stdout: string; stderr: string } {
  const path = `${join(cwd, 'bin')}${delimiter}${process.env['PATH'] ?? ''}`
  const env = { ...process.env, PATH: path, NO_COLOR: '1' }
  return spawnSync('bash', ['-e', '-c', script], { cwd, env, encoding: 'utf8' })
}

/** What is told on stderr without anything being wrong. */
function withoutNotes(stderr: string): string {
  return stderr.replace('the quarantine is empty\n', '')
}
