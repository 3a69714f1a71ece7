import type { Message } from '../../formats/message.ts'
import type { Checkpoint, StreamName } from '../../ports/source.ts'
import { nameOf } from './guards.ts'
import type { Position } from './partition.ts'
import { NOTHING, recordOf, rememberedOf, stateOf } from './remembered.ts'

/**
 * How far each partition has been handed over. The store's checkpoints are where it starts, and
 * nothing but what was handed over with records moves it; a group is never asked.
 */
export class Positions {
  readonly #known = new Map<string, Position>()
  readonly #unsaved = new Map<string, Position>()

  constructor(after: readonly Checkpoint[]) {
    for (const { name, partition, next, state } of after) {
      const stream = { name, partition }
      this.#known.set(nameOf(stream), { stream, next, remembered: rememberedOf(state) })
    }
  }

  /** Null for a partition that was never read. */
  of(stream: StreamName): Position | null {
    return this.#known.get(nameOf(stream)) ?? null
  }

  get all(): readonly Position[] {
    return [...this.#known.values()]
  }

  /** Whether there is a position that no batch has carried yet. */
  get isUnsaved(): boolean {
    return this.#unsaved.size > 0
  }

  /** Takes what opening a partition found: a beginning is to be saved before anything was read. */
  begin(position: Position): void {
    const name = nameOf(position.stream)
    if (!this.#known.has(name)) this.#unsaved.set(name, position)
    this.#known.set(name, position)
  }

  /** A partition was handed over up to `next`; `last` is its last message since then, if any. */
  move(stream: StreamName, next: number, last: Message | null): void {
    const name = nameOf(stream)
    const remembered = this.#known.get(name)?.remembered ?? NOTHING
    const record = last === null ? remembered.record : recordOf(last)
    const position = { stream, next, remembered: { ...remembered, record } }
    this.#known.set(name, position)
    this.#unsaved.set(name, position)
  }

  /** A partition is somebody else's now. */
  release(stream: StreamName): void {
    const name = nameOf(stream)
    // Never saved, so never begun.
    if (this.#unsaved.delete(name)) this.#known.delete(name)
  }

  /** The checkpoints of what moved since they were taken last. */
  takeUnsaved(): Checkpoint[] {
    const checkpoints = [...this.#unsaved.values()].map(({ stream, next, remembered }) => ({
      name: stream.name,
      partition: stream.partition,
      next,
      state: stateOf(remembered),
    }))
    this.#unsaved.clear()
    return checkpoints
  }
}
