import { LineCounter, parseDocument } from 'yaml'
import { TidemarkError } from '../core/errors.ts'

/** Deeper than any flow file; deeper values might contain themselves. */
const MAX_DEPTH = 50

/**
 * The value that a YAML 1.2 or JSON text is. Anchors, aliases and merge keys (`<<`) are resolved;
 * integers that a double does not hold exactly are bigints.
 *
 * @param name what messages call the text
 * @throws TidemarkError `SPEC_INVALID` with line and column for what is no YAML, a duplicate key, an
 *   unknown tag, a second document; `SPEC_INVALID` for aliases that lead nowhere, in circles or too far
 */
export function parseYaml(text: string, name: string): unknown {
  const lines = new LineCounter()
  const document = parseDocument(text, {
    intAsBigInt: true,
    uniqueKeys: true,
    merge: true,
    lineCounter: lines,
    prettyErrors: false,
    logLevel: 'error',
  })
  const [fault] = [...document.errors, ...document.warnings]
  if (fault !== undefined) {
    const { line, col } = lines.linePos(fault.pos[0])
    const { message } = fault
    const what = message.slice(0, 1).toLowerCase() + message.slice(1)
    throw invalid(name, `${name}:${line}:${col}: ${what}`)
  }
  return plain(
    valueOf(() => document.toJS({ maxAliasCount: 100 }), name),
    name,
    0,
  )
}

function valueOf(toJs: () => unknown, name: string): unknown {
  try {
    return toJs()
  } catch (error) {
    // The only error that is left: an alias without an anchor, or too many of them.
    if (error instanceof ReferenceError) throw invalid(name, `${name}: ${error.message}`, error)
    throw error
  }
}

/** Integers that a double holds exactly become numbers; longer ones stay exact. */
function plain(value: unknown, name: string, depth: number): unknown {
  if (depth > MAX_DEPTH) {
    throw invalid(
      name,
      `${name}: something is nested more than ${MAX_DEPTH} deep, or contains itself`,
    )
  }
  if (typeof value === 'bigint') {
    const number = Number(value)
    return Number.isSafeInteger(number) ? number : value
  }
  if (Array.isArray(value)) return value.map((item) => plain(item, name, depth + 1))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, plain(item, name, depth + 1)]),
  )
}

function invalid(name: string, message: string, cause?: unknown): TidemarkError {
  return new TidemarkError('SPEC_INVALID', message, { path: name }, cause)
}
