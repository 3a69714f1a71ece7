import type { KeyLife, LifeEvent, LifeVersion, OutputRow } from '../../index.ts'
import { axisKey, axisOf, compareOrders, pointsOf } from './axis.ts'
import type { Axis, Point } from './axis.ts'
import { inlineText } from './cell.ts'
import { barLines, GUTTER } from './history-bars.ts'
import { eventLines, eventsByPlace, markLegend } from './history-events.ts'
import { gridLines, gutterOf, letterOf } from './history-grid.ts'
import { intervalText, versionLines } from './history-rows.ts'
import type { ToldVersion } from './history-rows.ts'
import { visible } from './text.ts'

/** The widths of a history: drawings are fitted to `drawing`, tables cut to `table` (Infinity cuts nothing). */
export type HistoryLook = { readonly drawing: number; readonly table: number }

/**
 * The life of a key: a drawing, then its rows with the origin of every value, then its events.
 *
 * SCD type 1 draws the events that are kept, SCD type 2 its versions as bars, a bitemporal target
 * a grid of both times.
 */
export function historyText(life: KeyLife, look: HistoryLook): string {
  const sections = life.target.kind === 'bitemporal' ? grid(life, look) : timeLine(life, look)
  const parts = [[headline(life)], ...sections].filter((lines) => lines.length > 0)
  return `${parts.map((lines) => lines.join('\n')).join('\n\n')}\n`
}

type Section = readonly string[]

/** More places than this on an axis make a grid that nobody can read, and the rows say the same. */
const MOST_PLACES = 200
/** Room for the end of an open bar or rule. */
const TAIL = 3

function headline({ target, key }: KeyLife): string {
  const kind = target.kind === 'bitemporal' ? 'bitemporal' : `SCD type ${target.kind}`
  return `${visible(target.name)} · ${kind} · ${keyText(key)}`
}

function keyText({ names, values }: OutputRow): string {
  return names.map((name, i) => `${visible(name)} = ${inlineText(values[i] ?? null)}`).join(', ')
}

function timeLine({ target, events, versions }: KeyLife, look: HistoryLook): readonly Section[] {
  if (events.length === 0 && versions.length === 0) return [NOTHING_KEPT]
  const hasBars = target.kind === 2
  const bounds = hasBars ? boundsOf(versions) : []
  const axis = timeAxis(events, bounds, look.drawing - GUTTER - TAIL)
  const drawing = axis.points.length === 0 ? [] : barLines(axis, events, hasBars ? versions : [])
  const told = versions.map((version, i) => tellBar(version, versions[i - 1] ?? null, i, hasBars))
  return [
    drawing,
    legend(axis, events, drawing),
    versions.length === 0 ? ['no row now'] : versionLines(told, target, look.table),
    eventSection(axis, events, look),
  ]
}

const NOTHING_KEPT: Section = ['nothing is kept of this key']

function timeAxis(events: readonly LifeEvent[], bounds: readonly Point[], width: number): Axis {
  const sequences = events.flatMap(({ sequence, order }) => pointsOf(sequence, order))
  return axisOf([...sequences, ...bounds], width)
}

function tellBar(
  version: LifeVersion,
  before: LifeVersion | null,
  place: number,
  hasBars: boolean,
): ToldVersion {
  if (!hasBars) return { label: 'row', spans: ['now'], version, before: null }
  const touches = before !== null && before.order.endAt === version.order.startAt
  const spans = spansOf(version)
  return { label: String(place + 1), spans, version, before: touches ? before : null }
}

/** The intervals of a version: in sequences and, if the target has times too, in those. */
function spansOf({ startAt, endAt, startTime, endTime }: LifeVersion): readonly string[] {
  const sequences = intervalText(startAt, endAt)
  if (startTime === null && endTime === null) return [sequences]
  const until = endAt === null ? '∞' : inlineText(endTime)
  return [sequences, `from ${inlineText(startTime)} until ${until}`]
}

function legend(axis: Axis, events: readonly LifeEvent[], drawing: readonly string[]): Section {
  const told = eventsByPlace(axis, events)
  const swallowed = drawing.some((line) => line.includes('•'))
  const marks = [markLegend(events), swallowed ? '• event that opened no version' : '']
  const line = marks.filter((text) => text !== '').join('  ')
  return [...(line === '' ? [] : [line]), ...axisKey(axis, (place) => told.has(place))]
}

function grid(
  { target, events, versions: unordered }: KeyLife,
  look: HistoryLook,
): readonly Section[] {
  if (events.length === 0 && unordered.length === 0) return [NOTHING_KEPT]
  const versions = unordered.toSorted(inReadingOrder)
  const widest = letterOf(Math.max(0, versions.length - 1)).length
  const system = axisOf(
    versions.flatMap(({ systemStartAt, systemEndAt, order }) => [
      ...pointsOf(systemStartAt, order.systemStartAt),
      ...pointsOf(systemEndAt, order.systemEndAt),
    ]),
    Infinity,
  )
  const valid = axisOf(boundsOf(versions), look.drawing - gutterOf(system) - TAIL, widest + 4)
  const told = versions.map((version, i) => ({
    label: letterOf(i),
    spans: [
      `valid ${spansOf(version).join('  ')}`,
      `believed ${intervalText(version.systemStartAt, version.systemEndAt)}`,
    ],
    version,
    before: null,
  }))
  return [
    drawnGrid(valid, system, versions),
    axisKey(valid, () => false),
    versions.length === 0 ? ['no row ever'] : versionLines(told, target, look.table),
    eventSection(timeAxis(events, [], Infinity), events, look),
  ]
}

/** Letters run as a page is read: downwards, and in a line to the right. */
function inReadingOrder({ order: a }: LifeVersion, { order: b }: LifeVersion): number {
  return compareOrders(a.systemStartAt, b.systemStartAt) || compareOrders(a.startAt, b.startAt)
}

function drawnGrid(valid: Axis, system: Axis, versions: readonly LifeVersion[]): Section {
  if (versions.length === 0) return []
  const most = Math.max(valid.points.length, system.points.length)
  if (most > MOST_PLACES) return [`(not drawn: ${most} places on an axis)`]
  return gridLines(valid, system, versions)
}

function boundsOf(versions: readonly LifeVersion[]): readonly Point[] {
  return versions.flatMap(({ startAt, endAt, order }) => [
    ...pointsOf(startAt, order.startAt),
    ...pointsOf(endAt, order.endAt),
  ])
}

function eventSection(axis: Axis, events: readonly LifeEvent[], look: HistoryLook): Section {
  return events.length === 0 ? [] : eventLines(axis, events, look.table)
}
