import { refuse, type Refusal } from '../core/refusal.ts'
import { logOfEpoch, type FeedLog } from '../core/target.ts'
import type { Hint } from '../ports/source.ts'
import { orderOf } from './flow-spec-messages.ts'
import type { FlowSpec } from './flow-spec-type.ts'
import type { TargetDraft } from './target-draft.ts'

/**
 * Keeps apart what does not compare: at one epoch all events of a target are places in one log, of
 * the kind, and on the server, that the first accepted one named (semantics 1).
 */
export class FeedLogs {
  private readonly draft: TargetDraft
  private readonly epoch: number
  private readonly order: string | null

  constructor(flow: FlowSpec, draft: TargetDraft) {
    this.draft = draft
    this.epoch = flow.source.epoch
    this.order = orderOf(flow)
  }

  /** The log that the target has at this epoch once the event is accepted; null where none orders it. */
  read(hint: Hint | null): FeedLog | Refusal | null {
    const { feed } = this.draft.facts
    if (feed === null || hint === null || this.order === null) return null
    const { epoch, order } = this
    const origin = this.isToldApart(hint) ? null : hint.origin
    const known = logOfEpoch(feed, epoch)
    if (known === undefined) return { epoch, order, log: hint.log, origin }

    if (known.order !== null && (known.order !== order || known.log !== hint.log)) {
      const what = `the sequence is ${placeIn({ order, log: hint.log })}, and those of the target are ${placeIn(known)} at epoch ${epoch}`
      return refuse(
        'SEQUENCE_TYPE',
        `${what}; raise epoch in source, or give sequence_by and another target`,
      )
    }
    if (origin === null || known.origin === origin) return known
    if (known.origin === null) return { ...known, origin }
    const what = `the sequence is a position of "${origin}", and the target's are those of "${known.origin}"`
    return refuse('SEQUENCE_TYPE', `${what}; add a column that tells the sources apart to keys`)
  }

  accept(log: FeedLog | null): void {
    if (log !== null) this.draft.fixLog(log)
  }

  /** Whether a key of the flow's own, beyond that of the feed, tells servers apart. */
  private isToldApart({ keys }: Hint): boolean {
    return keys.length > 0 && this.draft.facts.keys.some((name) => !keys.includes(name))
  }
}

function placeIn({ order, log }: Pick<FeedLog, 'order' | 'log'>): string {
  return log === null ? `that of ${order}` : `that of ${order} (${log})`
}
