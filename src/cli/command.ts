import type { Arguments } from './arguments.ts'
import type { Io } from './io.ts'
import type { Output } from './output.ts'

/** An option of a verb. Without `value` it is a switch. */
export type OptionSpec = {
  readonly name: string
  /** What the value is called in the help text, `NAME`; null for a switch. */
  readonly value: string | null
  readonly repeatable: boolean
  /** The only values allowed; empty for any. */
  readonly choices: readonly string[]
  readonly help: string
  /** A letter that may stand for the name: `-o`. */
  readonly short?: string
}

/** What a command writes to and reads from. */
export type Context = { readonly io: Io; readonly out: Output; readonly err: Output }

/** One verb of the command line: how it is called, explained and carried out. */
export type Command = {
  /** `run`, or two words for a verb with a noun before it: `quarantine list`. */
  readonly name: string
  /** The arguments after the name, for the help text; names in brackets may be left out. */
  readonly operands: readonly string[]
  readonly summary: string
  /** What a reader of the help needs to know beyond the summary, as lines. */
  readonly details: readonly string[]
  readonly options: readonly OptionSpec[]
  /** At least two, each a comment and a command line. */
  readonly examples: readonly (readonly [comment: string, line: string])[]
  /**
   * Does the work and gives the exit code.
   *
   * @throws TidemarkError for everything that is expected to go wrong; main prints it
   */
  run(args: Arguments, context: Context): Promise<number>
}

/** A switch: `--json`. */
export function flag(name: string, help: string): OptionSpec {
  return { name, value: null, repeatable: false, choices: [], help }
}

/** An option with one value: `--limit N`. */
export function option(name: string, value: string, help: string): OptionSpec {
  return { name, value, repeatable: false, choices: [], help }
}

/** An option that may be given several times: `--key k=v`. */
export function repeatable(name: string, value: string, help: string): OptionSpec {
  return { name, value, repeatable: true, choices: [], help }
}

/** An option whose value is one of a few words: `--format csv`. The first is the default. */
export function choice(name: string, choices: readonly string[], help: string): OptionSpec {
  return { name, value: choices.join('|'), repeatable: false, choices, help }
}

/** The switch that every reading verb has. */
export const JSON_FLAG: OptionSpec = flag('json', 'print JSON, one object a line')
