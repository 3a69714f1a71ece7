import type { z } from 'zod'
import type { FaultCode } from '../core/errors.ts'
import { TidemarkError } from '../core/errors.ts'
import { didYouMean } from './flow-spec-nearest.ts'

/** Keys and indexes from the top of a flow file. */
export type SpecPath = readonly PropertyKey[]

/** One thing that is wrong with a flow file. */
export type Problem = {
  readonly path: SpecPath
  readonly message: string
  /** Flows that disagree are a fault of their own. */
  readonly code: 'SPEC_INVALID' | 'FLOWS_DISAGREE'
}

/** A flow file as somebody wrote it, from which messages quote: there, values of the environment are still `${VAR}`. */
export class Written {
  readonly #spec: unknown

  constructor(spec: unknown) {
    this.#spec = spec
  }

  /** What is written at a path; undefined where nothing is. */
  at(path: SpecPath): unknown {
    let value = this.#spec
    for (const key of path) value = memberOf(value, key)
    return value
  }

  /** What is written at a path, short enough for a message. */
  quote(path: SpecPath): string {
    return quoted(this.at(path))
  }
}

/** A path as a reader would write it: `flows[0].sequence_by`. */
export function pathText(path: SpecPath): string {
  let text = ''
  for (const key of path) {
    const name = typeof key === 'string' ? key : null
    if (typeof key === 'number') text += `[${key}]`
    else if (name === null || !/^[A-Za-z_]\w*$/.test(name)) text += `[${quoted(name)}]`
    else text += text === '' ? name : `.${name}`
  }
  return text === '' ? 'the file' : text
}

/** A value in a message: text in quotes, cut where it is long; short lists as such; else only the kind. */
export function quoted(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return quotedList(value)
  if (typeof value === 'object' && value !== null) return 'an object'
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? cut(value) : value)
  if (value === null) return 'null'
  const isPlain =
    typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean'
  return isPlain ? value.toString() : `a ${typeof value}`
}

/** What zod found, with what is written in the place of `{}`. */
export function problemsOf(issues: readonly z.core.$ZodIssue[], written: Written): Problem[] {
  return issues.flatMap((issue) =>
    // The message of unknown keys has a line for each; see flow-spec-fields.ts.
    sentence(issue, written)
      .split('\n')
      .map((line) => problem(issue.path, line)),
  )
}

/** A problem of the ordinary kind. */
export function problem(path: SpecPath, message: string): Problem {
  return { path, message, code: 'SPEC_INVALID' }
}

/** Throws all problems as one fault, each on a line of its own if there are several. */
export function refuseSpec(problems: readonly Problem[], file: string | null): never {
  const lines = problems.map(({ path, message }) => `${pathText(path)}: ${message}`)
  const isDisagreement = problems.every(({ code }) => code === 'FLOWS_DISAGREE')
  const code: FaultCode = isDisagreement ? 'FLOWS_DISAGREE' : 'SPEC_INVALID'
  const head = file === null ? '' : `${file}: `
  const message =
    lines.length === 1
      ? `${head}${lines.join('')}`
      : `${head}${lines.length} problems\n${lines.map((line) => `  ${line}`).join('\n')}`
  throw new TidemarkError(code, message, {
    ...(file === null ? {} : { file }),
    problems: problems.map(({ path, message: what }) => ({ path: pathText(path), message: what })),
  })
}

/** See `custom` in flow-spec-fields.ts for the kinds of messages. */
function sentence(issue: z.core.$ZodIssue, written: Written): string {
  const { path, message } = issue
  if (issue.code === 'unrecognized_keys' || message.startsWith('unknown key')) return message
  const value = written.at(path)
  const params = paramsOf(issue)
  const hint = typeof value === 'string' ? didYouMean(value, knownOf(params)) : ''
  if (message.startsWith('must ')) {
    if (value === undefined) return 'is required'
    return mayBeSecret(path) ? message : `${message}, not ${quoted(value)}${hint}`
  }
  const texts: Readonly<Record<string, unknown>> = {
    '': value,
    name: params['name'],
    sibling: written.at([...path.slice(0, -1), Number(params['sibling'])]),
  }
  return message.replace(/\{(\w*)\}/g, (_, token: string) => quoted(texts[token])) + hint
}

/** What the message of an issue needs to know, see `custom` in flow-spec-fields.ts. */
export function paramsOf(issue: z.core.$ZodIssue): Readonly<Record<string, unknown>> {
  if (issue.code === 'invalid_value') return { known: issue.values }
  return issue.code === 'custom' ? (issue.params ?? {}) : {}
}

/** Whether a value at a path, whatever its type, may be a secret, or have one in it, as URLs do. */
function mayBeSecret(path: SpecPath): boolean {
  return path.some((key) => key === 'password' || key === 'token' || key === 'url')
}

/** What a value could have been, where a schema says so. */
function knownOf({ known }: Readonly<Record<string, unknown>>): readonly string[] {
  return Array.isArray(known) ? known.filter((each) => typeof each === 'string') : []
}

function memberOf(value: unknown, key: PropertyKey): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an own member of an object, its type unknown
  return (value as Readonly<Record<PropertyKey, unknown>>)[key]
}

function quotedList(list: readonly unknown[]): string {
  if (list.length === 0) return 'an empty list'
  const isShort = list.length <= 8 && list.every((item) => typeof item !== 'object')
  return isShort ? `[${list.map(quoted).join(', ')}]` : 'a list'
}

function cut(text: string): string {
  return `${text.slice(0, 57).toWellFormed()}…`
}
