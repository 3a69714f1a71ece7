import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { diffFiles, jsonText } from '../src/index.ts'
import type { FileChange } from '../src/index.ts'

/** Few keys and values, so that rows meet and agree often; keys whose order by UTF-16 unit is not that by code point. */
const KEYS = ['', 'a', 'b', '\u{1F600}', '\uFFFD', 1, 2, 10, true]
const VALUES = [null, 0, 1, '1', true, 'x', { a: 1 }, [1]]

type Table = ReadonlyMap<string, Readonly<Record<string, unknown>>>

/** A table by the JSON of its key, in any order. */
const table: fc.Arbitrary<Table> = fc
  .uniqueArray(
    fc.record(
      {
        k: fc.constantFrom(...KEYS),
        v: fc.constantFrom(...VALUES),
        w: fc.constantFrom(...VALUES),
      },
      { requiredKeys: ['k'] },
    ),
    { selector: ({ k }) => JSON.stringify(k), maxLength: 9 },
  )
  .map((rows) => new Map(rows.map((row) => [JSON.stringify(row.k), row])))

/** What differs, by brute force: key to the rows before and after. */
function byHand(before: Table, after: Table): Record<string, unknown> {
  const found: Record<string, unknown> = {}
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const [was, is] = [before.get(key), after.get(key)].map((row) =>
      row === undefined ? null : [row['v'] ?? null, row['w'] ?? null],
    )
    if (JSON.stringify(was) !== JSON.stringify(is)) found[key] = { before: was, after: is }
  }
  return found
}

function asJson(values: FileChange['before'], columns: readonly string[]): unknown {
  if (values === null) return null
  return ['v', 'w'].map((name): unknown =>
    JSON.parse(jsonText(values[columns.indexOf(name)] ?? null)),
  )
}

test('the difference of two files is that of their tables, whatever the order of rows', async () => {
  const place = mkdtempSync(join(tmpdir(), 'tidemark-diff-'))
  try {
    await fc.assert(
      fc.asyncProperty(table, table, async (before, after) => {
        for (const [name, rows] of Object.entries({ old: before, new: after })) {
          const lines = Array.from(rows.values(), (row) => `${JSON.stringify(row)}\n`)
          writeFileSync(join(place, `${name}.ndjson`), lines.join(''))
        }
        using diff = await diffFiles('old.ndjson', 'new.ndjson', { keys: ['k'], base: place })
        const found = Array.from(diff.changes(), (change) => [
          jsonText(change.key[0] ?? null),
          {
            before: asJson(change.before, diff.columns),
            after: asJson(change.after, diff.columns),
          },
        ])
        expect(Object.fromEntries(found)).toEqual(byHand(before, after))
        expect(diff.summary.rows).toEqual({ old: before.size, new: after.size })
        const { inserted, changed, deleted, unchanged } = diff.summary
        expect(inserted + changed + deleted).toBe(found.length)
        expect(deleted + changed + unchanged).toBe(before.size)
      }),
    )
  } finally {
    rmSync(place, { recursive: true })
  }
})
