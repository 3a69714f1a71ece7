import { isJsonArray, parseCanonical } from '../core/json.ts'
import { refuse, type Refusal, type RefusalCode } from '../core/refusal.ts'
import {
  describeSequenceType,
  encodeEpochSequence,
  encodeSequenceParts,
  epochSequenceType,
  sequenceTypeOfParts,
  type Sequence,
  type SequenceType,
} from '../core/sequence.ts'
import { convert, isBeyondInteger, NOT_CONVERTIBLE } from '../core/types.ts'
import { isTagged, type Value } from '../core/value.ts'
import type { SequenceSpec } from './flow-spec-type.ts'
import type { Place } from './record-plan.ts'
import { shown, valueAt, type Cells } from './record-cells.ts'

/** A sequence as read, and the type it has or would fix. */
export type ReadSequence = { readonly sequence: Sequence; readonly type: SequenceType }

/** Where the type of the sequence stands, and what a missing one is called. */
export type SequenceRules = {
  readonly missing: RefusalCode
  readonly type: () => SequenceType | null
  readonly fix: (type: SequenceType) => void
  /** The epoch that goes before what the format orders by; null where the flow says what orders. */
  readonly epoch: number | null
}

/** Reads `sequence_by` or `system_sequence_by` of a record. */
export class SequenceReader {
  private readonly spec: SequenceSpec
  private readonly computed: readonly (number | null)[]
  private readonly rules: SequenceRules

  constructor(spec: SequenceSpec, computed: readonly (number | null)[], rules: SequenceRules) {
    this.spec = spec
    this.computed = computed
    this.rules = rules
  }

  /** `places` are those of the parts, in order. */
  read(cells: Cells, places: readonly Place[]): ReadSequence | Refusal {
    const { parts } = this.spec
    if (this.rules.epoch !== null) return this.ofFormat(cells)
    const values: Value[] = []
    for (let i = 0; i < parts.length; i += 1) {
      const value = this.part(i, cells, places)
      if (value === null || hasNullPart(value)) return this.missing(i)
      values.push(value)
    }
    for (let i = 0; i < parts.length; i += 1) {
      const type = parts[i]?.type ?? null
      if (type === null) continue
      const value = values[i] ?? null
      // A column of 64 bits holds less than a sequence can be.
      const converted = convert(
        value,
        isBeyondInteger(value) && type === 'integer' ? 'number' : type,
      )
      if (converted === NOT_CONVERTIBLE) {
        return refuse('SEQUENCE_TYPE', `the sequence is no ${type}: ${shown(value)}`)
      }
      values[i] = converted
    }
    return this.encode(values)
  }

  /** The record is accepted: its type is the target's from now on, or that of its epoch. */
  accept(read: ReadSequence | null): void {
    if (read !== null && this.rules.type() !== read.type) this.rules.fix(read.type)
  }

  private ofFormat({ hint }: Cells): ReadSequence | Refusal {
    const values = hint?.sequence ?? null
    if (values !== null && !values.includes(null)) return this.encode(values)
    const what = 'the record does not say what orders it; give sequence_by'
    return refuse(this.rules.missing, what)
  }

  private part(index: number, cells: Cells, places: readonly Place[]): Value {
    const computed = this.computed[index] ?? null
    if (computed !== null) return cells.judged[computed] ?? null
    const place = places[index]
    return place === undefined ? null : valueAt(place, cells)
  }

  private missing(index: number): Refusal {
    const column = this.spec.parts[index]?.column ?? null
    const name = column === null ? 'the expression' : `column "${column}"`
    return refuse(this.rules.missing, `${name} is null or missing in the sequence`)
  }

  private encode(values: readonly Value[]): ReadSequence | Refusal {
    const { epoch } = this.rules
    const known = this.rules.type()
    const type =
      epoch === null
        ? (known ?? sequenceTypeOfParts(values))
        : epochSequenceType(epoch, values, known)
    if (type === null) {
      return refuse('SEQUENCE_TYPE', `${values.map(shown).join(', ')} cannot order changes`)
    }
    const sequence =
      epoch === null ? encodeSequenceParts(values, type) : encodeEpochSequence(epoch, values, type)
    if (sequence !== null) return { sequence, type }
    return refuse(
      'SEQUENCE_TYPE',
      `the sequence is not of type ${describeSequenceType(type)}: ${values.map(shown).join(', ')}`,
    )
  }
}

/** Whether an array that serves as a list of columns holds a null: every part must be there. */
function hasNullPart(value: Value): boolean {
  if (!isTagged(value) || value.type !== 'json') return false
  const node = parseCanonical(value.text)
  return isJsonArray(node) && node.includes(null)
}
