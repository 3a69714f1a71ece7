import { median, type Measured } from './measure.ts'

/** What a line is about. */
export type Subject = {
  readonly name: string
  readonly question: string
  readonly against: string
  /** The ratio aimed at; null where none is set. */
  readonly aim: number | null
  readonly note: string
}

/** One line of the table: ours, what it is measured against, and their ratio. */
export type Line = Subject & {
  /** Medians; seconds, or MiB where `unit` says so. */
  readonly ours: number
  readonly base: number
  readonly unit: 's' | 'ms' | 'MB'
  readonly ratio: number
  /** The same of processor time; null where it was not taken. */
  readonly cpuRatio: number | null
  readonly peakMb: number | null
  readonly runs: { readonly ours: readonly Measured[]; readonly base: readonly Measured[] } | null
}

/** The line of runs that alternated. */
export function lineOf(
  subject: Subject,
  mine: readonly Measured[],
  other: readonly Measured[],
): Line {
  const middle = (of: readonly Measured[], what: keyof Measured) => median(of.map((m) => m[what]))
  const [wall, base] = [middle(mine, 'wall'), middle(other, 'wall')]
  return {
    ...subject,
    ours: wall,
    base,
    unit: 's',
    ratio: wall / base,
    cpuRatio: middle(mine, 'cpu') / middle(other, 'cpu'),
    peakMb: Math.max(...mine.map(({ peakMb }) => peakMb)),
    runs: { ours: mine, base: other },
  }
}

/** The line of two figures. */
export function plainLine(
  subject: Subject,
  figures: { readonly ours: number; readonly base: number; readonly unit: Line['unit'] },
): Line {
  const { ours, base } = figures
  const peakMb = figures.unit === 'MB' ? ours : null
  return { ...subject, ...figures, ratio: ours / base, cpuRatio: null, peakMb, runs: null }
}

/** The heading of the table. */
export const HEADING =
  'case          |     ours | against               |  ratio |    cpu |   aim |    peak | what'

/** A line as it is printed. */
export function drawn(line: Line): string {
  const figure = (value: number) => `${value.toFixed(line.unit === 's' ? 2 : 1)} ${line.unit}`
  const cells = [
    line.name.padEnd(13),
    figure(line.ours).padStart(8),
    `${figure(line.base)} ${line.against}`.padEnd(21),
    line.ratio.toFixed(2).padStart(6),
    (line.cpuRatio?.toFixed(2) ?? '').padStart(6),
    (line.aim?.toString() ?? '').padStart(5),
    (line.peakMb === null ? '' : `${Math.round(line.peakMb)} MB`).padStart(7),
    line.note,
  ]
  return cells.join(' | ')
}
