import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { tidemark } from '../cli/captured.ts'
import { blocksOf, withoutSeconds } from '../markdown.ts'
import { describeWithDebezium } from './describe-with-kafka.ts'
import { freePort } from './free-port.ts'

const SAMPLE = fileURLToPath(new URL('../../samples/05-kafka-debezium/', import.meta.url))

describeWithDebezium('the sample of Kafka and Debezium', () => {
  test('prints what its page shows', { timeout: 300_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tidemark-sample-'))
    const env = {
      ...process.env,
      KAFKA_BROKERS: `127.0.0.1:${await freePort()}`,
      SHOP_STORE: join(folder, 'shop.db'),
    }
    const { stdout } = await promisify(execFile)(`${SAMPLE}start`, ['--once'], { env })
    const page = await readFile(`${SAMPLE}README.md`, 'utf8')
    const shown = blocksOf(page).find(({ text }) => text.startsWith('$ npx tidemark run'))
    expect(withoutPlace(stdout)).toBe(withoutPlace(shown?.text ?? ''))

    const letters = ['show', `${SAMPLE}flow.yaml`, 'letters', '--format', 'ndjson']
    const { out } = await tidemark(letters, { env })
    const body = `Dear shop, ${'more tea, '.repeat(300)}Ada`
    expect(JSON.parse(out)).toEqual({ id: 1, customer: 1, is_read: true, body })
    await rm(folder, { recursive: true })
  })
})

/** What a run prints, without seconds, positions in the log and times of changes: they differ every time. */
function withoutPlace(text: string): string {
  const lines = withoutSeconds(text).split('\n')
  return lines.map((line) => cellsOf(line) ?? line.replaceAll(/─+/g, '─')).join('\n')
}

/** Cells of a row of `order_states` but for its times; null for any other line. */
function cellsOf(line: string): string | null {
  const cells = line.split('│').map((cell) => cell.trim())
  if (cells.length !== 8) return null
  return cells
    .slice(1, 5)
    .join(' │ ')
    .replaceAll(/\b\d{8}\b/g, 'LSN')
}
