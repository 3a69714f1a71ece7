import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const CACHE = fileURLToPath(new URL('../../.cache/compare', import.meta.url))
const run = promisify(execFile)

/**
 * A Python that has a package, in an environment of its own which is made once and kept.
 *
 * @throws Error when there is no Python, or the package cannot be installed
 */
export async function pythonWith(name: string, requirement: string): Promise<string> {
  const folder = join(CACHE, name)
  const python = join(folder, 'bin', 'python')
  const done = join(folder, 'installed')
  if (existsSync(done)) return python
  mkdirSync(CACHE, { recursive: true })
  // One that was left half made would look whole.
  rmSync(folder, { recursive: true, force: true })
  await run('python3', ['-m', 'venv', folder])
  await run(python, ['-m', 'pip', 'install', '--quiet', requirement])
  writeFileSync(done, requirement)
  return python
}
