/** Keeps the number of values of a label small: per flow the first so many names, `other` for the rest. */
export class FewNames {
  readonly #most: number
  readonly #known = new Map<string, Set<string>>()

  constructor(most: number) {
    this.#most = most
  }

  /** The name itself, or `other`. */
  nameFor(flow: string, name: string): string {
    const known = this.#known.get(flow) ?? new Set()
    this.#known.set(flow, known)
    if (known.size < this.#most) known.add(name)
    return known.has(name) ? name : 'other'
  }
}
