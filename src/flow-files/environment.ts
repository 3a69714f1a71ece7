import { problem } from '../pipeline/flow-spec-problems.ts'
import type { Problem, SpecPath } from '../pipeline/flow-spec-problems.ts'

/** Variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/** A flow file with the environment put in, and what was missing. */
export type Substituted = { readonly value: unknown; readonly problems: readonly Problem[] }

/**
 * Puts the environment into every text, keys aside: `${VAR}`, or `${VAR:-default}` where VAR may
 * be unset or empty. `$${` is a plain `${`. Problems name the place and the variable, never a value.
 */
export function substitute(value: unknown, env: Environment, path: SpecPath = []): Substituted {
  if (typeof value === 'string') return inText(value, env, path)
  if (Array.isArray(value)) {
    const items = value.map((item, i) => substitute(item, env, [...path, i]))
    return {
      value: items.map((item) => item.value),
      problems: items.flatMap(({ problems }) => problems),
    }
  }
  if (typeof value !== 'object' || value === null) return { value, problems: [] }

  const members = Object.entries(value).map(([key, member]) => ({
    key,
    ...substitute(member, env, [...path, key]),
  }))
  return {
    value: Object.fromEntries(members.map((member) => [member.key, member.value])),
    problems: members.flatMap(({ problems }) => problems),
  }
}

/** An escaped brace, a variable with or without a default, or a brace that is neither. */
const PLACE = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}|\$\{/g

function inText(text: string, env: Environment, path: SpecPath): Substituted {
  const problems: Problem[] = []
  const value = text.replaceAll(PLACE, (found, name?: string, fallback?: string) => {
    if (found === '$${') return '${'
    if (name === undefined) {
      problems.push(problem(path, NO_VARIABLE))
      return found
    }
    const set = Object.hasOwn(env, name) ? env[name] : undefined
    if (set !== undefined && (set !== '' || fallback === undefined)) return set
    if (fallback !== undefined) return fallback
    problems.push(
      problem(path, `the environment has no ${name}; set it, or write \${${name}:-default}`),
    )
    return ''
  })
  return { value, problems }
}

const NO_VARIABLE =
  '${ is not followed by a variable as in ${VAR} or ${VAR:-default}; $${ is a plain ${'
