import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  openTidemark,
  parseFlows,
  plainText,
  TidemarkError,
  type RunSummary,
  type Tidemark,
  type Value,
} from '../../src/index.ts'

/** Options of a flow beyond the ones that these examples take for granted. */
export type Options = Readonly<Record<string, unknown>>

/** An event as a program hands it over. */
export type Event = Readonly<Record<string, unknown>>

/**
 * Flows that are fed from code into the target `t`, in a store of their own. Each is keyed by
 * `id` and ordered by `s`, which is no column of the target, unless its options say otherwise.
 */
export class Fed implements Disposable {
  private readonly place = mkdtempSync(join(tmpdir(), 'tidemark-semantics-'))
  private tidemark: Tidemark
  private clock = 0n

  constructor(...flows: readonly Options[]) {
    this.tidemark = this.open(flows)
  }

  /** Feeds events through the first flow as one batch. */
  feed(...events: readonly Event[]): RunSummary {
    return this.feedTo('f0', ...events)
  }

  /** Feeds events through a flow; they are named `f0`, `f1`, … */
  feedTo(flow: string, ...events: readonly Event[]): RunSummary {
    return this.tidemark.apply(flow, events)
  }

  /** Goes on with the same store and other flows. */
  reconfigure(...flows: readonly Options[]): void {
    this.tidemark[Symbol.dispose]()
    this.tidemark = this.open(flows)
  }

  /** Runs the first flow to the end of its source. */
  async run(fromNow: boolean): Promise<RunSummary | undefined> {
    const [summary] = await this.tidemark.run({ mode: 'bounded', fromNow })
    return summary
  }

  /** A path beside the store. */
  path(name: string): string {
    return join(this.place, name)
  }

  /** The rows of the target, each as `id=1 name=Ann`. */
  get rows(): string[] {
    return [...this.tidemark.rows('t')].map(({ names, values }) =>
      names.map((name, i) => `${name}=${drawValue(values[i] ?? null)}`).join(' '),
    )
  }

  /** The rows of the target as values. */
  get values(): (readonly Value[])[] {
    return [...this.tidemark.rows('t')].map(({ values }) => values)
  }

  /** What was set aside: `code: reason`. */
  get quarantine(): string[] {
    return [...this.tidemark.quarantine()].map(({ code, reason }) => `${code}: ${reason}`)
  }

  [Symbol.dispose](): void {
    this.tidemark[Symbol.dispose]()
    rmSync(this.place, { recursive: true })
  }

  private open(flows: readonly Options[]): Tidemark {
    const written = flows.map((flow, i) => ({ ...GIVEN, name: `f${i}`, ...flow }))
    const file = parseFlows({ store: { sqlite: 'store.db' }, flows: written }, this.place)
    return openTidemark(file, { clock: { micros: () => (this.clock += 1n) } })
  }
}

/** The message of the fault that stops the work. */
export function fault(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (error instanceof TidemarkError) return error.message
    throw error
  }
  return 'no fault'
}

const GIVEN = {
  target: 't',
  source: { events: true },
  keys: ['id'],
  sequence_by: 's',
  except_column_list: ['s'],
  max_refused_fraction: null,
}

function drawValue(value: Value): string {
  return value === null ? '∅' : plainText(value)
}
