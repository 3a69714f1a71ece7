import { readFile } from 'node:fs/promises'
import { feedCasesOf } from './feed-case.ts'
import { runFeedCase } from './run-feed-case.ts'

const USAGE = `npm run feed-cases -- FILE… [--only TEXT]

Runs the feed cases of the files through decoders, engine and store. Ends with the line
"N passed, N failed", and exits with 1 if any failed.
`

process.exitCode = await run(process.argv.slice(2))

async function run(words: readonly string[]): Promise<number> {
  const at = words.indexOf('--only')
  const only = at < 0 ? '' : (words[at + 1] ?? '')
  const paths = at < 0 ? words : words.slice(0, at)
  if (paths.length === 0) {
    console.error(USAGE)
    return 2
  }
  let passed = 0
  let failed = 0
  for (const path of paths) {
    for (const feed of feedCasesOf(await readFile(path, 'utf8'))) {
      if (!feed.id.includes(only)) continue
      const differences = await runFeedCase(feed).catch((error: unknown) => [String(error)])
      if (differences.length === 0) passed += 1
      else failed += 1
      for (const difference of differences) console.log(`${feed.id}: ${difference}`)
    }
  }
  console.log(`${passed} passed, ${failed} failed`)
  return failed === 0 ? 0 : 1
}
