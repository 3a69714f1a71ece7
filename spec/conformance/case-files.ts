import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** A file to read cases from, and whether somebody named it or it was found in a directory. */
export type FoundFile = { readonly path: string; readonly named: boolean }

/**
 * The files that paths stand for: a file itself, a directory for every `*.json` below it, in
 * order of their names. A file found twice is read once.
 *
 * @throws Error naming a path that does not exist
 */
export async function findFiles(paths: readonly string[]): Promise<readonly FoundFile[]> {
  const found = new Map<string, FoundFile>()
  for (const path of paths) {
    const entry = await stat(path).catch(() => null)
    if (entry === null) throw new Error(`there is no ${path}`)
    const files = entry.isDirectory()
      ? (await jsonFilesBelow(path)).map((below) => ({ path: below, named: false }))
      : [{ path, named: true }]
    for (const file of files) if (!found.has(file.path)) found.set(file.path, file)
  }
  return [...found.values()]
}

async function jsonFilesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true, recursive: true })
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}
