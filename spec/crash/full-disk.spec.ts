import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { build, runToEnd, type Ended } from './command.ts'
import { filledJob, readSoFar, resultOf, type Result } from './job.ts'

const SEED = 5
/** With room for the store and for a log of 64 MiB beside it. */
const DISK_BYTES = 96 * 1024 * 1024

/** A disk that holds part of the job's store: made by root of memory, where it can. */
const disk = smallDisk()
const limit = canLimitFiles()
let expected: Result
/** Of the undisturbed store. */
let sizeBytes = 0
let total = 0

beforeAll(async () => {
  build()
  using job = filledJob(SEED)
  await runToEnd(['run', job.flows])
  expected = await resultOf(job)
  sizeBytes = statSync(job.store).size
  total = await readSoFar(job)
}, 120_000)

afterAll(() => {
  if (disk === null) return
  spawnSync('umount', [disk])
  rmSync(disk, { recursive: true })
})

test('at least one way to fill a disk is tried where CI runs', () => {
  if (disk === null) console.warn('no small disk can be mounted here; needs root and tmpfs')
  if (!limit) console.warn('the size of files cannot be limited here; needs a POSIX shell')
  expect(disk !== null || limit || process.env['CI'] !== 'true').toBe(true)
})

test.skipIf(disk === null)(
  '10 a run that fills its disk ends with STORE_FULL, and goes on once there is room (skipped where no tmpfs can be mounted)',
  async () => {
    using job = filledJob(SEED, disk ?? '')
    // In the way: most of the disk, and a little less each time.
    const ballast = join(disk ?? '', 'ballast')
    for (const share of [0.1, 0.3, 0.6]) {
      writeFileSync(ballast, Buffer.alloc(Math.floor(DISK_BYTES - sizeBytes * share)))
      expectFull(await runToEnd(['run', job.flows]))
      rmSync(ballast)
    }
    expect(await readSoFar(job)).toBeLessThan(total)
    expect(await runToEnd(['run', job.flows])).toMatchObject({ code: 0, err: '' })
    expect(await resultOf(job)).toEqual(expected)
  },
  120_000,
)

test.skipIf(!limit)(
  '10 a run whose store may not grow ends with STORE_FULL, and goes on once it may (skipped where the shell has no ulimit -f)',
  async () => {
    using job = filledJob(SEED)
    for (const share of [0.1, 0.3, 0.6]) {
      const kib = Math.floor((sizeBytes * share) / 1024)
      expectFull(await runToEnd(['run', job.flows], limited(kib)))
    }
    expect(await runToEnd(['run', job.flows])).toMatchObject({ code: 0, err: '' })
    expect(await resultOf(job)).toEqual(expected)
  },
  120_000,
)

function expectFull({ code, err, signal }: Ended): void {
  expect({ code, signal, err }).toEqual({
    code: 4,
    signal: null,
    err: expect.stringMatching(/^tidemark: STORE_FULL: .*\n$/) as string,
  })
}

function smallDisk(): string | null {
  const place = mkdtempSync(join(tmpdir(), 'tidemark-disk-'))
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'none', place])
  if (status === 0) return place
  rmSync(place, { recursive: true })
  return null
}

function canLimitFiles(): boolean {
  return spawnSync('bash', ['-c', `trap '' XFSZ; ulimit -f 100`]).status === 0
}

/** Runs a command that may write no file beyond a size; the write fails, as on a full disk. */
function limited(kib: number): string[] {
  return ['bash', '-c', `trap '' XFSZ; ulimit -f ${kib}; exec "$@"`, 'bash']
}
