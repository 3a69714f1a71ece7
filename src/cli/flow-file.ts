import type { Arguments } from './arguments.ts'
import type { Io } from './io.ts'
import { loadFlows, openTidemark, TidemarkError } from '../index.ts'
import type { FlowFile, FlowSpec, Tidemark } from '../index.ts'
import { hint } from './nearest.ts'

/** The flow file that a verb names as its first operand. */
export function flowFile(args: Arguments, io: Io): FlowFile {
  return loadFlows(args.required(0), io.env)
}

/** Opens the store of a flow file for reading, which waits for no writer. */
export function openForReading(file: FlowFile): Tidemark {
  return openTidemark(file, { readOnly: true })
}

/**
 * The flows named by `--flow`, each once; none named means all. The name of a flow that has become
 * one for each topic, `crm/TOPIC`, names all of them.
 *
 * @throws TidemarkError `NOT_FOUND` naming the nearest flow of the file
 */
export function chosenFlows(flows: readonly FlowSpec[], args: Arguments): readonly string[] | null {
  const known = flows.map(({ name }) => name)
  const given = args.values('flow')
  const groups = known.flatMap(groupOf)
  for (const name of given) refuseUnknown('flow', name, [...groups, ...known])
  const chosen = given.flatMap((name) =>
    known.includes(name) ? [name] : known.filter((each) => groupOf(each).includes(name)),
  )
  return chosen.length === 0 ? null : [...new Set(chosen)]
}

/**
 * The target that a verb names as its second operand.
 *
 * @throws TidemarkError `NOT_FOUND` naming the nearest target of the file
 */
export function chosenTarget(flows: readonly FlowSpec[], args: Arguments): string {
  const name = args.required(1)
  refuseUnknown(
    'target',
    name,
    flows.map(({ target }) => target),
  )
  return name
}

/** What a flow of one topic is called together with those of the others; topics have no slash. */
function groupOf(name: string): readonly string[] {
  const end = name.lastIndexOf('/')
  return end > 0 ? [name.slice(0, end)] : []
}

function refuseUnknown(what: string, name: string, known: readonly string[]): void {
  if (known.includes(name)) return
  const names = [...new Set(known)]
  throw new TidemarkError(
    'NOT_FOUND',
    `the flow file has no ${what} ${JSON.stringify(name)}${hint(name, names)}`,
  )
}
