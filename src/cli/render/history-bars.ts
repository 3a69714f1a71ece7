import type { LifeEvent, LifeVersion } from '../../index.ts'
import { labelLine, placesOf } from './axis.ts'
import type { Axis, Strip } from './axis.ts'
import { eventsByPlace, MARKS } from './history-events.ts'
import { displayWidth, padLeft, padRight } from './text.ts'

/** A version on its axis: from one place to another, or without end. */
type Bar = { readonly label: string; readonly from: number; readonly to: number | null }

/**
 * The life of a key on a time line: events as marks, versions as bars below them.
 *
 *     sequence  1   2   5   6   8
 *     event     ●   ●   ●   ✕   ●
 *            1  ├───┤
 *            2      ├───•───┤
 *            3                  ├───▶
 *
 * A bar without events at its inside is plain; `•` is an event that opened no version of its own.
 * An axis cut into strips is drawn one strip after the other, `┄` leading from one to the next.
 */
export function barLines(
  axis: Axis,
  events: readonly LifeEvent[],
  versions: readonly LifeVersion[],
): readonly string[] {
  const place = placesOf(axis)
  const happened = eventsByPlace(axis, events)
  const bars = versions.map(({ order: { startAt, endAt } }, i) => ({
    label: String(i + 1),
    from: place(startAt),
    to: endAt === null ? null : place(endAt),
  }))
  return axis.strips.flatMap((strip, i) => [
    ...(i === 0 ? [] : ['']),
    ...stripLines(axis, strip, happened, bars),
  ])
}

/** Terminal cells left of a time line. */
export const GUTTER = 'sequence'.length + 2

type Happened = ReadonlyMap<number, readonly LifeEvent[]>

function stripLines(
  axis: Axis,
  strip: Strip,
  happened: Happened,
  bars: readonly Bar[],
): readonly string[] {
  const end = strip.first + strip.count
  const visibleBars = bars.filter(
    ({ from, to }) => from < end && (to === null || to >= strip.first),
  )
  return [
    `${padRight('sequence', GUTTER)}${labelLine(axis, strip)}`.trimEnd(),
    `${padRight('event', GUTTER)}${markLine(axis, strip, happened)}`.trimEnd(),
    ...visibleBars.map(
      (bar) => `${padLeft(bar.label, GUTTER - 2)}  ${barLine(axis, strip, happened, bar)}`,
    ),
  ]
}

function markLine({ step }: Axis, { first, count }: Strip, happened: Happened): string {
  let line = ''
  for (let place = first; place < first + count; place += 1) {
    const marks = (happened.get(place) ?? []).map(({ op }) => MARKS[op])
    line += padRight(shortMarks(marks, step - 1), step)
  }
  return line
}

/** The last of many marks decides what is there afterwards, so it is the one that stays. */
function shortMarks(marks: readonly string[], width: number): string {
  const all = marks.join('')
  return displayWidth(all) <= width ? all : `…${marks.slice(1 - width).join('')}`
}

function barLine({ step }: Axis, strip: Strip, happened: Happened, bar: Bar): string {
  const { first, count, isLast } = strip
  const startsHere = bar.from >= first
  const endsHere = bar.to !== null && bar.to < first + count
  const start = startsHere ? (bar.from - first) * step : 0
  const end = bar.to !== null && endsHere ? (bar.to - first) * step : count * step

  const line: string[] = Array.from({ length: end + 1 }, (_, at) => (at < start ? ' ' : '─'))
  for (let place = Math.max(bar.from + 1, first); place * step < first * step + end; place += 1) {
    if (happened.has(place)) line[(place - first) * step] = '•'
  }
  line[start] = startsHere ? '├' : '┄'
  line[end] = endsHere ? '┤' : openEnd(bar, isLast)
  return line.join('')
}

function openEnd({ to }: Bar, isLast: boolean): string {
  return to === null && isLast ? '▶' : '┄'
}
