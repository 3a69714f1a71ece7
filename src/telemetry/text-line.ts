import type { TelemetryEvent } from '../ports/telemetry.ts'
import { EVENTS, fieldsOf } from './events.ts'

/**
 * An event as a line for people, without its end; the time is UTC. What is empty is left out.
 *
 *     09:31:02 warn  source_outage_began crm reason="no broker answers"
 */
export function textLine(event: TelemetryEvent, at: Date): string {
  const time = at.toISOString().slice(11, 19)
  const words = [time, EVENTS[event.event].level.padEnd(5), event.event]
  for (const [name, value] of fieldsOf(event)) {
    const text = textOf(value)
    if (text === null) continue
    words.push(name === 'flow' ? text : `${name}=${text}`)
  }
  return words.join(' ')
}

/** A field's value in one word; null for one that says nothing. */
function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return PLAIN.test(value) ? value : visibleJson(value)
  if (Array.isArray(value)) return value.map((each) => textOf(each) ?? '').join(',')
  if (typeof value === 'object') return textOfTally(value)
  return typeof value === 'boolean' ? String(value) : null
}

function textOfTally(tally: object): string | null {
  const entries = Object.entries(tally)
  return entries.length === 0 ? null : visibleJson(tally)
}

/** JSON in which nothing can move a cursor or reorder a line. */
function visibleJson(value: string | object): string {
  return JSON.stringify(value).replaceAll(HIDDEN, escaped)
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Text that is one word for a reader and for a program. */
const PLAIN = /^[\p{L}\p{N}_.:/@+*[\]{}()-]+$/u
/** What a terminal does not show, as in cli/render/text.ts. */
const HIDDEN = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu
