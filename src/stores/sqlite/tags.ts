import type { CellKind } from './cells.ts'

/** One letter per kind, for the cells that are not of their column's kind. */
const LETTERS: readonly (readonly [CellKind, string])[] = [
  ['number', 'n'],
  ['text', 's'],
  ['boolean', 'b'],
  ['double', 'f'],
  ['bytes', 'x'],
  ['date', 'd'],
  ['time', 'c'],
  ['timestamp', 'i'],
  ['local_timestamp', 'l'],
  ['json', 'j'],
]

const LETTER_OF: ReadonlyMap<CellKind, string> = new Map(LETTERS)
const KIND_OF: ReadonlyMap<string, CellKind> = new Map(
  LETTERS.map(([kind, letter]) => [letter, kind]),
)

/** Kinds of single cells of a row by ordinal, where they differ from their column's. */
export type Tags = ReadonlyMap<number, CellKind>

/** `,3=b,12=s,`: every ordinal stands between a comma and an equals sign, so that SQL can look for one. */
export function spellTags(tags: Tags): string | null {
  if (tags.size === 0) return null
  return `,${[...tags].map(([ordinal, kind]) => `${ordinal}=${LETTER_OF.get(kind) ?? ''},`).join('')}`
}

/** Reads tags back. */
export function parseTags(text: string): Tags {
  const tags = new Map<number, CellKind>()
  for (const part of text.split(',')) {
    const [ordinal, letter] = part.split('=')
    const kind = KIND_OF.get(letter ?? '')
    if (ordinal !== undefined && kind !== undefined) tags.set(Number(ordinal), kind)
  }
  return tags
}

/** SQL that finds the rows in which a column's cell is of its column's kind. */
export function untaggedSql(ordinal: number): string {
  return `(tags IS NULL OR instr(tags, ',${ordinal}=') = 0)`
}
