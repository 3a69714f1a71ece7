import { choice, option, repeatable } from '../command.ts'
import type { Command, Context } from '../command.ts'
import type { Arguments } from '../arguments.ts'
import { chosenTarget, flowFile, openForReading } from '../flow-file.ts'
import type { OutputRow, RowQuery, TargetInfo } from '../../index.ts'
import { columnsOf, rowsTable } from '../render/rows-table.ts'
import { rowFormat } from '../render/rows-format.ts'
import type { RowFormat } from '../render/rows-format.ts'
import { grouped } from '../render/summary.ts'
import { readKey, readLimit, readOptional } from '../values.ts'

/** `tidemark show`: the rows of a target. */
export const show: Command = {
  name: 'show',
  operands: ['FLOWS', 'TARGET'],
  summary: 'print the rows of a target, now or as of then',
  details: [
    'Without an as-of, all versions of an SCD type 2 or bitemporal target are shown. Values are',
    'JSON if they parse, else text. Nulls: ∅ in a table, null in JSON, an empty field in CSV.',
  ],
  options: [
    choice('format', ['table', 'ndjson', 'csv', 'json'], 'form of the rows, by default a table'),
    repeatable('key', 'NAME=VALUE', 'only rows with this value in this key column'),
    option('as-of', 'SEQUENCE', 'rows that held at this sequence'),
    option('as-of-time', 'TIME', 'rows that held at this time (time_by)'),
    option('system-as-of', 'TIME', 'what was believed at this system time (bitemporal)'),
    option('limit', 'N', 'at most so many rows'),
  ],
  examples: [
    ['the whole table', 'tidemark show flows.yaml customers'],
    [
      'one key as it was at sequence 5',
      'tidemark show flows.yaml customers --key userId=123 --as-of 5',
    ],
    ['every row for a script', 'tidemark show flows.yaml customers --format ndjson'],
  ],
  async run(args, context) {
    using tidemark = openForReading(flowFile(args, context.io))
    const name = chosenTarget(tidemark.flows, args)
    const limit = readLimit(args.value('limit'))

    const target = tidemark.target(name)
    const query = queryOf(args, target, limit)
    const format = rowFormat(args.value('format') ?? 'table', columnsOf(target))
    const rows = (most?: number): Iterable<OutputRow> =>
      tidemark.rows(name, most === undefined ? query : { ...query, limit: most })
    if (format !== null) await stream(rows(), format, context)
    else await tabulate(rows(limit ?? MOST_ROWS + 1), target, limit, context)
    return 0
  },
}

/** A table is drawn at once, so it stops here unless a limit says how many rows are wanted. */
const MOST_ROWS = 10_000

function queryOf(args: Arguments, target: TargetInfo, limit: number | undefined): RowQuery {
  const asOf = readOptional(args.value('as-of'))
  const asOfTime = readOptional(args.value('as-of-time'))
  const systemAsOf = readOptional(args.value('system-as-of'))
  const key = readKey(args.values('key'), target.keys)
  return {
    ...(asOf === undefined ? {} : { asOf }),
    ...(asOfTime === undefined ? {} : { asOfTime }),
    ...(systemAsOf === undefined ? {} : { systemAsOf }),
    ...(Object.keys(key).length === 0 ? {} : { key }),
    ...(limit === undefined ? {} : { limit }),
  }
}

/** Row by row, until they end or nobody reads them any more. */
async function stream(
  rows: Iterable<OutputRow>,
  format: RowFormat,
  { out }: Context,
): Promise<void> {
  await out.write(format.head)
  let count = 0
  for (const row of rows) {
    if (!(await out.write(format.row(row, count)))) return
    count += 1
  }
  await out.write(format.tail(count))
}

async function tabulate(
  rows: Iterable<OutputRow>,
  target: TargetInfo,
  limit: number | undefined,
  { io, out, err }: Context,
): Promise<void> {
  const all = [...rows]
  const most = limit ?? MOST_ROWS
  const look = {
    width: io.isTTY ? io.columns : Infinity,
    dim: io.isTTY && (io.env['NO_COLOR'] ?? '') === '',
  }
  await out.write(rowsTable(columnsOf(target), all.slice(0, most), look))
  if (all.length > most) {
    await err.write(
      `tidemark: only the first ${grouped(most)} rows are shown; --limit N or --format ndjson gives more\n`,
    )
  }
}
