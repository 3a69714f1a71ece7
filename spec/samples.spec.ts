import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { tidemark } from './cli/captured.ts'

const SAMPLES = fileURLToPath(new URL('../samples', import.meta.url))

for (const sample of await readdir(SAMPLES)) {
  test(`the sample ${sample} gives the tables that it shows`, async () => {
    const place = await mkdtemp(join(tmpdir(), 'tidemark-sample-'))
    try {
      await cp(join(SAMPLES, sample), place, { recursive: true, filter: isNoStore })
      const flow = join(place, 'flow.yaml')
      expect(await tidemark(['run', flow, '--json'])).toMatchObject({ code: 0 })

      for (const expected of await readdir(join(place, 'expected'))) {
        const target = expected.replace('.ndjson', '')
        const shown = await tidemark(['show', flow, target, '--format', 'ndjson'])
        expect(shown.out).toBe(await readFile(join(place, 'expected', expected), 'utf8'))
      }
      expect(await tidemark(['doctor', flow])).toMatchObject({ code: 0 })
    } finally {
      await rm(place, { recursive: true })
    }
  })
}

function isNoStore(path: string): boolean {
  return !/\.db(-|$)/.test(path)
}
