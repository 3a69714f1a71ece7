import { jsonText } from '../core/display.ts'
import { isRefusal, refuse, type Refusal } from '../core/refusal.ts'
import { convert, isBeyondInteger, NOT_CONVERTIBLE, type DeclaredType } from '../core/types.ts'
import { isTagged, type Value } from '../core/value.ts'
import { ExpressionError } from '../ports/expressions.ts'
import { valuesOf } from '../ports/source.ts'
import type { Hint, Image, Shape, SourceRecord, Values } from '../ports/source.ts'
import type { FlowExpressions } from './flow-expressions.ts'
import type { FlowSpec } from './flow-spec-type.ts'
import { planRecord, type Place, type RecordPlan } from './record-plan.ts'
import { virtualValue } from './virtual-columns.ts'

/** A record's columns, the results of its expressions, and how to find a value in them. */
export type Cells = {
  readonly record: SourceRecord
  readonly hint: Hint | null
  readonly plan: RecordPlan
  readonly own: Values
  readonly selected: readonly Value[]
  readonly judged: readonly Value[]
}

const NOTHING: readonly Value[] = []

/** The value at a place of a record; null where the record has none. */
export function valueAt(place: Place, cells: Cells): Value {
  switch (place.from) {
    case 'record':
      return cells.own.at(place.index) ?? null
    case 'selected':
      return cells.selected[place.index] ?? null
    case 'virtual':
      return virtualValue(place.name, cells.record, cells.hint)
    case 'nowhere':
      return null
  }
}

/** Types the columns of a flow's records, computes what it selects, and judges its conditions. */
export class CellReader {
  private readonly flow: FlowSpec
  private readonly expressions: FlowExpressions
  private readonly types: ReadonlyMap<string, DeclaredType>
  private readonly plans = new Map<Shape, RecordPlan>()
  /** Plans that were made before the keys were known. */
  private readonly outdated: RecordPlan[] = []
  private plannedKeys: readonly string[] = []
  private readonly keys: () => readonly string[]

  /** `keys` are the target's, which may be known only once a record tells them. */
  constructor(flow: FlowSpec, expressions: FlowExpressions, keys: () => readonly string[]) {
    this.flow = flow
    this.keys = keys
    this.expressions = expressions
    this.types = new Map(Object.entries(flow.columns))
  }

  /** The plans of all shapes of record met so far. */
  get met(): readonly RecordPlan[] {
    return [...this.outdated, ...this.plans.values()]
  }

  read(image: Image, record: SourceRecord): Cells | Refusal {
    const plan = this.planOf(image.shape)
    const own = this.typedValues(image, plan)
    if (isRefusal(own)) return own

    try {
      const { hint } = image
      const bare: Cells = { record, hint, plan, own, selected: NOTHING, judged: NOTHING }
      const selected = this.select(bare)
      if (isRefusal(selected)) return selected
      const seen = selected === NOTHING ? bare : { ...bare, selected }
      return { record, hint, plan, own, selected, judged: this.judge(seen) }
    } catch (error) {
      if (error instanceof ExpressionError) return refuse('COLUMN_TYPE', error.message)
      throw error
    }
  }

  /** A value of a column as its declared type has it; null where it is not of the type. */
  typed(name: string, value: Value): Value {
    const type = this.types.get(name)
    const converted = type === undefined ? value : convert(value, type)
    return converted === NOT_CONVERTIBLE ? null : converted
  }

  private planOf(shape: Shape): RecordPlan {
    const keys = this.keys()
    if (keys !== this.plannedKeys) this.replanFor(keys)
    let plan = this.plans.get(shape)
    if (plan === undefined) {
      plan = planRecord(shape, this.flow, this.expressions, { types: this.types, keys })
      this.plans.set(shape, plan)
    }
    return plan
  }

  /** A record that told the keys also tells where those of earlier shapes are. */
  private replanFor(keys: readonly string[]): void {
    const isSame =
      keys.length === this.plannedKeys.length &&
      keys.every((name, i) => name === this.plannedKeys[i])
    this.plannedKeys = keys
    if (isSame) return
    this.outdated.push(...this.plans.values())
    this.plans.clear()
  }

  private typedValues(image: Image, { typed }: RecordPlan): Values | Refusal {
    if (typed.length === 0) return image.values
    const values = valuesOf(image)
    for (const { index, type } of typed) {
      const value = values[index] ?? null
      const converted = convert(value, type)
      if (converted === NOT_CONVERTIBLE) {
        return notOfType(image.shape.names[index] ?? '', value, type)
      }
      values[index] = converted
    }
    return values
  }

  private select(bare: Cells): readonly Value[] | Refusal {
    const { compiled, names } = this.expressions.selection
    if (compiled === null) return NOTHING
    const values = compiled.evaluate(bare.plan.selectInputs.map((place) => valueAt(place, bare)))
    const out: Value[] = []
    for (const [i, name] of names.entries()) {
      const value = values[i] ?? null
      const type = this.types.get(name)
      const converted = type === undefined ? value : convert(value, type)
      if (converted === NOT_CONVERTIBLE) return notOfType(name, value, type ?? 'text')
      out.push(converted)
    }
    return out
  }

  private judge(cells: Cells): readonly Value[] {
    const { conditions } = this.expressions
    if (conditions === null) return NOTHING
    return conditions.evaluate(cells.plan.conditionInputs.map((place) => valueAt(place, cells)))
  }
}

/** A value for a message, cut to a readable length. */
export function shown(value: Value): string {
  const text = isTagged(value) ? value.text : jsonText(value)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

function notOfType(name: string, value: Value, type: string): Refusal {
  if (type === 'integer' && isBeyondInteger(value)) {
    return refuse('COLUMN_TYPE', `column "${name}": integer out of range: ${shown(value)}`)
  }
  return refuse('COLUMN_TYPE', `column "${name}" is no ${type}: ${shown(value)}`)
}
