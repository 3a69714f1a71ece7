import type { Stamp } from '../core/change.ts'
import type { TargetFacts } from '../core/target.ts'
import { NOTHING, step } from '../core/timeline.ts'
import type { LifeEvent } from './key-life.ts'
import { ownColumns, writtenNames } from './origin.ts'
import { validBound } from './rows.ts'
import type { Known } from './system-times.ts'

/** The events of a key with the row after each; a truncate is one only where it ended the key. */
export function lifeEvents(
  facts: TargetFacts,
  inOrder: readonly Known[],
  originOf: (stamp: Stamp) => string,
): LifeEvent[] {
  const events: LifeEvent[] = []
  let state = NOTHING
  for (const { change, commit } of inOrder) {
    const existed = state.row !== null
    state = step(state, change)
    if (change.op === 'truncate' && !(existed && state.row === null)) continue
    events.push({
      op: change.op,
      sequence: validBound(facts, change.sequence),
      order: change.sequence,
      origin: originOf(change),
      flow: change.stream.flow,
      commit,
      written: writtenNames(facts, change),
      row: state.row === null ? null : ownColumns(facts, state.row),
    })
  }
  return events
}
