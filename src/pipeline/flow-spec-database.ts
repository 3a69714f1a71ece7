import { z } from 'zod'
import { custom, parseWithin, strict } from './flow-spec-fields.ts'
import type { DatabaseSpec } from './flow-spec-type.ts'

/** A query as a database takes it; only the database knows whether it is one. */
export const query = z
  .string({ error: 'must be a query as text' })
  .refine((text) => text.trim() !== '', { error: 'must be a query' })

/** The message does not begin with "must": such ones quote what is written, which may hold a password. */
function url(schemes: readonly string[], example: string): z.ZodType<string> {
  const error = `needs a URL such as ${example}`
  return z.string({ error }).refine((text) => schemes.includes(schemeOf(text)), { error })
}

const shape = {
  sqlite: z
    .string({ error: 'must be the path of an SQLite file' })
    .min(1, { error: 'must be the path of an SQLite file' }),
  postgres: url(['postgres:', 'postgresql:'], 'postgres://user:password@host:5432/database'),
  mysql: url(['mysql:', 'mariadb:'], 'mysql://user:password@host:3306/database'),
}

const KINDS = ['sqlite', 'postgres', 'mysql'] as const

const OF_KIND = {
  sqlite: strict({ sqlite: shape.sqlite, query }),
  postgres: strict({ postgres: shape.postgres, query }),
  mysql: strict({ mysql: shape.mysql, query }),
} as const satisfies Record<(typeof KINDS)[number], z.ZodType<DatabaseSpec>>

/** The database whose query gives a snapshot. */
export const database = z.unknown().transform((input, context): DatabaseSpec => {
  const given = KINDS.filter(
    (kind) => typeof input === 'object' && input !== null && Object.hasOwn(input, kind),
  )
  const [kind, other] = given
  if (kind !== undefined && other === undefined) {
    return parseWithin<DatabaseSpec>(OF_KIND[kind], input, context)
  }
  context.issues.push(custom(`needs one of ${KINDS.join(', ')}, and a query`))
  return z.NEVER
})

/** A database as a plan shows it: a password that the file itself holds is nobody's business. */
export function describeDatabase(spec: DatabaseSpec): DatabaseSpec {
  if ('postgres' in spec) return { ...spec, postgres: withoutPassword(spec.postgres) }
  return 'mysql' in spec ? { ...spec, mysql: withoutPassword(spec.mysql) } : spec
}

/** A URL whose password is nobody's business. */
export function withoutPassword(text: string): string {
  try {
    const shown = new URL(text)
    if (shown.password !== '') shown.password = '***'
    if (shown.searchParams.has('password')) shown.searchParams.set('password', '***')
    return shown.href
  } catch {
    return '***'
  }
}

function schemeOf(text: string): string {
  try {
    return new URL(text).protocol
  } catch {
    return ''
  }
}
