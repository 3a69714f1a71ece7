import { presetOf } from '../formats/message-formats.ts'
import { isOrderedByFormat, messageFormatOf } from './flow-spec-messages.ts'
import type { FlowSpec } from './flow-spec-type.ts'
import { TIME_COLUMN } from './virtual-columns.ts'

/** What the format of a feed decides and what the flow does, a phrase each. */
export type PlannedPreset = {
  readonly format: string
  readonly keys: string
  readonly sequence: string
  readonly deletes: string
  readonly truncates: string
  readonly time: string
}

/** Who decides what where records are messages, which often say more than their columns; null for others. */
export function plannedPreset(flow: FlowSpec): PlannedPreset | null {
  const format = messageFormatOf(flow.source)
  if (format === null) return null
  const { order } = presetOf(format)
  const { epoch } = flow.source
  return {
    format,
    keys: flow.keys.length === 0 ? 'those that the feed tells' : 'keys of the flow',
    sequence: isOrderedByFormat(flow)
      ? `epoch ${epoch}, then the place that ${order ?? format} tells`
      : 'sequence_by of the flow',
    deletes: deletesOf(flow, order),
    truncates: truncatesOf(flow, order),
    time: timeOf(flow),
  }
}

/** A condition of the flow stands in the place of what the feed says. */
function deletesOf({ apply_as_deletes: own }: FlowSpec, order: string | null): string {
  const marks = 'messages without a value'
  if (own !== null) return `apply_as_deletes of the flow, and ${marks}`
  return order === null ? marks : `those of the feed, and ${marks}`
}

function truncatesOf({ apply_as_truncates: own }: FlowSpec, order: string | null): string {
  if (own === false) return 'ignored'
  if (own !== null) return 'apply_as_truncates of the flow'
  return order === null ? 'none' : 'those of the feed'
}

function timeOf({ time_by }: FlowSpec): string {
  if (time_by === null) return 'none'
  return time_by === TIME_COLUMN ? 'the one that the feed tells' : 'time_by of the flow'
}
