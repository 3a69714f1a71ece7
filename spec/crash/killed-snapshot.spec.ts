import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { jsonText, loadFlows, openTidemark } from '../../src/index.ts'
import { build, Running, runToEnd } from './command.ts'
import { Random } from './random.ts'

/** How many kills there are; a quarter of `CRASH_KILLS` in the long form. */
const KILLS = Math.ceil(Number(process.env['CRASH_KILLS'] ?? 12) / 4)

/** Rows of the second extract: enough that it takes a while, also to be applied. */
const ROWS = 10_000

const seed = Number(process.env['CRASH_SEED'] ?? Date.now() % 1_000_000)

beforeAll(build, 120_000)

test(
  `10 a run that is killed in the middle of a large snapshot leaves none of it, and goes on to all of it (CRASH_SEED=${seed})`,
  async () => {
    const random = new Random(seed)
    using first = new Extracts(random)
    const expected = await undisturbed(first)

    let inTheMiddle = 0
    // A kill that comes when all is done shows nothing: until one did not, there are more.
    for (let kills = 0; kills < KILLS || (inTheMiddle === 0 && kills < 10 * KILLS); kills += 1) {
      using job = first.again()
      const running = new Running(['run', job.flows])
      const started = performance.now()
      while (job.state().applied === 0 && performance.now() - started < 60_000) await setTimeout(5)
      await setTimeout(random.below(expected.secondMs / 2))
      await running.stop('SIGKILL')

      const { applied, rows } = job.state()
      if (applied === 1) {
        inTheMiddle += 1
        expect(rows).toEqual(expected.first)
      }
      expect(await runToEnd(['run', job.flows])).toMatchObject({ code: 0, err: '' })
      expect(job.state()).toEqual({ applied: 2, rows: expected.second, findings: [] })
    }
    expect(inTheMiddle).toBeGreaterThan(0)
  },
  120_000 + KILLS * 30_000,
)

/** What the table is after each of the two snapshots, and how long the second takes. */
async function undisturbed(job: Extracts) {
  job.write(2, '')
  await runToEnd(['run', job.flows])
  const { rows: first } = job.state()
  job.write(2, job.second)
  const started = performance.now()
  expect(await runToEnd(['run', job.flows])).toMatchObject({ code: 0, err: '' })
  const { rows: second } = job.state()
  expect(second.length).toBeGreaterThan(ROWS)
  return { first, second, secondMs: performance.now() - started }
}

/** A folder with two extracts, a flow file and a store. */
class Extracts implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'tidemark-crash-'))
  readonly flows = join(this.folder, 'flows.json')
  readonly second: string
  private readonly first: string

  constructor(random: Random | null, texts: readonly [string, string] | null = null) {
    mkdirSync(join(this.folder, 'extracts'))
    writeFileSync(this.flows, JSON.stringify(FLOWS))
    const rows = (count: number, v: () => number): string =>
      Array.from({ length: count }, (_, id) => `${JSON.stringify({ id, v: v() })}\n`).join('')
    const given = texts ?? [
      rows(ROWS / 10, () => 0),
      rows(ROWS, () => (random?.chance(0.5) === true ? 1 : 0)),
    ]
    ;[this.first, this.second] = given
    this.write(1, this.first)
    this.write(2, this.second)
  }

  /** Another folder with the same extracts. */
  again(): Extracts {
    return new Extracts(null, [this.first, this.second])
  }

  /** Writes an extract; an empty one is none. */
  write(version: number, text: string): void {
    const path = join(this.folder, 'extracts', `${version}.ndjson`)
    if (text === '') rmSync(path)
    else writeFileSync(path, text)
  }

  state(): { applied: number; rows: readonly string[]; findings: readonly string[] } {
    try {
      using tidemark = openTidemark(loadFlows(this.flows, {}), { readOnly: true })
      const applied = tidemark.snapshots().filter(({ outcome }) => outcome === 'applied').length
      if (applied === 0) return NOTHING
      const rows = Array.from(tidemark.rows('t'), ({ values }) => values.map(jsonText).join())
      const findings = Array.from(tidemark.doctor(), ({ law, message }) => `${law}: ${message}`)
      return { applied, rows, findings }
    } catch {
      return NOTHING
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

const NOTHING = { applied: 0, rows: [], findings: [] }

const FLOWS = {
  store: { sqlite: 'store.db' },
  flows: [
    {
      target: 't',
      keys: 'id',
      stored_as_scd_type: 2,
      source: {
        snapshots: 'extracts/*.ndjson',
        version: { file_name: '(\\d+)\\.ndjson$', type: 'integer' },
      },
    },
  ],
}
