import type { PlanReport } from '../../index.ts'
import { visible } from './text.ts'

/** Plans in the manner of the flow file, every option spelled out, then what is legal and rarely meant. */
export function planText(reports: readonly PlanReport[]): string {
  const plans = reports.map(({ flow, target, plan }) =>
    [`${key(flow)}:`, ...members({ target, ...plan }, 1)].join('\n'),
  )
  const warnings = reports.flatMap(({ flow, warnings: texts }) =>
    texts.map((text) => `warning: ${visible(flow)}: ${visible(text)}`),
  )
  const verdict = warnings.length === 0 ? ['no warnings'] : warnings
  return `${[...plans, verdict.join('\n')].join('\n\n')}\n`
}

const STEP = '  '
/** What YAML reads as text without quotes; more is quoted than need be. */
const BARE = /^[A-Za-z_./][\w./*-]*( [\w./*-]+)*$/
const WORDS_OF_YAML = /^(?:true|false|null|yes|no|on|off|y|n|nan|inf)$/i

function members(object: object, depth: number): string[] {
  return Object.entries(object).flatMap(([name, value]: [string, unknown]) =>
    value === undefined ? [] : member(key(name), value, depth),
  )
}

function member(name: string, value: unknown, depth: number): string[] {
  const indent = STEP.repeat(depth)
  if (Array.isArray(value) && value.some(isBranch)) {
    return [`${indent}${name}:`, ...value.flatMap((each) => item(each, depth + 1))]
  }
  if (isBranch(value)) return [`${indent}${name}:`, ...members(value, depth + 1)]
  return [`${indent}${name}: ${leaf(value)}`]
}

/** An element of a list: its first line after the dash, the others under it. */
function item(value: unknown, depth: number): string[] {
  const indent = STEP.repeat(depth)
  if (!isBranch(value) || Array.isArray(value)) return [`${indent}- ${leaf(value)}`]
  const [first = '', ...rest] = members(value, depth + 1)
  return [`${indent}- ${first.trimStart()}`, ...rest]
}

/** Whether a value takes lines of its own: an object with something in it. */
function isBranch(value: unknown): value is object {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.keys(value).length > 0
  )
}

function leaf(value: unknown): string {
  if (typeof value === 'string') return key(value)
  if (Array.isArray(value)) return `[${value.map(leaf).join(', ')}]`
  if (typeof value === 'bigint') return String(value)
  return JSON.stringify(value)
}

function key(text: string): string {
  return BARE.test(text) && !WORDS_OF_YAML.test(text) ? text : visible(JSON.stringify(text))
}
