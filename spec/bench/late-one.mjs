// One late event after another into a key of many versions, in one process: prints what each run took.
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { loadFlows, openTidemark } from '../../dist/index.js'

const [folder, flowPath, versionsText] = process.argv.slice(2)
const ROUNDS = 15
const versions = Number(versionsText)

const event = (seq, value) =>
  `${JSON.stringify({ id: 1, seq, op: 'U', value, qty: value % 100 })}\n`
const feed = join(folder, 'feed')
mkdirSync(feed)
// Gaps of 1,000 between the versions leave room for events that come late.
const seqOf = (version) => version * 1000
const lines = Array.from({ length: versions }, (_, i) => event(seqOf(i + 1), i))
writeFileSync(join(feed, '1.ndjson'), lines.join(''))

const places = { first: 1, middle: Math.floor(versions / 2), last: versions - 1 }
const results = { first: [], middle: [], last: [] }
const tidemark = openTidemark(loadFlows(flowPath))
await tidemark.run({ mode: 'bounded' })
for (let round = 0; round < ROUNDS; round += 1) {
  for (const [place, version] of Object.entries(places)) {
    if (round === 0) copy(`before-${place}.db`)
    appendFileSync(join(feed, '2.ndjson'), event(seqOf(version) + round + 1, -round - 1))
    const started = performance.now()
    const [{ late }] = await tidemark.run({ mode: 'bounded' })
    results[place].push(performance.now() - started)
    if (late !== 1) throw new Error(`${place}: ${late} late, 1 expected`)
    if (round === 0) copy(`after-${place}.db`)
  }
}
tidemark[Symbol.dispose]()
process.stdout.write(JSON.stringify(results))

function copy(name) {
  const db = new Database(join(folder, 'ours.db'), { readonly: true })
  db.prepare('VACUUM INTO ?').run(join(folder, name))
  db.close()
}
