import type { LifeEvent } from '../../index.ts'
import type { Axis } from './axis.ts'
import { placesOf } from './axis.ts'
import { inlineText } from './cell.ts'
import { alignedLines, figures, terms, words } from './columns.ts'
import type { TextColumn } from './columns.ts'
import { visible } from './text.ts'

/** How an event is marked on an axis. */
export const MARKS: Readonly<Record<LifeEvent['op'], string>> = {
  upsert: '●',
  delete: '✕',
  truncate: '⊘',
}

/** Events by the place of the axis at which they happened. */
export function eventsByPlace(
  axis: Axis,
  events: readonly LifeEvent[],
): ReadonlyMap<number, readonly LifeEvent[]> {
  const place = placesOf(axis)
  const happened = new Map<number, LifeEvent[]>()
  for (const event of events) {
    const at = place(event.order)
    const known = happened.get(at)
    if (known === undefined) happened.set(at, [event])
    else known.push(event)
  }
  return happened
}

/** What the marks of some events mean, one line; empty if there are none. */
export function markLegend(events: readonly LifeEvent[]): string {
  const ops = (['upsert', 'delete', 'truncate'] as const).filter((op) =>
    events.some((event) => event.op === op),
  )
  return ops.map((op) => `${MARKS[op]} ${op}`).join('  ')
}

/** A table of events: when, what, which columns it wrote, where it was published, which commit brought it. */
export function eventLines(
  axis: Axis,
  events: readonly LifeEvent[],
  width: number,
): readonly string[] {
  const place = placesOf(axis)
  const isShared = new Set(events.map(({ flow }) => flow)).size > 1
  const fields = FIELDS.filter(
    ({ heading }) => (heading !== '#' || axis.numbered) && (heading !== 'flow' || isShared),
  )
  const rows = events.map((event) => {
    const at = axis.labels[place(event.order)] ?? ''
    return fields.map(({ text }) => text(event, at))
  })
  return alignedLines(fields, rows, width)
}

type Field = TextColumn & { readonly text: (event: LifeEvent, place: string) => string }

const FIELDS: readonly Field[] = [
  { ...figures('#'), text: (_, place) => place },
  { ...words('sequence'), text: ({ sequence }) => inlineText(sequence) },
  { ...terms('event'), text: ({ op }) => `${MARKS[op]} ${op}` },
  { ...words('wrote'), text: wrote },
  { ...words('from'), text: ({ origin }) => visible(origin) },
  { ...words('flow'), text: ({ flow }) => visible(flow) },
  { ...figures('commit'), text: ({ commit }) => String(commit) },
]

function wrote({ op, written }: LifeEvent): string {
  if (op !== 'upsert') return '–'
  if (written === 'all') return 'all columns'
  return written.length === 0 ? 'no column' : written.map(visible).join(', ')
}
