import type { LifeVersion } from '../../index.ts'
import { labelLine, placesOf } from './axis.ts'
import type { Axis, Strip } from './axis.ts'
import { displayWidth, padRight } from './text.ts'

/**
 * The life of a key on both axes: valid time to the right, system time downwards, each row a
 * rectangle with its letter. An open right or lower side is a row without end.
 *
 *     believed ↓  valid →
 *                 1     5
 *     10          ┌───────────┄
 *                 │ A
 *     20          ├─────┬─────┄
 *                 │ B   │ C
 *                 ┆     ┆
 *
 * @param valid axis of valid time, `__START_AT` and `__END_AT`
 * @param system axis of system time; its strips do not matter
 */
export function gridLines(
  valid: Axis,
  system: Axis,
  versions: readonly LifeVersion[],
): readonly string[] {
  const owners = ownersOf(valid, system, versions)
  const gutter = gutterOf(system)
  return valid.strips.flatMap((strip, i) => [
    ...(i === 0 ? [] : ['']),
    `${padRight(CORNER, gutter)}valid →`,
    `${' '.repeat(gutter)}${labelLine(valid, strip)}`.trimEnd(),
    ...stripLines(new Picture(owners, valid.step, strip), system, gutter),
  ])
}

/** Terminal cells left of a grid. */
export function gutterOf(system: Axis): number {
  return (
    system.labels.reduce((most, label) => Math.max(most, displayWidth(label)), CORNER.length) + 2
  )
}

/** `A` to `Z`, then `AA` and so on. */
export function letterOf(place: number): string {
  const last = String.fromCharCode(65 + (place % 26))
  return place < 26 ? last : letterOf(Math.floor(place / 26) - 1) + last
}

const CORNER = 'believed ↓'

/** Which version covers a cell, by system and valid place; null outside of all. */
type Owners = readonly (readonly (number | null)[])[]

function ownersOf(valid: Axis, system: Axis, versions: readonly LifeVersion[]): Owners {
  const across = placesOf(valid)
  const down = placesOf(system)
  const cells = system.points.map(() => valid.points.map((): number | null => null))
  for (const [version, { order }] of versions.entries()) {
    const { startAt, endAt, systemStartAt, systemEndAt } = order
    const right = endOf(endAt, across, valid.points.length)
    const bottom = endOf(systemEndAt, down, system.points.length)
    for (const row of cells.slice(down(systemStartAt), bottom)) {
      row.fill(version, across(startAt), right)
    }
  }
  return cells
}

function endOf(
  order: string | null,
  place: (order: string | null) => number,
  open: number,
): number {
  return order === null ? open : place(order)
}

function stripLines(picture: Picture, system: Axis, gutter: number): readonly string[] {
  const lines = system.labels.flatMap((label, row) => [
    padRight(label, gutter) + picture.edge(row),
    ' '.repeat(gutter) + picture.inside(row),
  ])
  const tail = ' '.repeat(gutter) + picture.tail()
  const trimmed = [...lines, tail].map((line) => line.trimEnd())
  return trimmed.slice(0, trimmed.findLastIndex((line) => line !== '') + 1)
}

/** Rules by which of their four arms are there: up 1, right 2, down 4, left 8. */
const JUNCTIONS = ' ╵╶└╷│┌├╴┘─┴┐┤┬┼'

/** One strip of a grid, line by line. */
class Picture {
  readonly #owners: Owners
  readonly #step: number
  readonly #strip: Strip

  constructor(owners: Owners, step: number, strip: Strip) {
    this.#owners = owners
    this.#step = step
    this.#strip = strip
  }

  /** The line above a row of cells. */
  edge(row: number): string {
    let line = ''
    for (const column of this.#columns()) {
      line += this.#junction(row, column)
      line += (this.#isRuledAbove(row, column) ? '─' : ' ').repeat(this.#step - 1)
    }
    const { first, count } = this.#strip
    return line + (this.#isRuledAbove(row, first + count - 1) ? '─┄' : '')
  }

  /** The line through a row of cells: sides, and letters where a rectangle begins. */
  inside(row: number): string {
    let line = ''
    for (const column of this.#columns()) {
      const side = this.#isRuledLeft(row, column) ? '│' : ' '
      line += padRight(`${side} ${this.#letter(row, column)}`, this.#step)
    }
    return line
  }

  /** Below the last row: its sides go on. */
  tail(): string {
    const last = this.#owners.length - 1
    return this.#columns()
      .map((column) => (this.#isRuledLeft(last, column) ? '┆' : ' ').padEnd(this.#step))
      .join('')
  }

  #columns(): readonly number[] {
    const { first, count } = this.#strip
    return Array.from({ length: count }, (_, i) => first + i)
  }

  #owner(row: number, column: number): number | null {
    return this.#owners[row]?.[column] ?? null
  }

  #isRuledAbove(row: number, column: number): boolean {
    return this.#owner(row - 1, column) !== this.#owner(row, column)
  }

  #isRuledLeft(row: number, column: number): boolean {
    return this.#owner(row, column - 1) !== this.#owner(row, column)
  }

  #junction(row: number, column: number): string {
    const arms =
      Number(this.#isRuledLeft(row - 1, column)) +
      2 * Number(this.#isRuledAbove(row, column)) +
      4 * Number(this.#isRuledLeft(row, column)) +
      8 * Number(this.#isRuledAbove(row, column - 1))
    return JUNCTIONS[arms] ?? ' '
  }

  /** A letter stands in the first cell of its rectangle, and of what a strip shows of it. */
  #letter(row: number, column: number): string {
    const owner = this.#owner(row, column)
    if (owner === null || this.#owner(row - 1, column) === owner) return ''
    const begins = this.#owner(row, column - 1) !== owner || column === this.#strip.first
    return begins ? letterOf(owner) : ''
  }
}
