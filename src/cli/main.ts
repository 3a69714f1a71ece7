import { readFileSync } from 'node:fs'
import { asksForHelp, parseArguments } from './parse-arguments.ts'
import type { Command, Context } from './command.ts'
import { COMMANDS } from './commands.ts'
import { helpOf, overview } from './help.ts'
import { completeIo } from './io.ts'
import type { Io } from './io.ts'
import { exitCodeOf, TidemarkError } from '../index.ts'
import { hint } from './nearest.ts'
import { Output } from './output.ts'
import { visibleLines } from './render/text.ts'

/**
 * The whole command line: does what the words say and gives the exit code.
 *
 * Writes to the given streams only, and changes nothing of the process but that
 * `run --continuous` listens to SIGINT and SIGTERM while it runs. Streams that are not given
 * are those of the process. Never throws: an expected failure is printed as
 * `tidemark: CODE: message`, any other with its stack, and gives 1.
 */
export async function main(words: readonly string[], given: Partial<Io> = {}): Promise<number> {
  const io = completeIo(given)
  await using out = new Output(io.stdout)
  await using err = new Output(io.stderr)
  const context: Context = { io, out, err }

  const code = await guarded(err, () => dispatch(words, context))
  const flushed = await guarded(err, async () => {
    await out.flush()
    return 0
  })
  await tell(err, '')
  return code === 0 ? flushed : code
}

async function dispatch(words: readonly string[], context: Context): Promise<number> {
  const [first] = words
  if (first === undefined) {
    await context.err.write(overview(COMMANDS))
    return 2
  }
  if (first === '--version') {
    await context.out.write(`${version()}\n`)
    return 0
  }
  if (first === '--help' || first === '-h' || first === 'help') return help(words.slice(1), context)

  if (words[1] === '--help' || words[1] === '-h') return help([first], context)

  const { command, rest } = find(words)
  if (asksForHelp(rest)) return help(command.name.split(' '), context)
  return command.run(parseArguments(command, rest), context)
}

async function help(words: readonly string[], { out }: Context): Promise<number> {
  if (words.length === 0) {
    await out.write(overview(COMMANDS))
    return 0
  }
  // A noun alone, `help quarantine`, explains each of its verbs.
  const meant = COMMANDS.filter(({ name }) => words.length === 1 && name.startsWith(`${words[0]} `))
  const explained = meant.length > 0 ? meant : [find(words).command]
  await out.write(explained.map(helpOf).join('\n'))
  return 0
}

function find(words: readonly string[]): { command: Command; rest: readonly string[] } {
  const command = COMMANDS.find(({ name }) =>
    name.split(' ').every((word, place) => word === words[place]),
  )
  if (command !== undefined) return { command, rest: words.slice(command.name.split(' ').length) }
  throw new TidemarkError('USAGE', unknown(words))
}

function unknown(words: readonly string[]): string {
  const [noun = '', verb] = words
  const verbs = COMMANDS.filter(({ name }) => name.startsWith(`${noun} `)).map(
    ({ name }) => name.split(' ')[1] ?? '',
  )
  if (verbs.length === 0) {
    const known = [...new Set(COMMANDS.map(({ name }) => name.split(' ')[0] ?? ''))]
    return noun.startsWith('-')
      ? `a command comes before its options, not ${noun}; see tidemark --help`
      : `unknown command ${JSON.stringify(noun)}${hint(noun, known)}`
  }
  if (verb === undefined) return `${noun} needs one of: ${verbs.join(', ')}`
  return `unknown command ${JSON.stringify(`${noun} ${verb}`)}${hint(verb, verbs, `${noun} `)}`
}

/** Does some work; whatever goes wrong is printed and becomes an exit code. */
async function guarded(err: Output, work: () => Promise<number>): Promise<number> {
  try {
    return await work()
  } catch (error) {
    await tell(err, `${describe(error)}\n`)
    return error instanceof TidemarkError ? exitCodeOf(error.code) : 1
  }
}

/** Writes to stderr at once; if it cannot be written, there is nobody left to tell. */
async function tell(err: Output, text: string): Promise<void> {
  try {
    await err.write(text)
    await err.flush()
  } catch {
    return
  }
}

function describe(error: unknown): string {
  if (error instanceof TidemarkError) return `tidemark: ${visibleLines(error.message)}`
  const told = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return `tidemark: unexpected, a bug: ${visibleLines(told)}`
}

function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  const parsed: unknown = JSON.parse(text)
  const found = typeof parsed === 'object' && parsed !== null && 'version' in parsed
  return found ? String(parsed.version) : 'unknown'
}
