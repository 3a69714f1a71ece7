import { exactNumber, type Json, type JsonObject } from '../models/json.ts'
import type { SequenceBy } from '../models/sequence.ts'

/** How the ticks of a feed are spelled as sequences. */
export type Clock = (typeof CLOCKS)[number]

/** All clocks, the plainest first. */
export const CLOCKS = [
  'integer',
  'wide',
  'decimal',
  'text',
  'array',
  'columns',
  'timestamp',
] as const

/** How many ticks a clock has: few, so that events of a key often meet at one. */
export const TICKS = 8

/** In order as numbers, not as texts. */
const DECIMALS = ['-1.5', '-1', '-0.25', '0', '0.1', '9.5', '10', '100']
const DECIMALS_AGAIN = ['-1.50', '-1.0', '-25e-2', '-0', '0.10', '9.50', '10.0', '1e2']

/** In order by code point; by UTF-16 unit the last two would change places, as numbers the second and third. */
const TEXTS = ['', '10', '2', 'Z', 'a', 'é', '\ufffd', '\u{1f600}']

/** In order as instants; as texts neither the fractions nor the offsets are. */
const SECONDS = ['00', '00.000000001', '00.1', '00.100000001', '00.9', '01', '01.00000001', '10']

/**
 * The sequence columns of a record at a tick from 0. Every clock is increasing. The second
 * spelling is another text of the same sequence, where the clock has one.
 */
export function tick(clock: Clock, n: number, spelling: 'first' | 'second'): JsonObject {
  const first = spelling === 'first'
  const [high, low] = [Math.floor(n / 4), n % 4]
  switch (clock) {
    case 'integer':
      return { s: first ? n : exactNumber(`${n}.0`) }
    case 'wide': // over the edge of the integers that a double can hold
      return { s: exactNumber(String(9007199254740988n + BigInt(n))) }
    case 'decimal':
      return { s: exactNumber((first ? DECIMALS : DECIMALS_AGAIN)[n] ?? '0') }
    case 'text':
      return { s: TEXTS[n] ?? null }
    case 'array':
      return { s: [high, low] }
    case 'columns':
      return { s: high, r: low }
    case 'timestamp':
      return { s: first ? instant(n) : `2026-01-01 02:00:${SECONDS[n] ?? ''}+02:00` }
  }
}

/** What `sequence_by` says in a feed of a clock. */
export function sequenceBy(clock: Clock): SequenceBy {
  if (clock === 'columns') return ['s', 'r']
  return clock === 'timestamp' ? { column: 's', type: 'timestamp' } : 's'
}

/** What `__START_AT` shows at a tick. */
export function shownTick(clock: Clock, n: number): Json {
  const { s = null, r = null } = tick(clock, n, 'first')
  return clock === 'columns' ? [s, r] : s
}

function instant(n: number): string {
  return `2026-01-01T00:00:${SECONDS[n] ?? ''}Z`
}
