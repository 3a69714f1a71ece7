import { TidemarkError } from '../../core/errors.ts'
import { isJsonArray, isJsonObject, jsonValue, parseExactJson } from '../../core/json.ts'
import type { JsonNode } from '../../core/json.ts'
import type { Value } from '../../core/value.ts'

/** One snapshot of a manifest. */
export type ManifestEntry = {
  /** Null where it says none. */
  readonly version: Value
  /** Paths that count from the manifest. */
  readonly files: readonly string[]
  readonly scope: readonly Value[] | null
  readonly rows: number | null
  readonly force: readonly string[]
  /** The entry as text: where it changes, its snapshot is looked at again. */
  readonly text: string
}

/**
 * Reads a manifest: `{ "snapshots": [{ "version", "file" or "files", "scope", "rows", "force" }] }`.
 *
 * @throws TidemarkError `FILE_BROKEN` where it is none
 */
export function parseManifest(text: string, name: string): readonly ManifestEntry[] {
  const parsed = parseExactJson(text)
  if ('error' in parsed) throw broken(name, `is no JSON: ${parsed.error} at ${parsed.at}`)
  const { node } = parsed
  const list = isJsonObject(node) ? (node.get('snapshots') ?? null) : null
  if (!isJsonArray(list)) throw broken(name, 'has no list "snapshots"')
  return list.map((entry, i) => entryOf(entry, (what) => broken(name, `snapshots[${i}] ${what}`)))
}

const MEMBERS = ['version', 'file', 'files', 'scope', 'rows', 'force']

function entryOf(node: JsonNode, fault: (what: string) => TidemarkError): ManifestEntry {
  if (!isJsonObject(node)) throw fault('must be an object')
  const unknown = [...node.keys()].find((member) => !MEMBERS.includes(member))
  if (unknown !== undefined) throw fault(`has an unknown member "${unknown}"`)

  const rows = node.get('rows') ?? null
  if (rows !== null && !(typeof rows === 'number' && Number.isInteger(rows) && rows >= 0)) {
    throw fault('must have a whole number of rows')
  }
  const one = node.get('file')
  const files = texts(node.get('files') ?? (one === undefined ? null : [one]))
  if (files === null) throw fault('needs "file", a path, or "files", a list of them')
  const force = texts(node.get('force') ?? [])
  if (force === null) throw fault('must have a list of guards as "force"')
  const scope = node.get('scope') ?? null
  if (scope !== null && !isJsonArray(scope)) throw fault('must have a list of values as "scope"')
  return {
    version: jsonValue(node.get('version') ?? null),
    files,
    scope: scope === null ? null : scope.map(jsonValue),
    rows,
    force,
    text: canonical(node),
  }
}

function texts(node: JsonNode): readonly string[] | null {
  if (!isJsonArray(node)) return null
  const found = node.filter((each) => typeof each === 'string')
  return found.length === node.length ? found : null
}

function canonical(node: JsonNode): string {
  const value = jsonValue(node)
  return typeof value === 'object' && value !== null ? value.text : ''
}

function broken(name: string, how: string): TidemarkError {
  return new TidemarkError('SPEC_INVALID', `${name} ${how}`, { file: name })
}
