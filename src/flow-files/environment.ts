/** Variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/** A flow file with the environment put in, and what was missing. */
export type Substituted = { readonly value: unknown; readonly problems: readonly string[] }

/**
 * Puts the environment into every text: `${VAR}`, or `${VAR:-default}` where VAR may be unset or
 * empty. Problems name the place and the variable, never a value.
 */
export function substitute(value: unknown, env: Environment, path: string): Substituted {
  if (typeof value === 'string') return inText(value, env, path)
  if (Array.isArray(value)) {
    const items = value.map((item, i) => substitute(item, env, `${path}[${i}]`))
    return {
      value: items.map((item) => item.value),
      problems: items.flatMap(({ problems }) => problems),
    }
  }
  if (typeof value !== 'object' || value === null) return { value, problems: [] }

  const members = Object.entries(value).map(([key, member]) => ({
    key,
    ...substitute(member, env, path === '' ? key : `${path}.${key}`),
  }))
  return {
    value: Object.fromEntries(members.map((member) => [member.key, member.value])),
    problems: members.flatMap(({ problems }) => problems),
  }
}

function inText(text: string, env: Environment, path: string): Substituted {
  const problems: string[] = []
  const value = text.replaceAll(
    /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g,
    (_, name: string, fallback: string | undefined) => {
      const set = env[name]
      if (set !== undefined && set !== '') return set
      if (fallback !== undefined) return fallback
      if (set === '') return ''
      problems.push(
        `${path}: the environment has no ${name}; set it, or write \${${name}:-default}`,
      )
      return ''
    },
  )
  return { value, problems }
}
