import { compareChanges, type Change, type Stamp } from '../core/change.ts'
import { visibleColumns, type TargetFacts } from '../core/target.ts'
import { NOTHING, step } from '../core/timeline.ts'
import type { LifeEvent } from './key-life.ts'
import { originText, ownColumns, writtenNames, type Writers } from './origin.ts'
import { validBound } from './rows.ts'
import type { Known } from './system-times.ts'

/** Replays the changes of a key, given in order, and notes who wrote what. */
export class Teller {
  /** The events of the key; a truncate is one only where it ended the key. */
  readonly events: LifeEvent[] = []
  private readonly facts: TargetFacts
  private readonly writers = new Map<string, Writers>()
  private readonly current = new Map<string, string>()
  private state = NOTHING

  constructor(facts: TargetFacts) {
    this.facts = facts
  }

  tell({ change, commit }: Known): void {
    const before = this.state
    this.state = step(before, change)
    const isEnd = before.row !== null && this.state.row === null
    if (change.op === 'truncate' && !isEnd) return

    const { facts } = this
    const { row } = this.state
    const written = writtenNames(facts, change)
    if (change.op === 'upsert') this.write(written, originText(change))
    else this.current.clear()
    this.writers.set(placeText(change), Object.fromEntries(this.current))
    this.events.push({
      op: change.op,
      sequence: validBound(facts, change.sequence),
      origin: originText(change),
      flow: change.stream.flow,
      commit,
      written,
      row: row === null ? null : ownColumns(facts, row),
    })
  }

  /** Who had written the values of the row after a change; nobody, where the change was not told. */
  writersAfter(change: Change): Writers {
    return this.writers.get(placeText(change)) ?? {}
  }

  private write(written: LifeEvent['written'], origin: string): void {
    const names = written === 'all' ? visibleColumns(this.facts) : written
    for (const name of names) this.current.set(name, origin)
  }
}

/** Replays changes that came in any order, each once. */
export function toldBy(facts: TargetFacts, known: readonly Known[]): Teller {
  const teller = new Teller(facts)
  const told = new Map(known.map((each) => [placeText(each.change), each]))
  for (const each of [...told.values()].toSorted((a, b) => compareChanges(a.change, b.change))) {
    teller.tell(each)
  }
  return teller
}

/** Names a change within its key: the same for every copy of it that is kept. */
function placeText({ sequence, rank, system, stream, number, part }: Stamp): string {
  return JSON.stringify([sequence, rank, system, stream.id, number, part])
}
