import { TidemarkError } from '../core/errors.ts'
import { streamKey, type Checkpoint, type StreamName } from '../ports/source.ts'

/**
 * Keeps a run from committing behind another one's back. The lock of the store lets only one
 * process write; where it does not hold (a file system without locks, a store that was copied
 * back), each run would apply what the other has applied, and set the checkpoints back.
 */
export class CheckpointFence {
  private readonly flow: string
  private readonly left: Map<string, Checkpoint>

  /** `checkpoints` are those that the run starts from. */
  constructor(flow: string, checkpoints: readonly Checkpoint[]) {
    this.flow = flow
    this.left = new Map(checkpoints.map((each) => [streamKey(each), each]))
  }

  /**
   * Compares what the store says of the streams that are about to move with where the run left them.
   *
   * @throws TidemarkError `CHECKPOINT_MOVED`
   */
  check(stored: readonly Checkpoint[], moving: readonly StreamName[]): void {
    const now = new Map(stored.map((each) => [streamKey(each), each]))
    for (const stream of moving) {
      const [found, left] = [now.get(streamKey(stream)), this.left.get(streamKey(stream))]
      if (found?.next === left?.next && found?.state === left?.state) continue
      const { name, partition } = stream
      const place = (at: Checkpoint | undefined) => at?.next ?? 'nowhere'
      throw new TidemarkError(
        'CHECKPOINT_MOVED',
        `the checkpoint of ${name}[${partition}] is at ${place(found)}, where this run left it at ${place(left)}: another run of the flow "${this.flow}" wrote meanwhile; let only one run at a time`,
        { flow: this.flow, stream: name, partition },
      )
    }
  }

  /** The batch was committed. */
  move(checkpoints: readonly Checkpoint[]): void {
    for (const each of checkpoints) this.left.set(streamKey(each), each)
  }
}
