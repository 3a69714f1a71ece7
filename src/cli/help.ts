import type { Command, OptionSpec } from './command.ts'

/** The text of `tidemark --help`: every verb in a line, on one screen of 24 lines of 80 columns. */
export function overview(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length))
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`)
  return `${[
    'Tidemark turns change feeds into exact tables, whatever order they arrive in.',
    '',
    'Usage: tidemark COMMAND FLOWS …      FLOWS is a flow file, YAML or JSON',
    '',
    ...lines,
    '',
    'tidemark COMMAND --help    options and examples of a command',
    'tidemark --version         the version',
    '',
    'Exit codes: 0 done, 1 a bug, 2 usage or configuration, 3 data, 4 try again',
  ].join('\n')}\n`
}

/** The text of `tidemark VERB --help`. */
export function helpOf(command: Command): string {
  const options = [...command.options, HELP]
  const width = Math.max(...options.map((option) => spelled(option).length))
  return `${[
    `Usage: tidemark ${[command.name, ...command.operands].join(' ')} [OPTIONS]`,
    '',
    command.summary,
    ...(command.details.length > 0 ? ['', ...command.details] : []),
    '',
    'Options:',
    ...options.map((option) => `  ${spelled(option).padEnd(width)}  ${option.help}`),
    '',
    'Examples:',
    ...command.examples.flatMap(([comment, line]) => [`  # ${comment}`, `  ${line}`]),
  ].join('\n')}\n`
}

const HELP: OptionSpec = {
  name: 'help',
  value: null,
  repeatable: false,
  choices: [],
  help: 'this text',
}

function spelled({ name, value, repeatable, short }: OptionSpec): string {
  return `${short === undefined ? '' : `-${short}, `}--${name}${value === null ? '' : ` ${value}`}${repeatable ? ' …' : ''}`
}
