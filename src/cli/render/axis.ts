import { jsonText } from '../../index.ts'
import type { Value } from '../../index.ts'
import { inlineText } from './cell.ts'
import { distinctInOrder } from './order.ts'
import { displayWidth, padRight } from './text.ts'

/**
 * Places of a horizontal axis, evenly spaced whatever lies between them.
 *
 * Where their values fit the width they are the labels; else the labels are the numbers of the
 * places, `#1`, `#2`, and `numbered` says so.
 */
export type Axis = {
  readonly values: readonly Value[]
  readonly labels: readonly string[]
  readonly numbered: boolean
  /** Terminal cells from one place to the next. */
  readonly step: number
  /** What of the axis fits one line: a long one is cut into strips, to be drawn below each other. */
  readonly strips: readonly Strip[]
}

/** Some neighbouring places of an axis: `first` and the `count - 1` after it. */
export type Strip = { readonly first: number; readonly count: number; readonly isLast: boolean }

/** An axis through some values, in any order and with repetitions, in `width` terminal cells. */
export function axisOf(values: readonly Value[], width: number, narrowest = NARROWEST): Axis {
  const places = distinctInOrder(values)
  const texts = places.map(inlineText)
  const step = stepOf(texts, narrowest)
  if (places.length * step <= width) {
    return {
      values: places,
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
    values: places,
    labels: numbers,
    numbered: true,
    step: short,
    strips: cutUp(places.length, most),
  }
}

/** Finds the place of a value on an axis; -1 for one that is not on it. */
export function placesOf(axis: Axis): (value: Value) => number {
  const places = new Map(axis.values.map((value, place) => [jsonText(value), place]))
  return (value) => places.get(jsonText(value)) ?? -1
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
  return axis.values.flatMap((value, place) =>
    isTold(place) ? [] : [`${axis.labels[place] ?? ''} is ${inlineText(value)}`],
  )
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
