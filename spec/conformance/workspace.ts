import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Answer, CommandLine } from './command-line.ts'
import type { FeedFile } from './delivery.ts'
import { isObject, jsonText, readJson } from './json.ts'
import type { Json, JsonObject } from './json.ts'

/** A flow of a workspace: its name, which is its target's too, and its options. */
export type WorkspaceFlow = {
  readonly name: string
  readonly options: JsonObject
  /** A directory of feed files unless given. */
  readonly source?: JsonObject
}

/** How far a key's rows are asked for. */
export type Question = { readonly key: JsonObject; readonly asOf: Json; readonly systemAsOf: Json }

/** What a command line said when it did not do what was asked. */
export class Unexpected extends Error {}

/**
 * A user's directory: a flow file, a feed directory for each flow, and a store. Removed when
 * disposed.
 */
export class Workspace implements AsyncDisposable {
  readonly #directory: string
  readonly #flowFile: string

  private constructor(directory: string, flowFile: string) {
    this.#directory = directory
    this.#flowFile = flowFile
  }

  /** A new directory with the flow file in it. JSON is YAML too, so the extension may be either. */
  static async create(
    flows: readonly WorkspaceFlow[],
    extension: 'json' | 'yaml',
  ): Promise<Workspace> {
    const directory = await mkdtemp(join(tmpdir(), 'tidemark-conformance-'))
    const flowFile = join(directory, `flows.${extension}`)
    const content = {
      store: { sqlite: 'warehouse.db' },
      flows: flows.map(({ name, options, source }) => ({
        ...options,
        name,
        target: name,
        source: source ?? { files: `feed/${name}/*.ndjson` },
      })),
    }
    await writeFile(flowFile, `${jsonText(content)}\n`)
    for (const { name } of flows) await mkdir(join(directory, 'feed', name), { recursive: true })
    return new Workspace(directory, flowFile)
  }

  /** Adds files to a flow's feed. */
  async feed(flow: string, files: readonly FeedFile[]): Promise<void> {
    for (const { name, records } of files) {
      const lines = records.map((record) => `${jsonText(record)}\n`)
      await writeFile(join(this.#directory, 'feed', flow, name), lines.join(''))
    }
  }

  /** Puts a file in the place of what a flow's directory had by that name. */
  async write(flow: string, name: string, text: string): Promise<void> {
    await writeFile(join(this.#directory, 'feed', flow, name), text)
  }

  /** The record of snapshots. @throws Unexpected */
  async snapshots(line: CommandLine): Promise<JsonObject[]> {
    const answer = await line(['snapshot', 'list', this.#flowFile, '--json'])
    if (answer.code !== 0) throw new Unexpected(`snapshot list ${told(answer)}`)
    return objectsOf(answer.stdout) ?? []
  }

  /** Applies what is new. */
  run(line: CommandLine): Promise<Answer> {
    return line(['run', this.#flowFile, '--json'])
  }

  /**
   * The rows of a target, or of one key as of then. `show` prints none of a target that never
   * came to be.
   *
   * @throws Unexpected if `show` fails or its rows are not all of the same columns
   */
  async show(line: CommandLine, target: string, question?: Question): Promise<JsonObject[]> {
    const words = ['show', this.#flowFile, target, '--format', 'ndjson']
    const answer = await line([...words, ...(question === undefined ? [] : wordsOf(question))])
    if (answer.code !== 0) throw new Unexpected(`show ${told(answer)}`)
    return rowsOf(answer.stdout)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#directory, { recursive: true, force: true })
  }
}

/** An answer in a sentence, its stderr included. */
export function told({ code, stderr }: Answer): string {
  const said = stderr.trim()
  return `exited with ${code}: ${said === '' ? 'nothing on stderr' : said}`
}

/** The system time of each flow's last commit, from what `run --json` printed; null if that is no NDJSON. */
export function systemTimesOf({ stdout }: Answer): ReadonlyMap<string, string> | null {
  const summaries = objectsOf(stdout)
  if (summaries === null) return null
  const times = new Map<string, string>()
  for (const { flow, system_time: time } of summaries) {
    if (typeof flow === 'string' && typeof time === 'string') times.set(flow, time)
  }
  return times
}

/** Values are written as JSON, so that the text `"7"` is not taken for the number. */
function wordsOf({ key, asOf, systemAsOf }: Question): string[] {
  const parts = Object.entries(key).map(([name, value]) => `--key=${name}=${jsonText(value)}`)
  const system = systemAsOf === null ? [] : [`--system-as-of=${jsonText(systemAsOf)}`]
  return [...parts, `--as-of=${jsonText(asOf)}`, ...system]
}

/** The contract: one object per row, every target column present. */
function rowsOf(stdout: string): JsonObject[] {
  const rows = objectsOf(stdout)
  if (rows === null) throw new Unexpected(`show --format ndjson printed ${stdout}`)
  const columns = new Set(rows.map((row) => JSON.stringify(Object.keys(row).sort())))
  if (columns.size <= 1) return rows
  throw new Unexpected(`show printed rows of different columns: ${[...columns].join(' and ')}`)
}

/** The objects of NDJSON text; null if a line is none. */
function objectsOf(ndjson: string): JsonObject[] | null {
  try {
    const values = ndjson
      .split('\n')
      .filter((line) => line !== '')
      .map(readJson)
    return values.every(isObject) ? values : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
