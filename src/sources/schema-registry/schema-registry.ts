import { TidemarkError } from '../../core/errors.ts'
import { isJsonArray, isJsonObject, parseExactJson } from '../../core/json.ts'
import type { JsonNode } from '../../core/json.ts'
import type {
  SchemaId,
  SchemaReference,
  SchemaSource,
  SchemaText,
} from '../../ports/schema-source.ts'

/** Where a schema registry is, and how to be let in. */
export type SchemaRegistryOptions = {
  /** Of http or https; a path in it is kept, as in `https://host/apis/ccompat/v7`. */
  readonly url: string
  readonly auth?: RegistryAuth | null
  /** How long one answer may take, in milliseconds. */
  readonly timeoutMs?: number
}

/** Basic authentication, or a bearer token. */
export type RegistryAuth =
  { readonly user: string; readonly password: string } | { readonly token: string }

const TIMEOUT_MS = 10_000

/**
 * Schemas from a registry that speaks Confluent's HTTP interface: Confluent's own, Karapace,
 * Redpanda, Apicurio under `/apis/ccompat/v7`, AWS Glue's proxies and the like.
 *
 * Only what is asked for is fetched; nothing is ever registered. Secrets go nowhere but into the
 * header of a request. 404 means that there is no such schema; anything else but an answer is
 * `SCHEMA_UNAVAILABLE`, wrong credentials included: records are not to be refused for them.
 *
 * No client library serves: that of kafkajs (4.1.0) asks for Node 22, ends the process over an error whose
 * body is `null`, and never settles on an answer that is cut off; Confluent's brings the software of four clouds.
 */
export class SchemaRegistry implements SchemaSource {
  readonly #base: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #timeoutMs: number
  /** By subject and version: what several schemas refer to is fetched once. */
  readonly #versions = new Map<string, SchemaText>()

  constructor({ url, auth = null, timeoutMs = TIMEOUT_MS }: SchemaRegistryOptions) {
    const { base, userInfo } = baseOf(url)
    this.#base = base
    const authorization = authorizationOf(auth ?? userInfo)
    this.#headers = {
      accept: 'application/vnd.schemaregistry.v1+json, application/json',
      ...(authorization === null ? {} : { authorization }),
    }
    this.#timeoutMs = timeoutMs
  }

  async fetch({ by, text }: SchemaId): Promise<SchemaText | null> {
    const path = by === 'id' ? `/schemas/ids/${text}` : `/schemas/guids/${text}`
    const answer = await this.#get(path)
    return answer === null ? null : this.#schema(path, answer, [])
  }

  /** @param within the references that led here, to find those that lead back */
  async #schema(
    path: string,
    answer: ReadonlyMap<string, JsonNode>,
    within: readonly string[],
  ): Promise<SchemaText> {
    const kind = kindOf(answer.get('schemaType') ?? 'AVRO')
    const text = answer.get('schema')
    if (kind === null) throw this.#unavailable(path, 'answers with a schema of an unknown type')
    if (typeof text !== 'string') throw this.#unavailable(path, 'answers without a schema')

    const named = answer.get('references') ?? []
    const references: SchemaReference[] = []
    for (const node of isJsonArray(named) ? named : []) {
      references.push(await this.#reference(path, node, within))
    }
    return { kind, text, references }
  }

  async #reference(
    from: string,
    node: JsonNode,
    within: readonly string[],
  ): Promise<SchemaReference> {
    const { name, subject, version } = referenceOf(node) ?? {}
    if (name === undefined || subject === undefined) {
      throw this.#unavailable(from, 'answers with a reference that names no subject and version')
    }
    // What was deleted since is still what the schema was made with.
    const path = `/subjects/${encodeURIComponent(subject)}/versions/${version}?deleted=true`
    if (within.includes(path)) throw this.#unavailable(path, 'refers to itself')
    const known = this.#versions.get(path)
    if (known !== undefined) return { name, schema: known }

    const answer = await this.#get(path)
    if (answer === null) throw this.#unavailable(path, `is not there, and ${from} refers to it`)
    const schema = await this.#schema(path, answer, [...within, path])
    this.#versions.set(path, schema)
    return { name, schema }
  }

  /** The answer to a request; null for 404. */
  async #get(path: string): Promise<ReadonlyMap<string, JsonNode> | null> {
    const { status, text } = await this.#request(path)
    if (status === 404) return null
    if (status === 401 || status === 403) {
      throw this.#unavailable(path, `answers ${status}: user, password or token are not accepted`)
    }
    if (status !== 200) throw this.#unavailable(path, `answers ${status}`)
    const parsed = parseExactJson(text)
    if ('error' in parsed || !isJsonObject(parsed.node)) {
      throw this.#unavailable(path, 'answers with what is no JSON object')
    }
    return parsed.node
  }

  async #request(path: string): Promise<{ readonly status: number; readonly text: string }> {
    try {
      const response = await fetch(this.#base + path, {
        headers: this.#headers,
        signal: AbortSignal.timeout(this.#timeoutMs),
      })
      return { status: response.status, text: await response.text() }
    } catch (error) {
      throw this.#unavailable(path, `does not answer: ${reasonOf(error)}`, error)
    }
  }

  #unavailable(path: string, fault: string, cause?: unknown): TidemarkError {
    const url = this.#base + path
    return new TidemarkError('SCHEMA_UNAVAILABLE', `${url} ${fault}`, { url }, cause)
  }
}

/** The address without a slash at its end, and without what it says of a user. */
function baseOf(url: string): { readonly base: string; readonly userInfo: RegistryAuth | null } {
  const parsed = URL.canParse(url) ? new URL(url) : null
  if (parsed === null || !['http:', 'https:'].includes(parsed.protocol)) {
    throw new TidemarkError('SPEC_INVALID', 'the address of the schema registry is no http(s) URL')
  }
  const { username, password, origin, pathname } = parsed
  const userInfo = username === '' ? null : { user: plain(username), password: plain(password) }
  return { base: origin + pathname.replace(/\/+$/, ''), userInfo }
}

function plain(encoded: string): string {
  try {
    return decodeURIComponent(encoded)
  } catch {
    throw unusable('user or password in the address')
  }
}

function unusable(what: string): TidemarkError {
  return new TidemarkError(
    'SPEC_INVALID',
    `the ${what} of the schema registry has characters that cannot be sent`,
  )
}

function authorizationOf(auth: RegistryAuth | null): string | null {
  if (auth === null) return null
  if ('token' in auth) {
    // Said here, for the error of fetch would show the token.
    if (!/^[\x21-\x7e]+$/.test(auth.token)) throw unusable('token')
    return `Bearer ${auth.token}`
  }
  return `Basic ${Buffer.from(`${auth.user}:${auth.password}`, 'utf8').toString('base64')}`
}

function kindOf(type: JsonNode): SchemaText['kind'] | null {
  return type === 'AVRO' || type === 'PROTOBUF' || type === 'JSON' ? type : null
}

function referenceOf(
  node: JsonNode,
): { readonly name: string; readonly subject: string; readonly version: number } | null {
  if (!isJsonObject(node)) return null
  const [name, subject, version] = ['name', 'subject', 'version'].map((member) => node.get(member))
  const isWhole =
    typeof name === 'string' && typeof subject === 'string' && typeof version === 'number'
  return isWhole ? { name, subject, version } : null
}

/** What the network says, in a word where it has one: `ECONNREFUSED`. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  if (cause instanceof Error) {
    return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message
  }
  return error.message
}
