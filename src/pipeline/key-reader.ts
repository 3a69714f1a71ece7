import { TidemarkError } from '../core/errors.ts'
import { keyOf, type Key } from '../core/key.ts'
import { refuse, type Refusal } from '../core/refusal.ts'
import type { Value } from '../core/value.ts'
import type { Hint } from '../ports/source.ts'
import type { FlowSpec } from './flow-spec-type.ts'
import type { Place } from './record-plan.ts'
import { valueAt, type CellReader, type Cells } from './record-cells.ts'
import type { TargetDraft } from './target-draft.ts'

/** Reads the keys of a flow's records; where the flow names no columns, the feed does. */
export class KeyReader {
  private readonly flow: FlowSpec
  private readonly draft: TargetDraft
  private readonly cells: CellReader
  /** Names that were compared with the target's; records alike hand in the same list. */
  private agreed: readonly string[] | null = null

  constructor(flow: FlowSpec, draft: TargetDraft, cells: CellReader) {
    this.flow = flow
    this.draft = draft
    this.cells = cells
  }

  /**
   * Learns from a record which columns are the key, where the flow leaves that to the feed. A table
   * whose key changes is another one: rows of old and new keys would be taken for each other's.
   *
   * @returns whether the record is the first to tell; if it is not accepted, {@link forget} what it told
   * @throws TidemarkError `TARGET_CHANGED` where they are no longer the target's
   */
  learn({ op, keys }: Hint): boolean {
    if (this.flow.keys.length > 0 || keys.length === 0 || keys === this.agreed) return false
    // The key of a message without a value need not name columns as rows do.
    if (op === 'tombstone') return false
    if (this.names.length === 0) {
      this.draft.fixKeys(keys)
      return true
    }
    const known = new Set(this.names)
    if (keys.length !== known.size || keys.some((name) => !known.has(name))) {
      throw new TidemarkError(
        'TARGET_CHANGED',
        `the key of the feed of flow "${this.flow.name}" is now ${keys.join(', ')}, and the target "${this.flow.target}" was built with ${this.names.join(', ')}; write to another target, or name keys`,
        { flow: this.flow.name, target: this.flow.target },
      )
    }
    this.agreed = keys
    return false
  }

  /** The record that told the keys first was not accepted: they are as unknown as before. */
  forget(): void {
    this.draft.forgetKeys()
  }

  /** The key that a record names, or why it names none. */
  read(cells: Cells): Key | Refusal {
    const places = cells.plan.keys
    if (places.length === 0) {
      return refuse('NULL_KEY', 'the record does not say what its key is; give keys')
    }
    const parts: Value[] = []
    // Once for every record: no iterator is made.
    for (let i = 0; i < places.length; i += 1) {
      const place = places[i] ?? NOWHERE
      const value = valueAt(place, cells) ?? cells.hint?.keyValues?.[i] ?? null
      if (value === null) {
        const name = this.names[i] ?? ''
        return refuse('NULL_KEY', `the key column "${name}" is null or missing`)
      }
      parts.push(value)
    }
    return keyOf(parts)
  }

  /** The key of these values of the columns that are the key by the feed's account; null if it is not all of ours. */
  ofValues(names: readonly string[], values: readonly Value[]): Key | null {
    const parts = this.names.map((name) =>
      this.cells.typed(name, values[names.indexOf(name)] ?? null),
    )
    return parts.includes(null) ? null : keyOf(parts)
  }

  private get names(): readonly string[] {
    return this.draft.facts.keys
  }
}

const NOWHERE: Place = { from: 'nowhere' }
