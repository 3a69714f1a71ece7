import { diffFiles, TidemarkError } from '../../index.ts'
import type { DiffFilesOptions, FilesDiff, Value } from '../../index.ts'
import type { Arguments } from '../arguments.ts'
import { choice, flag, JSON_FLAG, option, repeatable } from '../command.ts'
import type { Command } from '../command.ts'
import { diffJson, diffText, feedWriter } from '../render/diff.ts'
import type { FeedExtras } from '../render/diff.ts'
import { readValue } from '../values.ts'

/** The exit code that says that the files differ, where it was asked for. */
const DIFFERENT = 10

/** `tidemark diff`: what differs between two files. */
export const diff: Command = {
  name: 'diff',
  operands: ['OLD', 'NEW'],
  summary: 'compare two files as states of one table, without a store',
  details: [
    'Files are NDJSON, JSON, CSV or Parquet, also packed with gzip; a glob in quotes means all that',
    'it finds. Values are compared by type and content, in any order of rows. --format ndjson is a',
    'change feed: the rows that are new or changed, and the keys of those that are gone, each with',
    "_op: INSERT, UPDATE or DELETE. A flow applies it with apply_as_deletes: _op = 'DELETE'.",
  ],
  options: [
    repeatable('keys', 'NAMES', 'the columns that name a row: k1,k2'),
    choice('format', ['summary', 'ndjson'], 'figures, or a change feed from OLD to NEW'),
    flag('columns', 'how often each column changed'),
    flag('exit-code', 'exit with 10 when the files differ'),
    repeatable('type', 'NAME=TYPE', 'the type of a column, as a flow declares it'),
    repeatable('set', 'NAME=VALUE', 'a member of each line of the feed, such as its sequence'),
    option('op-column', 'NAME', 'the member that holds the operation, by default _op'),
    choice(
      'read-as',
      ['auto', 'ndjson', 'json', 'csv', 'parquet'],
      'what the files are, if not by extension',
    ),
    option('delimiter', 'TEXT', 'what separates fields of CSV'),
    JSON_FLAG,
  ],
  examples: [
    ['what last night changed', 'tidemark diff monday.csv tuesday.csv --keys id --columns'],
    [
      'the changes as a feed of sequence 2',
      'tidemark diff a.csv b.csv --keys id --format ndjson --set rev=2',
    ],
    ['only whether they differ', 'tidemark diff a.ndjson b.json --keys id,lang --exit-code'],
  ],
  async run(args, { io, out }) {
    const options = optionsOf(args)
    const extras = extrasOf(args)
    using found = await compared(args.required(0), args.required(1), options)
    const { summary } = found
    if (args.value('format') === 'ndjson') {
      refuseClashes(found, extras)
      const line = feedWriter(found, extras)
      for (const change of found.changes()) if (!(await out.write(line(change)))) return 0
    } else {
      const withColumns = args.flag('columns')
      const width = io.isTTY ? io.columns : Infinity
      await out.write(
        args.flag('json') ? diffJson(summary, withColumns) : diffText(summary, withColumns, width),
      )
    }
    const isDifferent = summary.inserted + summary.changed + summary.deleted > 0
    return args.flag('exit-code') && isDifferent ? DIFFERENT : 0
  },
}

/** Compares, and advises options of the command line, where a flow file has others. */
async function compared(
  before: string,
  after: string,
  options: DiffFilesOptions,
): Promise<FilesDiff> {
  try {
    return await diffFiles(before, after, options)
  } catch (error) {
    if (!(error instanceof TidemarkError) || error.details['missing'] !== 'format') throw error
    const file = String(error.details['file'])
    throw usage(
      `the name of ${file} does not say what is in it; add --read-as ndjson, json, csv or parquet`,
    )
  }
}

function optionsOf(args: Arguments): DiffFilesOptions {
  const keys = args.values('keys').flatMap((names) => names.split(','))
  if (keys.length === 0) throw usage('--keys is missing: the columns that name a row')
  if (keys.includes('')) throw usage('--keys needs names with commas between them: k1,k2')
  const repeated = keys.find((key, i) => keys.indexOf(key) !== i)
  if (repeated !== undefined) throw usage(`--keys names ${JSON.stringify(repeated)} more than once`)
  const types = Object.fromEntries(args.values('type').map((text) => pairOf('type', text)))
  const delimiter = args.value('delimiter')
  const format = args.value('read-as')
  return {
    keys,
    types,
    ...(isFormat(format) ? { format } : {}),
    ...(delimiter === null ? {} : { csv: { delimiter: delimiter === '\\t' ? '\t' : delimiter } }),
  }
}

function isFormat(text: string | null): text is 'ndjson' | 'json' | 'csv' | 'parquet' {
  return text !== null && ['ndjson', 'json', 'csv', 'parquet'].includes(text)
}

function extrasOf(args: Arguments): FeedExtras {
  const members = args.values('set').map((text): [string, Value] => {
    const [name, value] = pairOf('set', text)
    return [name, readValue(value)]
  })
  return { op: args.value('op-column') ?? '_op', members }
}

/** A member of a line cannot be two things. */
function refuseClashes({ keys, columns }: FilesDiff, { op, members }: FeedExtras): void {
  const names = [...keys, ...columns, op]
  for (const [name] of members) {
    if (names.includes(name))
      throw usage(`--set ${name}: the lines have ${JSON.stringify(name)} already`)
    names.push(name)
  }
  if ([...keys, ...columns].includes(op)) {
    throw usage(`the files have a column ${JSON.stringify(op)}; choose another with --op-column`)
  }
}

function pairOf(name: string, text: string): [string, string] {
  const at = text.indexOf('=')
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)]
  throw usage(
    `--${name} needs NAME=${name === 'set' ? 'VALUE' : 'TYPE'}, not ${JSON.stringify(text)}`,
  )
}

function usage(message: string): TidemarkError {
  return new TidemarkError('USAGE', message)
}
