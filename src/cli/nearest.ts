import { distance } from 'fastest-levenshtein'

/**
 * The known name that a mistyped one most likely means: the one with the fewest edits, if these
 * are no more than a third of its letters (two of a short name). Null if none is that near.
 */
export function nearest(typed: string, known: readonly string[]): string | null {
  let best: string | null = null
  let fewest = Infinity
  for (const name of known) {
    const edits = distance(typed.toLowerCase(), name.toLowerCase())
    if (edits < fewest) [best, fewest] = [name, edits]
  }
  return best !== null && fewest <= Math.max(2, Math.floor(best.length / 3)) ? best : null
}

/** `; did you mean NAME?` for the end of a message; without a near name, the known ones if they are few. */
export function hint(typed: string, known: readonly string[], prefix = ''): string {
  const name = nearest(typed, known)
  if (name !== null) return `; did you mean ${prefix}${name}?`
  if (known.length === 0 || known.length > FEW) return ''
  return `; known: ${known.map((each) => prefix + each).join(', ')}`
}

const FEW = 8
