import { EnvelopeFormat } from './envelope.ts'
import { JsonCodec } from './json-codec.ts'
import type { MessageFormat, Preset } from './message.ts'
import { PLAIN_ROWS, PlainRows } from './plain-rows.ts'

/** What the formats of messages can be told. */
export type MessageFormatOptions = {
  /** The text that a feed puts in the place of a value that it does not have. */
  readonly unavailableValue: string
}

type Entry = {
  readonly preset: Preset
  readonly make: (options: MessageFormatOptions) => MessageFormat
}

/** Every format of messages by the name that flows give it. */
const FORMATS = {
  json: { preset: PLAIN_ROWS, make: () => new EnvelopeFormat(new JsonCodec(), new PlainRows()) },
} as const satisfies Record<string, Entry>

/** The name of a format of messages. */
export type MessageFormatName = keyof typeof FORMATS

/** All of them, in the order in which they are documented. */
export const MESSAGE_FORMAT_NAMES: readonly MessageFormatName[] = ['json']

/** What a format fills in where a flow says nothing. */
export function presetOf(name: MessageFormatName): Preset {
  return FORMATS[name].preset
}

/** A decoder for messages of a format. */
export function messageFormat(
  name: MessageFormatName,
  options: MessageFormatOptions,
): MessageFormat {
  const entry: Entry = FORMATS[name]
  return entry.make(options)
}
