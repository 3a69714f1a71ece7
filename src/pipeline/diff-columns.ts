import type { DeclaredType } from '../core/types.ts'
import type { Shape } from '../ports/source.ts'
import type { Side } from '../ports/diff-stage.ts'

/** Where the values of a record go: its keys in order, and its other columns by number. */
export type DiffPlan = {
  /** Index of each key in the record; -1 where the record lacks it. */
  readonly keys: readonly number[]
  readonly others: readonly { readonly index: number; readonly ordinal: number }[]
  readonly types: readonly { readonly index: number; readonly type: DeclaredType }[]
}

/** Numbers the columns of two tables, keys aside, as they are first seen, and knows which table has them. */
export class DiffColumns {
  private readonly ordinals = new Map<string, number>()
  private readonly sides = new Map<string, Set<Side>>()
  private readonly plans: Readonly<Record<Side, Map<Shape, DiffPlan>>> = {
    old: new Map(),
    new: new Map(),
  }
  private readonly keys: readonly string[]
  private readonly types: Readonly<Record<string, DeclaredType>>

  constructor(keys: readonly string[], types: Readonly<Record<string, DeclaredType>>) {
    this.keys = keys
    this.types = types
  }

  /** Every column but the keys, by its number. */
  get names(): readonly string[] {
    return [...this.ordinals.keys()]
  }

  /** Which tables have a column. */
  within(name: string): Side | 'both' {
    const sides = this.sides.get(name)
    if (sides?.has('old') === true) return sides.has('new') ? 'both' : 'old'
    return 'new'
  }

  /** The plan of all records of a shape. */
  plan(side: Side, shape: Shape): DiffPlan {
    const known = this.plans[side].get(shape)
    if (known !== undefined) return known
    const plan = this.work(side, shape)
    if (this.plans[side].size === MOST_PLANS) this.plans[side].clear()
    this.plans[side].set(shape, plan)
    return plan
  }

  private work(side: Side, { names }: Shape): DiffPlan {
    const others = names.flatMap((name, index) =>
      this.keys.includes(name) ? [] : [{ index, ordinal: this.ordinal(side, name) }],
    )
    const types = names.flatMap((name, index) => {
      const type = Object.hasOwn(this.types, name) ? this.types[name] : undefined
      return type === undefined ? [] : [{ index, type }]
    })
    return { keys: this.keys.map((name) => names.indexOf(name)), others, types }
  }

  private ordinal(side: Side, name: string): number {
    const known = this.ordinals.get(name) ?? this.ordinals.size
    this.ordinals.set(name, known)
    const sides = this.sides.get(name) ?? new Set()
    this.sides.set(name, sides.add(side))
    return known
  }
}

/** Tables whose rows all have other columns are not worth more. */
const MOST_PLANS = 10_000
