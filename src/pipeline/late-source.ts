import type { Source } from '../ports/source.ts'

/** A source that is opened once it is asked for something. */
export function lateSource(open: () => Promise<Source>): Source {
  let opened: Promise<Source> | null = null
  const source = (): Promise<Source> => (opened ??= open())
  return {
    async *read(after, mode, limits, signal) {
      yield* (await source()).read(after, mode, limits, signal)
    },
    lag: async (after) => (await source()).lag(after),
    async [Symbol.asyncDispose]() {
      await (await opened)?.[Symbol.asyncDispose]()
    },
  }
}
