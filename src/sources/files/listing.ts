import { stat } from 'node:fs/promises'
import { relative, resolve, sep } from 'node:path'
import type { Stats } from 'node:fs'
import { compareNatural } from '../../core/change.ts'
import { TidemarkError } from '../../core/errors.ts'
import { isMissing, unavailable } from './file-faults.ts'

/** A file as it was when it was looked for. */
export type FileEntry = {
  /** Path relative to the flow file, with `/`: the name of the stream. */
  readonly name: string
  readonly path: string
  readonly size: number
  readonly mtimeMs: number
  readonly inode: number
}

/** The files that patterns name, each once, in natural order, and the plain paths where nothing is. */
export type Listing = { readonly files: readonly FileEntry[]; readonly missing: readonly string[] }

/**
 * Looks for files.
 *
 * A pattern that is the path of a file means that file, whatever characters it has; one
 * that begins with `!` takes files away from those that the others find.
 *
 * @throws TidemarkError `NOT_FOUND` where a pattern is the path of something that is no file
 * @throws TidemarkError `SOURCE_UNAVAILABLE` where a file may not be looked at
 */
export async function listFiles(base: string, patterns: readonly string[]): Promise<Listing> {
  const found = new Map<string, FileEntry>()
  const absent: string[] = []
  for (const pattern of patterns) {
    const path = resolve(base, pattern)
    const stats = await statOf(path)
    if (stats?.isFile() === true) addTo(found, base, path, stats)
    else if (stats !== null) throw notAFile(pattern, stats)
    else absent.push(pattern)
  }

  const { paths, missing } = await matching(base, absent)
  for (const path of paths) {
    const stats = await statOf(path)
    if (stats?.isFile() === true) addTo(found, base, path, stats)
  }
  const files = [...found.values()].sort((a, b) => compareNatural(a.name, b.name))
  return { files, missing }
}

/** The paths that patterns match, and those that are none. */
async function matching(
  base: string,
  patterns: readonly string[],
): Promise<{ paths: readonly string[]; missing: readonly string[] }> {
  if (patterns.length === 0) return { paths: [], missing: [] }
  // Not before it is needed: plain paths are not to wait for it.
  const { glob, isDynamicPattern } = await import('tinyglobby')
  const isPattern = (text: string): boolean => text.startsWith('!') || isDynamicPattern(text)
  const dynamic = patterns.filter(isPattern)
  const options = { cwd: base, absolute: true, onlyFiles: true, expandDirectories: false }
  return {
    paths: dynamic.length === 0 ? [] : await glob(dynamic, options),
    missing: patterns.filter((text) => !isPattern(text)),
  }
}

function addTo(found: Map<string, FileEntry>, base: string, path: string, stats: Stats): void {
  const name = relative(base, path).split(sep).join('/')
  const { size, mtimeMs, ino } = stats
  found.set(name, { name, path, size, mtimeMs, inode: ino })
}

async function statOf(path: string): Promise<Stats | null> {
  try {
    return await stat(path)
  } catch (error) {
    if (isMissing(error)) return null
    throw unavailable(path, error)
  }
}

function notAFile(pattern: string, stats: Stats): TidemarkError {
  const what = stats.isDirectory()
    ? `is a directory; name the files in it, for example ${pattern.replace(/\/$/, '')}/*.ndjson`
    : 'is no regular file'
  return new TidemarkError('NOT_FOUND', `${pattern} ${what}`, { pattern })
}
