import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { z } from 'zod'

/** What the package says of a media type, absent where it says nothing. */
const mediaType = z.strictObject({
  source: z.enum(['iana', 'apache', 'nginx']).optional(),
  charset: z.string().optional(),
  compressible: z.boolean().optional(),
  extensions: z.array(z.string()).optional(),
})

const database = z.record(z.string(), mediaType)

/** A published version of the package: its media types by name. */
export type Release = {
  readonly version: string
  readonly types: Readonly<Record<string, z.infer<typeof mediaType>>>
}

/** All that is needed of the package. */
export type MimeDb = {
  /** In the order of their version numbers. */
  readonly releases: readonly Release[]
  /** The package's own account of what changed when. */
  readonly changelog: string
}

/** Every version up to 1.54.0 that was published; 1.9.0 never was. */
const VERSIONS = [
  '0.0.0 1.0.0 1.0.1 1.0.2 1.0.3 1.1.0 1.1.1 1.1.2 1.2.0 1.3.0 1.3.1'.split(' '),
  '1.4.0 1.5.0 1.6.0 1.6.1 1.7.0 1.8.0 1.9.1'.split(' '),
  Array.from({ length: 45 }, (_, i) => `1.${i + 10}.0`),
].flat()

const CACHE = fileURLToPath(new URL('../../.cache/mime-db/', import.meta.url))
const FETCHED = join(CACHE, `up-to-${VERSIONS.at(-1)}`)
const run = promisify(execFile)

/**
 * The published versions of the npm package mime-db (licence MIT), fetched by npm once and kept in
 * `.cache/mime-db`. Two processes may ask at once: each fetches into a folder of its own.
 *
 * @throws Error when npm cannot be reached, or a version has something that {@link Release} does not
 */
export async function mimeDb(): Promise<MimeDb> {
  try {
    return await read()
  } catch (error) {
    if (!isAbsent(error)) throw error
    await fetchAll()
    return read()
  }
}

async function read(): Promise<MimeDb> {
  const releases = await Promise.all(
    VERSIONS.map(async (version): Promise<Release> => {
      const text = await readFile(join(FETCHED, `${version}.json`), 'utf8')
      return { version, types: database.parse(JSON.parse(text)) }
    }),
  )
  return { releases, changelog: await readFile(join(FETCHED, 'HISTORY.md'), 'utf8') }
}

async function fetchAll(): Promise<void> {
  await mkdir(CACHE, { recursive: true })
  const arriving = await mkdtemp(join(CACHE, 'arriving-'))
  try {
    const names = VERSIONS.map((version) => `mime-db@${version}`)
    const quietly = ['--silent', '--pack-destination', arriving]
    await run('npm', ['pack', ...quietly, ...names], { timeout: 180_000 })
    for (const version of VERSIONS) {
      const packed = join(arriving, `mime-db-${version}.tgz`)
      await writeFile(join(arriving, `${version}.json`), await unpacked(packed, 'db.json'))
      if (version === VERSIONS.at(-1)) {
        await writeFile(join(arriving, 'HISTORY.md'), await unpacked(packed, 'HISTORY.md'))
      }
      await rm(packed)
    }
    await rename(arriving, FETCHED)
  } catch (error) {
    await rm(arriving, { recursive: true, force: true })
    if (isOccupied(error)) return
    throw new Error(`the versions of mime-db cannot be had: ${String(error)}`, { cause: error })
  }
}

async function unpacked(archive: string, file: string): Promise<string> {
  return (await run('tar', ['-xzOf', archive, `package/${file}`])).stdout
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

/** Whether another process was the first to put its folder in place. */
function isOccupied(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false
  return error.code === 'ENOTEMPTY' || error.code === 'EEXIST'
}
