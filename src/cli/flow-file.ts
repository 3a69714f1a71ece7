import type { Arguments } from './arguments.ts'
import type { Io } from './io.ts'
import { loadFlows, openTidemark, TidemarkError } from '../index.ts'
import type { FlowFile, Tidemark } from '../index.ts'
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
 * The flows named by `--flow`, each once; none named means all.
 *
 * @throws TidemarkError `NOT_FOUND` naming the nearest flow of the file
 */
export function chosenFlows(file: FlowFile, args: Arguments): readonly string[] | null {
  const known = file.flows.map(({ name }) => name)
  const chosen = [...new Set(args.values('flow'))]
  for (const name of chosen) refuseUnknown('flow', name, known)
  return chosen.length === 0 ? null : chosen
}

/**
 * The target that a verb names as its second operand.
 *
 * @throws TidemarkError `NOT_FOUND` naming the nearest target of the file
 */
export function chosenTarget(file: FlowFile, args: Arguments): string {
  const name = args.required(1)
  refuseUnknown(
    'target',
    name,
    file.flows.map(({ target }) => target),
  )
  return name
}

function refuseUnknown(what: string, name: string, known: readonly string[]): void {
  if (known.includes(name)) return
  const names = [...new Set(known)]
  throw new TidemarkError(
    'NOT_FOUND',
    `the flow file has no ${what} ${JSON.stringify(name)}${hint(name, names)}`,
  )
}
