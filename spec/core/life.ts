import { compareChanges, type Change, type Truncate } from '../../src/core/change.ts'
import type { Placed } from '../../src/core/neighbourhood.ts'
import { timelineOf } from '../../src/core/timeline.ts'
import { weave } from '../../src/core/weave.ts'
import type { Edits } from '../../src/core/edits.ts'
import { MemoryHistoryTable } from '../../src/stores/memory/history-table.ts'
import { Journal, JournaledMap } from '../../src/stores/memory/journal.ts'
import { ALL, draw, drawBelieved, drawEntry, KEY, sequenceOf, type Reading } from './drawing.ts'

/**
 * The stored life of one key that changes are woven into, a commit at a time, as a pipeline does.
 * System time of a commit is its number.
 */
export class Life {
  /** How many stored entries beyond the change the last commit looked at. */
  pulled = 0
  /** What the last commit made of the stored history. */
  edits: Edits[] = []
  private readonly reading: Reading
  private readonly isBitemporal: boolean
  private readonly table: MemoryHistoryTable
  private truncates: readonly Truncate[] = []
  private commits = 0

  constructor(kind: 2 | 'bitemporal' = 2, reading: Reading = {}) {
    this.reading = reading
    this.isBitemporal = kind === 'bitemporal'
    const histories = new JournaledMap<typeof KEY, ReturnType<MemoryHistoryTable['history']>>(
      new Journal(),
    )
    this.table = new MemoryHistoryTable(histories, () => this.truncates, this.isBitemporal)
  }

  /** Weaves changes in, in whatever order they are given. */
  commit(...changes: readonly Change[]): this {
    const { tracking = ALL, meaning = 'ordered' } = this.reading
    this.commits += 1
    this.pulled = 0
    this.edits = []
    const now = sequenceOf(this.commits)
    const rules = {
      tracking,
      meaning,
      commit: this.commits,
      now: this.isBitemporal ? now : null,
    }
    let rest: readonly Change[] = timelineOf(changes, 'ordered')
    for (let first = rest[0]; first !== undefined; first = rest[0]) {
      const near = this.table.near(KEY, first.sequence)
      const edits = weave({ ...near, after: this.counted(near.after) }, rest, rules)
      const time = { type: 'timestamp', text: String(this.commits) } as const
      this.table.apply(KEY, edits, { id: this.commits, time, now })
      this.edits.push(edits)
      rest = edits.rest
    }
    const fresh = changes.filter((change) => change.op === 'truncate')
    this.truncates = [...this.truncates, ...fresh].toSorted(compareChanges)
    return this
  }

  /** The rows that readers see. */
  get rows(): string[] {
    return this.table.history(KEY).versions.map(draw)
  }

  /** What is kept beside them. */
  get hidden(): string[] {
    return this.table.history(KEY).hidden.map(drawEntry)
  }

  /** All rectangles of a bitemporal table, the ones no longer believed first. */
  get rectangles(): string[] {
    const { versions, disbelieved } = this.table.history(KEY)
    const believed = versions.map((version) => ({ ...version, until: null }))
    return [...disbelieved, ...believed].map(drawBelieved)
  }

  /** `- row` for each version that the last commit took away, `+ row` for each that it put. */
  get touched(): string[] {
    return this.edits.flatMap(({ remove, put }) => [
      ...remove.map((version) => `- ${draw(version)}`),
      ...put.map((version) => `+ ${draw(version)}`),
    ])
  }

  private *counted(after: Iterable<Placed>): Iterable<Placed> {
    for (const placed of after) {
      this.pulled += 1
      yield placed
    }
  }
}
