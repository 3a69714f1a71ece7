import { MESSAGE_FORMAT_NAMES, presetOf } from '../formats/message-formats.ts'
import type { MessageFormatName } from '../formats/message-formats.ts'
import type { Preset } from '../formats/message.ts'
import { filledText, strict } from './flow-spec-fields.ts'
import type { FlowSpec, SourceSpec } from './flow-spec-type.ts'
import { SEQUENCE_COLUMN } from './virtual-columns.ts'

/** Options of sources whose records are messages. */
export const messageOptions = {
  unavailable_value: filledText('the text that stands for a value the feed does not have').default(
    '__debezium_unavailable_value',
  ),
  registry: strict({
    url: filledText('the URL of a schema registry').refine((url) => URL.canParse(url), {
      error: 'must be the URL of a schema registry',
    }),
    username: filledText('a user name').nullable().default(null),
    password: filledText('a password').nullable().default(null),
    token: filledText('a token').nullable().default(null),
  })
    .nullable()
    .default(null),
}

/** Formats of files that are no messages; a name that is both is a file's unless it is a dump. */
const OF_FILES: readonly string[] = ['ndjson', 'json', 'csv']

/** The format of a source's messages; null where its records are none. */
export function messageFormatOf(source: SourceSpec): MessageFormatName | null {
  if (source.kind === 'kafka') return source.format
  if (source.kind !== 'files') return null
  return formatOfFiles(source.format, source.dump)
}

/** What a source written like this fills in; null where it fills in nothing, or is not one at all. */
export function presetOfWritten(source: unknown): Preset | null {
  if (typeof source !== 'object' || source === null) return null
  const format = 'format' in source ? source.format : null
  if (typeof format !== 'string') return null
  if ('kafka' in source) return isMessageFormat(format) ? presetOf(format) : null
  if (!('files' in source)) return null
  const name = formatOfFiles(format, 'dump' in source && source.dump === true)
  return name === null ? null : presetOf(name)
}

/** Whether the format of the feed orders a flow's events, rather than columns that the flow names. */
export function isOrderedByFormat({ sequence_by }: Pick<FlowSpec, 'sequence_by'>): boolean {
  return sequence_by.parts[0]?.column === SEQUENCE_COLUMN
}

/** By whose account the events of a flow are ordered; null where its format does not order them. */
export function orderOf(flow: Pick<FlowSpec, 'sequence_by' | 'source'>): string | null {
  const format = isOrderedByFormat(flow) ? messageFormatOf(flow.source) : null
  return format === null ? null : presetOf(format).order
}

/** Whether records of a flow may leave out, or mark as unavailable, columns that keep their value. */
export function mayBePartial({ source }: FlowSpec): boolean {
  const format = messageFormatOf(source)
  return format !== null && presetOf(format).isPartial
}

/** Names of message formats that are no formats of files at the same time. */
export function onlyOfMessages(): readonly MessageFormatName[] {
  return MESSAGE_FORMAT_NAMES.filter((name) => !OF_FILES.includes(name))
}

function formatOfFiles(format: string | null, isDump: boolean): MessageFormatName | null {
  if (format === null) return isDump ? 'json' : null
  if (OF_FILES.includes(format) && !(isDump && format === 'json')) return null
  return isMessageFormat(format) ? format : null
}

function isMessageFormat(name: string): name is MessageFormatName {
  return MESSAGE_FORMAT_NAMES.some((each) => each === name)
}
