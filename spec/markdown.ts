/** A fenced block of a Markdown page: the word after its fence, and its lines, each ended. */
export type Block = { readonly language: string; readonly text: string }

/** The fenced blocks of a page, in order. */
export function blocksOf(page: string): Block[] {
  return [...page.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language = '', text = '']) => ({
    language,
    text,
  }))
}

/** Commands of a page, and what it says that they print; null where it says nothing. */
export type Shown = { readonly commands: string; readonly output: string | null }

/** The `sh` blocks of a page; a `text` block right after one is its output. */
export function shownIn(page: string): Shown[] {
  const blocks = blocksOf(page)
  return blocks.flatMap(({ language, text }, i) => {
    const next = blocks[i + 1]
    const output = next?.language === 'text' ? next.text : null
    return language === 'sh' ? [{ commands: text, output }] : []
  })
}

/** Rows of the table under a heading, without its head: the text of each cell. */
export function tableUnder(page: string, heading: string): string[][] {
  const [, section = ''] = page.split(`\n${heading}\n`)
  const rows = section.split(/\n#/)[0]?.match(/^\|.*\|$/gm) ?? []
  return rows.slice(2).map((row) =>
    row
      .slice(1, -1)
      .split('|')
      .map((text) => text.trim()),
  )
}

/** What a run prints, with the same seconds whatever it took. */
export function withoutSeconds(output: string): string {
  return output.replaceAll(/ \d+\.\d\d$/gm, ' 0.01')
}
