import type { GivenSnapshot, SnapshotCase } from './case.ts'
import { compareRows, drawDifference } from './compare.ts'
import type { CommandLine } from './command-line.ts'
import type { Failure, Means } from './deliver.ts'
import { canonicalText, isObject, jsonText } from './json.ts'
import type { JsonObject } from './json.ts'
import { told, Unexpected, Workspace } from './workspace.ts'

const FLOW = 'case_1'

/**
 * Delivers the snapshots of a case one by one, each as a file of its own that a manifest names, and
 * looks at what became of each and at the table in the end.
 */
export async function deliverSnapshots(
  testCase: SnapshotCase,
  { run, flowFile }: Means,
): Promise<readonly Failure[]> {
  const source = { snapshots: `feed/${FLOW}/manifest.json`, version: 'manifest' }
  const flow = {
    name: FLOW,
    options: testCase.flow,
    source: { ...testCase.options, ...source },
  }
  await using workspace = await Workspace.create([flow], flowFile)
  const failures: Failure[] = []
  const failure = (moment: string, lines: readonly string[]) => {
    if (lines.length > 0) failures.push({ testCase, delivery: 'in order', moment, lines })
  }
  for (const [i, snapshot] of testCase.snapshots.entries()) {
    const moment = `snapshot ${i + 1}`
    failure(moment, await deliverOne(workspace, run, { snapshot, place: i, testCase }))
  }
  failure('at the end', await judgeRows(workspace, run, testCase.rows))
  return failures
}

type Delivered = {
  readonly snapshot: GivenSnapshot
  readonly place: number
  readonly testCase: SnapshotCase
}

async function deliverOne(
  workspace: Workspace,
  run: CommandLine,
  { snapshot, place, testCase }: Delivered,
): Promise<readonly string[]> {
  const file = `${String(place + 1).padStart(6, '0')}.ndjson`
  const lines = snapshot.rows.map((row) => `${jsonText(row)}\n`)
  await workspace.write(FLOW, file, lines.join(''))
  await workspace.write(FLOW, 'manifest.json', jsonText({ snapshots: [entryOf(snapshot, file)] }))

  const answer = await workspace.run(run)
  const expected = testCase.results?.[place] ?? null
  const code = expected === null ? null : (expected['code'] ?? null)
  const skips = skipsLate(testCase) && code === 'OUT_OF_ORDER_SNAPSHOT'
  const isRefused = expected?.['accepted'] === false && !skips
  if (expected === null && answer.code !== 3 && answer.code !== 0) return [`run ${told(answer)}`]
  if (expected !== null && answer.code !== (isRefused ? 3 : 0)) return [`run ${told(answer)}`]
  const named = typeof code !== 'string' || !isRefused || answer.stderr.includes(code)
  if (!named) return [`run must name ${code}, but ${told(answer)}`]
  return expected === null ? [] : judgeRecord(expected, (await workspace.snapshots(run)).at(-1))
}

function entryOf(snapshot: GivenSnapshot, file: string): JsonObject {
  const { version, scope, force, declared_rows: rows } = snapshot
  return {
    file,
    version,
    ...(scope === undefined ? {} : { scope }),
    ...(force === undefined ? {} : { force }),
    ...(rows === undefined ? {} : { rows }),
  }
}

function skipsLate({ options }: SnapshotCase): boolean {
  const { guards } = options
  return isObject(guards) && guards['out_of_order'] === 'skip'
}

const COUNTS = ['inserted', 'updated', 'deleted', 'unchanged']

/** What differs between what a snapshot must come to and its record, as far as the case says. */
function judgeRecord(expected: JsonObject, record: JsonObject | undefined): readonly string[] {
  if (record === undefined) return [`- ${jsonText(expected)}`, '+ no record']
  const outcome = record['outcome']
  const got: JsonObject = {
    ...record,
    accepted: outcome === 'applied' || outcome === 'replayed',
    replayed: outcome === 'replayed',
  }
  const members = ['version', 'accepted', 'code', 'replayed', 'late', ...COUNTS]
  const wrong = members.some((name) => {
    const wanted = expected[name]
    return wanted !== undefined && canonicalText(wanted) !== canonicalText(got[name] ?? null)
  })
  return wrong ? [`- ${jsonText(expected)}`, `+ ${jsonText(got)}`] : []
}

async function judgeRows(
  workspace: Workspace,
  run: CommandLine,
  expected: readonly JsonObject[],
): Promise<readonly string[]> {
  try {
    const difference = compareRows(expected, await workspace.show(run, FLOW))
    return difference === null ? [] : drawDifference(difference)
  } catch (error) {
    if (error instanceof Unexpected) return [error.message]
    throw error
  }
}
