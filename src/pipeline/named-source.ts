import { TidemarkError } from '../core/errors.ts'
import type { Source } from '../ports/source.ts'

/** A source whose faults say which flow they stop, for a file has many: `NOT_FOUND: flow "crm": the topic …`. */
export function namedSource(source: Source, flow: string): Source {
  return {
    read: (after, mode, limits, signal) =>
      namingFaults(source.read(after, mode, limits, signal), flow),
    lag: (after) => source.lag(after),
    [Symbol.asyncDispose]: () => source[Symbol.asyncDispose](),
  }
}

/** What comes from a source, whose faults say which flow they stop. */
export async function* namingFaults<T>(items: AsyncIterable<T>, flow: string): AsyncGenerator<T> {
  try {
    yield* items
  } catch (error) {
    throw naming(error, `flow ${JSON.stringify(flow)}`, flow)
  }
}

function naming(error: unknown, what: string, flow: string): unknown {
  if (!(error instanceof TidemarkError) || error.plainMessage.includes(what)) return error
  const { code, plainMessage, details } = error
  return new TidemarkError(code, `${what}: ${plainMessage}`, { ...details, flow }, error)
}
