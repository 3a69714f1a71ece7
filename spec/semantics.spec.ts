import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const PAGE = await readFile(join(ROOT, 'spec/semantics.md'), 'utf8')

/** Numbers of the statements, as the page has them. */
const STATEMENTS = [...PAGE.matchAll(/^- \*\*S(\d+)\.(\d+)\*\* \S/gm)].map(
  ([, section, number]) => ({ section: Number(section), number: Number(number) }),
)

/** Rows of the table at the end. */
const SHOWN = [...PAGE.matchAll(/^\| (S\d+\.\d+) +\| `([^`]+)` +\| (.+?) +\|$/gm)].map(
  ([, statement = '', file = '', title = '']) => ({ statement, file, title }),
)

test('the statements of each section are numbered from 1 without a gap', () => {
  const expected = [...new Set(STATEMENTS.map(({ section }) => section))].flatMap((section) =>
    STATEMENTS.filter((each) => each.section === section).map((_, i) => ({
      section,
      number: i + 1,
    })),
  )
  expect(STATEMENTS).toEqual(expected)
  expect(STATEMENTS.length).toBeGreaterThan(80)
})

test('every statement is shown by a test, and every test that is named shows a statement', () => {
  const numbered = STATEMENTS.map(({ section, number }) => `S${section}.${number}`)
  expect([...new Set(SHOWN.map(({ statement }) => statement))]).toEqual(numbered)
})

test('every line of the table at the end is a test that exists', async () => {
  const files = new Map<string, string>()
  for (const { file } of SHOWN) {
    if (existsSync(join(ROOT, file))) files.set(file, await readFile(join(ROOT, file), 'utf8'))
  }
  const lost = SHOWN.filter(({ file, title }) => !hasTest(files.get(file) ?? '', title))
  expect(lost).toEqual([])
})

test('the table at the end has no line that is not understood', () => {
  const table = PAGE.slice(PAGE.indexOf('## 15 ')).split('\n')
  expect(table.filter((line) => line.startsWith('| S')).length).toBe(SHOWN.length)
})

/** Whether a file has a test of this title: one of its own, or one row of `test.each`. */
function hasTest(source: string, title: string): boolean {
  const starts = ['test(', 'test.fails(', ')(']
  return starts.some((start) =>
    ["'", '"', '`'].some((mark) =>
      source.replaceAll(/\(\s+/g, '(').includes(`${start}${mark}${title}${mark}`),
    ),
  )
}
