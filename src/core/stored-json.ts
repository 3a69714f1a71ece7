/**
 * Takes back what this project itself wrote as JSON: a record of its own store, never input from
 * outside, so the type is what was written.
 */
export function storedJson<T>(text: string): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the one place where our own JSON is trusted
  return JSON.parse(text) as T
}
