import { jsonText } from '../core/display.ts'
import { TidemarkError } from '../core/errors.ts'
import type { Checkpoint, SnapshotSource, SourceSnapshot } from '../ports/source.ts'

/**
 * Which snapshots of a source are worth applying while it is watched: those that were on offer,
 * the same, the last time too, since a file may still be being written; and each only once,
 * whatever became of it. What a query gives is whole at once, and once for each of its versions.
 */
export class SnapshotWatch {
  private readonly source: SnapshotSource
  private readonly done = new Set<string>()
  private before = new Set<string>()

  constructor(source: SnapshotSource) {
    this.source = source
  }

  /** What to apply now. A file that is not there may come later. */
  async offers(known: readonly Checkpoint[]): Promise<readonly SourceSnapshot[]> {
    const offers = await this.offered(known)
    const ready = offers.filter((offer) => offer.isWhole || this.before.has(identityOf(offer)))
    this.before = new Set(offers.map(identityOf))
    return ready.filter((offer) => !this.done.has(identityOf(offer)))
  }

  /** Notes that a snapshot is looked at. */
  looked(offer: SourceSnapshot): void {
    if (!(offer.isWhole && offer.isOfTheRun)) this.done.add(identityOf(offer))
  }

  private async offered(known: readonly Checkpoint[]): Promise<readonly SourceSnapshot[]> {
    try {
      return await this.source.offers(known)
    } catch (error) {
      if (error instanceof TidemarkError && error.code === 'NOT_FOUND') return []
      throw error
    }
  }
}

/** The files of a snapshot as they are, or the version of what has none. */
function identityOf({ name, checkpoints, isWhole, version }: SourceSnapshot): string {
  return JSON.stringify([name, isWhole ? jsonText(version) : checkpoints])
}
