import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Release } from './mime-db.ts'

/** How a user would keep the history of media types. A list of numbers orders as versions do: 1.9.1 comes before 1.10.0. */
const FLOW = `# Every published version of mime-db as a full extract: the history of each media type.
store: { sqlite: media-types.db }
flows:
  - target: media_types
    source: { snapshots: extracts/manifest.json, version: manifest }
    keys: type
    stored_as_scd_type: 2
`

/** Writes a flow file that keeps the history of media types, and extracts for it; gives the path of the flow file. */
export async function writeFlow(place: string, releases: readonly Release[]): Promise<string> {
  await mkdir(join(place, 'extracts'), { recursive: true })
  await Promise.all(
    releases.map(({ version, types }) =>
      writeFile(
        join(place, 'extracts', `${version}.ndjson`),
        Object.entries(types)
          .map(([type, what]) => `${JSON.stringify({ type, ...what })}\n`)
          .join(''),
      ),
    ),
  )
  await publish(place, releases)
  const flow = join(place, 'flow.yaml')
  await writeFile(flow, FLOW)
  return flow
}

/** Lists which extracts are there, for the next run. */
export async function publish(place: string, releases: readonly Release[]): Promise<void> {
  const snapshots = releases.map(({ version, types }) => ({
    version: numbersOf(version),
    file: `${version}.ndjson`,
    rows: Object.keys(types).length,
  }))
  await writeFile(join(place, 'extracts', 'manifest.json'), JSON.stringify({ snapshots }, null, 1))
}

/** The numbers of a version, which order it: `[1, 54, 0]`. */
export function numbersOf(version: string): number[] {
  return version.split('.').map(Number)
}
