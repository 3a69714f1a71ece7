import type { Value } from '../../index.ts'
import { inlineText } from './cell.ts'
import { displayWidth, padRight } from './text.ts'

/** A sequence or system time as it is shown, and the text in whose order they are. */
export type Point = { readonly value: Value; readonly order: string }

/**
 * Places of a horizontal axis, evenly spaced whatever lies between them.
 *
 * Where their values fit the width they are the labels; else the labels are the numbers of the
 * places, `#1`, `#2`, and `numbered` says so.
 */
export type Axis = {
  readonly points: readonly Point[]
  readonly labels: readonly string[]
  readonly numbered: boolean
  /** Terminal cells from one place to the next. */
  readonly step: number
  /** What of the axis fits one line: a long one is cut into strips, to be drawn below each other. */
  readonly strips: readonly Strip[]
}

/** Some neighbouring places of an axis: `first` and the `count - 1` after it. */
export type Strip = { readonly first: number; readonly count: number; readonly isLast: boolean }

/** An axis through some points, in any order and with repetitions, in `width` terminal cells. */
export function axisOf(given: readonly Point[], width: number, narrowest = NARROWEST): Axis {
  const places = distinctInOrder(given)
  const texts = places.map(({ value }) => inlineText(value))
  const step = stepOf(texts, narrowest)
  if (places.length * step <= width) {
    return {
      points: places,
      labels: texts,
      numbered: false,
      step,
      strips: cutUp(places.length, places.length),
    }
  }
  const numbers = places.map((_, i) => `#${i + 1}`)
  const short = stepOf(numbers, narrowest)
  const most = Math.max(1, Math.floor(width / short))
  return {
    points: places,
    labels: numbers,
    numbered: true,
    step: short,
    strips: cutUp(places.length, most),
  }
}

/** Finds the place of a point on an axis by its order; -1 for one that is not on it. */
export function placesOf(axis: Axis): (order: string | null) => number {
  const places = new Map<string | null, number>(
    axis.points.map(({ order }, place) => [order, place]),
  )
  return (order) => places.get(order) ?? -1
}

/** The point of a bound; none where it is open. */
export function pointsOf(value: Value, order: string | null): readonly Point[] {
  return order === null ? [] : [{ value, order }]
}

/** The order of two points, which their values need not tell: a hidden epoch comes first. */
export function compareOrders(a: string | null, b: string | null): number {
  if (a === b) return 0
  return (a ?? '') < (b ?? '') ? -1 : 1
}

/** The line of labels over a strip. */
export function labelLine(axis: Axis, strip: Strip): string {
  return axis.labels
    .slice(strip.first, strip.first + strip.count)
    .map((label) => padRight(label, axis.step))
    .join('')
}

/** Lines that say what the numbers of a numbered axis stand for, for the places that `isTold` does not cover. */
export function axisKey(axis: Axis, isTold: (place: number) => boolean): readonly string[] {
  if (!axis.numbered) return []
  return axis.points.flatMap(({ value }, place) =>
    isTold(place) ? [] : [`${axis.labels[place] ?? ''} is ${inlineText(value)}`],
  )
}

function distinctInOrder(points: readonly Point[]): readonly Point[] {
  const distinct = new Map(points.map((point) => [point.order, point]))
  return [...distinct.values()].toSorted((a, b) => compareOrders(a.order, b.order))
}

const NARROWEST = 4

function stepOf(labels: readonly string[], narrowest: number): number {
  return labels.reduce((most, label) => Math.max(most, displayWidth(label) + 2), narrowest)
}

function cutUp(places: number, most: number): readonly Strip[] {
  const strips: Strip[] = []
  for (let first = 0; first < places; first += most) {
    const count = Math.min(most, places - first)
    strips.push({ first, count, isLast: first + count === places })
  }
  return strips
}
