import { isJsonArray, parseCanonical } from '../core/json.ts'
import { refuse, type Refusal, type RefusalCode } from '../core/refusal.ts'
import {
  describeSequenceType,
  encodeSequenceParts,
  sequenceTypeOfParts,
  type Sequence,
  type SequenceType,
} from '../core/sequence.ts'
import { convert, NOT_CONVERTIBLE } from '../core/types.ts'
import type { Value } from '../core/value.ts'
import type { SequenceSpec } from './flow-spec-type.ts'
import { shown, valueAt, type Cells } from './record-reader.ts'

/** A sequence as read, and the type it has or would fix. */
export type ReadSequence = { readonly sequence: Sequence; readonly type: SequenceType }

/** Where the type of the sequence stands, and what a missing one is called. */
export type SequenceRules = {
  readonly missing: RefusalCode
  readonly type: () => SequenceType | null
  readonly fix: (type: SequenceType) => void
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

  read(cells: Cells): ReadSequence | Refusal {
    const values = this.spec.parts.map((_, i) => this.part(i, cells))
    const absent = values.findIndex((value) => value === null || hasNullPart(value))
    if (absent >= 0) {
      const column = this.spec.parts[absent]?.column ?? null
      const name = column === null ? 'the expression' : `column "${column}"`
      return refuse(this.rules.missing, `${name} is null or missing in the sequence`)
    }

    const typed: Value[] = []
    for (const [i, { type }] of this.spec.parts.entries()) {
      const value = values[i] ?? null
      const converted = type === null ? value : convert(value, type)
      if (converted === NOT_CONVERTIBLE) {
        return refuse('SEQUENCE_TYPE', `the sequence is no ${type ?? 'value'}: ${shown(value)}`)
      }
      typed.push(converted)
    }
    return this.encode(typed)
  }

  /** The record is accepted: its type is the target's from now on. */
  accept(read: ReadSequence | null): void {
    if (read !== null && this.rules.type() === null) this.rules.fix(read.type)
  }

  private part(index: number, cells: Cells): Value {
    const computed = this.computed[index]
    if (computed !== null && computed !== undefined) return cells.judged[computed] ?? null
    const column = this.spec.parts[index]?.column
    return column === null || column === undefined ? null : valueAt(cells.plan.find(column), cells)
  }

  private encode(values: readonly Value[]): ReadSequence | Refusal {
    const type = this.rules.type() ?? sequenceTypeOfParts(values)
    if (type === null) {
      return refuse('SEQUENCE_TYPE', `${values.map(shown).join(', ')} cannot order changes`)
    }
    const sequence = encodeSequenceParts(values, type)
    if (sequence !== null) return { sequence, type }
    return refuse(
      'SEQUENCE_TYPE',
      `the sequence is not of type ${describeSequenceType(type)}: ${values.map(shown).join(', ')}`,
    )
  }
}

/** Whether an array that serves as a list of columns holds a null: every part must be there. */
function hasNullPart(value: Value): boolean {
  if (typeof value !== 'object' || value === null || value.type !== 'json') return false
  const node = parseCanonical(value.text)
  return isJsonArray(node) && node.includes(null)
}
