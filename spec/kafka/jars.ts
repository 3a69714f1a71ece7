import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { access, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const POM = fileURLToPath(new URL('pom.xml', import.meta.url))
const CACHE = fileURLToPath(new URL('../../.cache/kafka/', import.meta.url))
const run = promisify(execFile)

/** Which jars: those of the broker alone, or those of Kafka Connect and Debezium as well. */
export type JarSet = 'broker' | 'debezium'

/**
 * A class path with the jars of a set. They are fetched by Maven once for each state of pom.xml
 * and kept in .cache/kafka. Two processes may ask at once: each fetches into a folder of its own,
 * and the first to end gives its folder the final name.
 *
 * @throws Error when Java or Maven is missing or a jar cannot be had
 */
export async function classPath(set: JarSet): Promise<string> {
  const state = createHash('sha256').update(await readFile(POM))
  const folder = `${CACHE}${set}-${state.digest('hex').slice(0, 12)}`
  await run('java', ['-version'])
  if (!(await exists(folder))) await fetchJars(set, folder)
  return `${folder}/*`
}

async function fetchJars(set: JarSet, folder: string): Promise<void> {
  await mkdir(CACHE, { recursive: true })
  const arriving = await mkdtemp(`${CACHE}arriving-`)
  try {
    const goal = ['dependency:copy-dependencies', `-DoutputDirectory=${arriving}`]
    if (set === 'debezium') goal.push('--activate-profiles', 'debezium')
    await run('mvn', ['--quiet', '--batch-mode', '--file', POM, ...goal])
    await rename(arriving, folder)
  } catch (error) {
    await rm(arriving, { recursive: true })
    if (!(await exists(folder))) throw new Error(whatMavenSaid(error), { cause: error })
  }
}

/** Maven complains on standard output, which the message of `execFile` leaves out. */
function whatMavenSaid(error: unknown): string {
  const printed = error instanceof Error && 'stdout' in error ? String(error.stdout) : ''
  return `the jars cannot be had: ${String(error)}\n${printed}`
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path)
    return true
  } catch {
    return false
  }
}
