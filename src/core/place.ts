/** A stream as people write it: a file by its path, a topic by its name; a partition but the first in brackets. */
export function streamText({ name, partition }: NamedStream): string {
  return partition === 0 ? name : `${name}[${partition}]`
}

/** Where a record stands in its source, wherever it is told: `feed/a.ndjson:12`, `topic:42`, `topic[1]:42`. */
export function placeText(stream: NamedStream, number: number): string {
  return `${streamText(stream)}:${number}`
}

type NamedStream = { readonly name: string; readonly partition: number }
