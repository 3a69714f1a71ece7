/** Commits what has been gathered so far. */
export type Settle = () => void

/**
 * What runs have gathered and not committed yet, one at most for each target.
 *
 * A fold has looked up what is kept of its keys. Whoever else begins a batch into its target has it
 * committed first: written afterwards it would undo what came meanwhile, as from a program that
 * hands over events while a run goes on.
 */
export class OpenGatherings {
  readonly #byTarget = new Map<string, Settle>()

  /** A batch into a target begins; what others have gathered for it is committed. */
  begin(target: string, own: Settle | null = null): void {
    const open = this.#byTarget.get(target)
    if (own === null) this.#byTarget.delete(target)
    else this.#byTarget.set(target, own)
    if (open !== own) open?.()
  }

  /** Nothing is gathered for a target any more by whom `own` is. */
  end(target: string, own: Settle): void {
    if (this.#byTarget.get(target) === own) this.#byTarget.delete(target)
  }
}
