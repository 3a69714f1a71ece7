/** A command line as understood: what was asked for, checked against the verb's own description. */
export class Arguments {
  readonly operands: readonly string[]
  readonly #values: ReadonlyMap<string, readonly string[]>

  constructor(operands: readonly string[], values: ReadonlyMap<string, readonly string[]>) {
    this.operands = operands
    this.#values = values
  }

  /** The operand at a place; null if it was left out. */
  operand(place: number): string | null {
    return this.operands[place] ?? null
  }

  /** The operand at a place that the verb requires, and the parser has seen. */
  required(place: number): string {
    return this.operands[place] ?? ''
  }

  /** Whether a switch is on. */
  flag(name: string): boolean {
    return this.#values.has(name)
  }

  /** The value of an option; null if it was not given. */
  value(name: string): string | null {
    return this.#values.get(name)?.[0] ?? null
  }

  /** All values of an option, in order. */
  values(name: string): readonly string[] {
    return this.#values.get(name) ?? []
  }
}
