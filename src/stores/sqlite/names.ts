/** Quotes an identifier, whatever it is made of. */
export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** What every table of ours starts with. */
export const PREFIX = '__tidemark_'

/** Names of the tables behind a target: plain rows and tombstones, or versions and what is hidden. */
export type TargetTables = Readonly<
  Record<'rows' | 'dead' | 'current' | 'closed' | 'hidden' | 'disbelieved', string>
>

/** The tables behind a target, by its number; a target's own columns are `c0`, `c1`, … in all of them. */
export function tablesOf(id: number): TargetTables {
  const table = (role: string) => `${PREFIX}t${id}_${role}`
  return {
    rows: table('rows'),
    dead: table('dead'),
    current: table('current'),
    closed: table('closed'),
    hidden: table('hidden'),
    disbelieved: table('disbelieved'),
  }
}

/** The physical column of a target's column. */
export function columnName(ordinal: number): string {
  return `c${ordinal}`
}

/** `c0, c1, …` */
export function columnNames(count: number): string[] {
  return Array.from({ length: count }, (_, ordinal) => columnName(ordinal))
}

/** `?, ?, …` */
export function placeholders(count: number): string {
  return Array.from({ length: count }, () => '?').join(', ')
}
