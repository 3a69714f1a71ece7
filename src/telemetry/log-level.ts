import { TidemarkError } from '../core/errors.ts'
import type { LogLevel } from '../ports/telemetry.ts'

/** The levels of the log, the least important first. */
export const LOG_LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error']

/** The level that a word names; `info` for none. @throws TidemarkError `USAGE` */
export function logLevel(word: string | null): LogLevel {
  if (word === null || word === '') return 'info'
  const level = LOG_LEVELS.find((each) => each === word)
  if (level !== undefined) return level
  throw new TidemarkError(
    'USAGE',
    `TIDEMARK_LOG_LEVEL is ${JSON.stringify(word)}, and no level; levels are ${LOG_LEVELS.join(', ')}`,
  )
}

/** Whether a log of level `least` has events of `level`. */
export function isLogged(level: LogLevel, least: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(least)
}
