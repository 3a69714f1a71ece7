import { expect, test } from 'vitest'
import { COMMANDS } from '../../src/cli/commands.ts'
import { tidemark } from './captured.ts'

test('the help lists every verb and fits a screen', async () => {
  const { code, out, err } = await tidemark(['--help'])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  const lines = out.trimEnd().split('\n')
  expect(lines.length).toBeLessThanOrEqual(24)
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
  expect(out).toBe(`\
Tidemark turns change feeds into exact tables, whatever order they arrive in.

Usage: tidemark COMMAND FLOWS …      FLOWS is a flow file, YAML or JSON

  validate         check a flow file, print its plan and warnings
  run              apply everything available now from every source
  show             print the rows of a target, now or as of then
  history          draw the life of one key, and which event wrote each value
  status           show checkpoints, lag, counts and the last run of each flow
  snapshot plan    show what the next snapshots would change
  snapshot list    list past snapshots, and what became of each
  diff             compare two files as states of one table, without a store
  quarantine list  list the records that were set aside, and why
  quarantine show  show one record that was set aside, or all, with its bytes
  capture          dump the topics of a flow to a file that can be replayed
  doctor           check the invariants of a store and name what is wrong

tidemark COMMAND --help    options and examples of a command
tidemark --version         the version

Exit codes: 0 done, 1 a bug, 2 usage or configuration, 3 data, 4 try again
`)
})

test('a command line without a verb prints the help as an error', async () => {
  const help = await tidemark(['--help'])
  expect(await tidemark([])).toEqual({ code: 2, out: '', err: help.out })
})

test('the help of a verb has its options and examples', async () => {
  expect(await tidemark(['quarantine', 'list', '--help'])).toEqual({
    code: 0,
    err: '',
    out: `\
Usage: tidemark quarantine list FLOWS [OPTIONS]

list the records that were set aside, and why

A line per record: id, flow, place, code, reason.

Options:
  --flow NAME …  only records of this flow
  --json         print JSON, one object a line
  --help         this text

Examples:
  # what was refused or dropped
  tidemark quarantine list flows.yaml
  # of one flow, for a script
  tidemark quarantine list flows.yaml --flow customers --json
`,
  })
})

test.each(COMMANDS)('the help of $name is at hand whatever else is said', async (command) => {
  const { code, out } = await tidemark([...command.name.split(' '), '--nonsense', '-h'])
  expect(code).toBe(0)
  const words = ['Usage: tidemark', command.name, ...command.operands]
  expect(out.startsWith(words.join(' '))).toBe(true)
})

test.each(COMMANDS)('$name has two examples or more', ({ examples }) => {
  expect(examples.length).toBeGreaterThanOrEqual(2)
})

test.each(COMMANDS.flatMap(({ examples }) => examples.map(([, line]) => line)))(
  'the example "%s" is a command line that is understood',
  async (line) => {
    const { code, err } = await tidemark(line.split(' ').slice(1))
    expect({ code, isFileAtFault: err.startsWith('tidemark: NOT_FOUND: ') }).toEqual({
      code: 2,
      isFileAtFault: true,
    })
  },
)

test('help explains a verb, or all verbs of a noun', async () => {
  const list = await tidemark(['quarantine', 'list', '--help'])
  const show = await tidemark(['quarantine', 'show', '--help'])
  expect(await tidemark(['help', 'quarantine', 'show'])).toEqual(show)
  expect(await tidemark(['help', 'quarantine'])).toEqual({
    code: 0,
    out: `${list.out}\n${show.out}`,
    err: '',
  })
})

test('the version is that of the package', async () => {
  const { code, out } = await tidemark(['--version'])
  expect(code).toBe(0)
  expect(out).toMatch(/^\d+\.\d+\.\d+\n$/)
})

test.each(['quarantine', 'snapshot'])(
  'the help of %s is that of each of its verbs',
  async (noun) => {
    const both = await tidemark(['help', noun])
    expect([...both.out.matchAll(/^Usage: tidemark (\w+) /gm)].map(([, word]) => word)).toEqual([
      noun,
      noun,
    ])
    expect(await tidemark([noun, '--help'])).toEqual(both)
    expect(await tidemark([noun, '-h'])).toEqual(both)
  },
)
