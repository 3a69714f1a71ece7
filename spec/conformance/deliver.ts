import type { AsOf, BatchCase, SnapshotCase } from './case.ts'
import type { Answer, CommandLine } from './command-line.ts'
import { agrees, compareRows, drawDifference, numberSystemTimes } from './compare.ts'
import type { Delivery } from './delivery.ts'
import { isArray, jsonText } from './json.ts'
import type { Json, JsonObject } from './json.ts'
import { systemTimesOf, told, Unexpected, Workspace } from './workspace.ts'

/** A case, how to deliver it, and the command line that reads its table back. */
export type Assignment = {
  readonly testCase: BatchCase
  readonly delivery: Delivery
  readonly show: CommandLine
}

/** What was not as the case says: the case, the way of delivery, the moment, and lines to look at. */
export type Failure = {
  readonly testCase: BatchCase | SnapshotCase
  readonly delivery: string
  readonly moment: string
  readonly lines: readonly string[]
}

/** Which command line runs the flows, and as what the flow file is written. */
export type Means = { readonly run: CommandLine; readonly flowFile: 'json' | 'yaml' }

/**
 * Delivers cases, each as a flow of one flow file with a target of its own: the n-th batches of
 * all of them, a run, the next. Gives what went wrong.
 *
 * A case that must be refused stops the run of everything in its flow file, so it comes alone.
 */
export async function deliver(
  assignments: readonly Assignment[],
  means: Means,
): Promise<readonly Failure[]> {
  const tables = assignments.map((assignment, i) => new Table(`case_${i + 1}`, assignment))
  await using workspace = await Workspace.create(
    tables.map(({ flow, testCase }) => ({ name: flow, options: testCase.flow })),
    means.flowFile,
  )
  const batches = Math.max(0, ...tables.map(lastBatch))
  for (let number = 1; number <= batches; number++) {
    for (const table of tables) {
      await workspace.feed(table.flow, table.delivery.batches[number - 1] ?? [])
    }
    const answer = await workspace.run(means.run)
    const wrong = tables.flatMap((table) => table.judgeRun(number, answer))
    if (wrong.length > 0) return [...tables.flatMap(({ failures }) => failures), ...wrong]
    for (const table of tables) await table.judgeCheckpoints(number, workspace)
  }
  for (const table of tables) await table.judgeEnd(workspace)
  return tables.flatMap(({ failures }) => failures)
}

/** What follows a refused batch is not delivered. */
function lastBatch({ testCase, delivery }: Table): number {
  return testCase.refusal?.atBatch ?? delivery.batches.length
}

/** One case on its way through a workspace. */
class Table {
  readonly flow: string
  readonly testCase: BatchCase
  readonly delivery: Delivery
  readonly failures: Failure[] = []
  readonly #show: CommandLine
  /** The batch that each system time belongs to. A batch without records need not be a commit. */
  readonly #batchOf = new Map<string, number>()

  constructor(flow: string, { testCase, delivery, show }: Assignment) {
    this.flow = flow
    this.testCase = testCase
    this.delivery = delivery
    this.#show = show
  }

  /** Whether the run of a batch ended as the case says; remembers the system time of its commit. */
  judgeRun(number: number, answer: Answer): Failure[] {
    const { refusal } = this.testCase
    const moment = `batch ${number}`
    if (refusal?.atBatch === number) {
      if (answer.code === 3 && hasWord(answer.stderr, refusal.code)) return []
      return [
        this.#failure(moment, [
          `run must exit with 3 and name ${refusal.code}`,
          `but ${told(answer)}`,
        ]),
      ]
    }
    if (answer.code !== 0) return [this.#failure(moment, [`run ${told(answer)}`])]
    const times = systemTimesOf(answer)
    if (times === null) return [this.#failure(moment, [`run --json printed ${answer.stdout}`])]
    const time = times.get(this.flow)
    if (time !== undefined && !this.#batchOf.has(time)) this.#batchOf.set(time, number)
    return []
  }

  async judgeCheckpoints(number: number, workspace: Workspace): Promise<void> {
    if (this.delivery.cut !== 'as given') return
    for (const { afterBatch, rows } of this.testCase.checkpoints) {
      if (afterBatch === number) await this.#judgeRows(`after batch ${number}`, rows, workspace)
    }
  }

  async judgeEnd(workspace: Workspace): Promise<void> {
    await this.#judgeRows('at the end', this.testCase.rows, workspace)
    for (const question of this.testCase.asOf) await this.#judgeAsOf(question, workspace)
  }

  async #judgeRows(
    moment: string,
    expected: readonly JsonObject[],
    workspace: Workspace,
  ): Promise<void> {
    await this.#looking(moment, async () => {
      const rows = await workspace.show(this.#show, this.flow)
      const got = this.#hasEngineTime() ? numberSystemTimes(rows, this.#batchOf) : rows
      const difference = compareRows(expected, got)
      return difference === null ? [] : drawDifference(difference)
    })
  }

  async #judgeAsOf({ key, valid, system, expect }: AsOf, workspace: Workspace): Promise<void> {
    const moment = `key ${jsonText(key)} at ${jsonText(valid)} as believed at ${jsonText(system)}`
    await this.#looking(moment, async () => {
      const systemAsOf = this.#hasEngineTime() && system !== null ? this.#timeOf(system) : system
      // Before the first commit nothing is believed, and there is no time to ask for.
      const rows =
        systemAsOf === undefined
          ? []
          : await workspace.show(this.#show, this.flow, {
              key: this.#keyOf(key),
              asOf: valid,
              systemAsOf,
            })
      const right =
        expect === null
          ? rows.length === 0
          : rows.length === 1 && rows.every((row) => agrees(expect, row))
      if (right) return []
      return [`- ${jsonText(expect)}`, ...rows.map((row) => `+ ${jsonText(row)}`)]
    })
  }

  /** The system time of the last commit up to a batch; undefined if there was none. */
  #timeOf(batch: Json): string | undefined {
    const wanted = Number(jsonText(batch))
    const upTo = [...this.#batchOf].filter(([, number]) => number <= wanted)
    return upTo.at(-1)?.[0]
  }

  #keyOf(key: Json): JsonObject {
    const { keys } = this.testCase.flow
    const columns = isArray(keys) ? keys.filter((column) => typeof column === 'string') : []
    const values = columns.length > 1 && isArray(key) ? key : [key]
    return Object.fromEntries(columns.map((column, i) => [column, values[i] ?? null]))
  }

  #hasEngineTime(): boolean {
    const { stored_as_scd_type: kind, system_sequence_by: given } = this.testCase.flow
    return kind === 'bitemporal' && given === undefined
  }

  async #looking(moment: string, look: () => Promise<readonly string[]>): Promise<void> {
    const lines = await look().catch((error: unknown) => {
      if (error instanceof Unexpected) return [error.message]
      throw error
    })
    if (lines.length > 0) this.failures.push(this.#failure(moment, lines))
  }

  #failure(moment: string, lines: readonly string[]): Failure {
    return { testCase: this.testCase, delivery: this.delivery.title, moment, lines }
  }
}

/** Whether a code stands in a text by itself: `NULL_KEY` is not in `NOT_NULL_KEYS`. */
function hasWord(text: string, word: string): boolean {
  return text.split(/\W+/).includes(word)
}
