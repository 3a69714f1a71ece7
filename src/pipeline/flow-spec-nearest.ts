import { distance } from 'fastest-levenshtein'

/** `; did you mean "NAME"?` for the end of a message; nothing where no known name is near. */
export function didYouMean(typed: string, known: readonly string[]): string {
  const name = nearest(typed, known)
  return name === null ? '' : `; did you mean "${name}"?`
}

/** The known name with the fewest edits, if they are few for its length; null if none is that near. */
export function nearest(typed: string, known: readonly string[]): string | null {
  if (typed.length > LONGEST) return null
  let best: string | null = null
  let fewest = Infinity
  for (const name of known) {
    const edits = distance(folded(typed), folded(name))
    if (edits < fewest) [best, fewest] = [name, edits]
  }
  return best !== null && fewest <= Math.max(1, Math.floor(best.length / 3)) ? best : null
}

/** No name of ours is nearly as long; distances grow with the square of the length. */
const LONGEST = 100

/** `sequenceBy`, `Sequence-By` and `sequence_by` are one spelling mistake. */
function folded(name: string): string {
  return name.toLowerCase().replaceAll(/[_\- ]/g, '')
}
