import { Parser } from 'yargs/helpers'
import { Arguments } from './arguments.ts'
import type { Command, OptionSpec } from './command.ts'
import { TidemarkError } from '../index.ts'
import { hint } from './nearest.ts'

/**
 * Parses the arguments after a verb.
 *
 * @throws TidemarkError `USAGE` naming the argument at fault and the nearest known one
 */
export function parseArguments(command: Command, words: readonly string[]): Arguments {
  refuseUnknown(command, words)
  const parsed = parse(command, words)
  const values = new Map<string, readonly string[]>()
  for (const spec of command.options) {
    const given = valuesOf(spec, parsed[spec.name])
    if (given !== null) values.set(spec.name, checked(spec, given))
  }
  const operands = textsOf(parsed['_'])
  checkOperands(command, operands)
  return new Arguments(operands, values)
}

/** Whether a verb's help is asked for, whatever else the words say. */
export function asksForHelp(words: readonly string[]): boolean {
  const end = words.indexOf('--')
  return (end === -1 ? words : words.slice(0, end)).some(
    (word) => word === '--help' || word === '-h',
  )
}

/** Judged before yargs sees the words, so that messages have them as they were typed. */
function refuseUnknown(command: Command, words: readonly string[]): void {
  for (const [place, word] of words.entries()) {
    if (word === '--') return
    const typed = OPTION.exec(word)?.groups?.['name']
    if (typed === undefined) continue
    const isLong = word.startsWith('--')
    const spec = command.options.find(({ name, short }) => (isLong ? name : short) === typed)
    if (spec === undefined) throw unknownOption(command, word, typed)
    if (spec.value !== null && !word.includes('=')) refuseLacking(spec, words[place + 1])
  }
}

function unknownOption({ options }: Command, word: string, typed: string): TidemarkError {
  const known = options.map(({ name }) => name)
  const dashes = word.startsWith('--') ? '--' : '-'
  return usage(`unknown option ${dashes}${typed}${hint(typed, known, '--')}`)
}

function refuseLacking({ name }: OptionSpec, next: string | undefined): void {
  if (next === undefined || OPTION.test(next)) throw usage(`option --${name} needs a value`)
}

/** An option, and not a negative number. */
const OPTION = /^(?:--|-(?![\d.]))(?<name>[^=]+)/s

/** Only what takes words apart: help, and all else that yargs has for it, is our own. */
function parse({ options }: Command, words: readonly string[]): Readonly<Record<string, unknown>> {
  const named = (isSwitch: boolean): string[] =>
    options.filter(({ value }) => (value === null) === isSwitch).map(({ name }) => name)
  return Parser([...words], {
    boolean: named(true),
    array: named(false),
    string: named(false),
    alias: Object.fromEntries(
      options.flatMap(({ name, short }) => (short === undefined ? [] : [[name, short]])),
    ),
    configuration: {
      'boolean-negation': false,
      'camel-case-expansion': false,
      'dot-notation': false,
      'greedy-arrays': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
    },
  })
}

function valuesOf(spec: OptionSpec, given: unknown): readonly string[] | null {
  if (given === undefined) return null
  if (spec.value !== null) return textsOf(given)
  return given === true || (Array.isArray(given) && given.at(-1) === true) ? [''] : null
}

function textsOf(given: unknown): readonly string[] {
  return Array.isArray(given) ? given.map(String) : []
}

function checked(spec: OptionSpec, values: readonly string[]): readonly string[] {
  if (!spec.repeatable && values.length > 1) throw usage(`option --${spec.name} is given twice`)
  for (const value of values) {
    if (spec.choices.length > 0 && !spec.choices.includes(value)) {
      throw usage(`unknown --${spec.name} ${JSON.stringify(value)}${hint(value, spec.choices)}`)
    }
  }
  return values
}

function checkOperands(command: Command, operands: readonly string[]): void {
  const missing = command.operands.slice(operands.length).find((name) => !name.startsWith('['))
  if (missing !== undefined) {
    throw usage(`${missing} is missing: tidemark ${[command.name, ...command.operands].join(' ')}`)
  }
  const extra = operands[command.operands.length]
  if (extra !== undefined) throw usage(`unexpected argument ${JSON.stringify(extra)}`)
}

function usage(message: string): TidemarkError {
  return new TidemarkError('USAGE', message)
}
