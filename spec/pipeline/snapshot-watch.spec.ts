import { expect, test } from 'vitest'
import { TidemarkError } from '../../src/core/errors.ts'
import type { SourceSnapshot } from '../../src/ports/source.ts'
import { SnapshotWatch } from '../../src/pipeline/snapshot-watch.ts'
import { offerOf } from '../../property-tests/engine/snapshots-under-test.ts'

/** A snapshot whose file has this size. */
function file(name: string, size: number): SourceSnapshot {
  return offerOf(1, [], { name, checkpoints: [{ name, partition: 0, next: 1, state: `${size}` }] })
}

/** What is applied at each look, where the source offers these, one list after the other. */
async function looks(...offers: readonly (readonly SourceSnapshot[] | TidemarkError)[]) {
  const coming = [...offers]
  const watch = new SnapshotWatch({
    offers: () => {
      const next = coming.shift() ?? []
      return next instanceof TidemarkError ? Promise.reject(next) : Promise.resolve(next)
    },
    wait: () => Promise.resolve(),
    lag: () => Promise.resolve([]),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  })
  const out: string[][] = []
  for (const _ of offers) {
    const ready = await watch.offers([])
    for (const offer of ready) watch.looked(offer)
    out.push(ready.map(({ name, checkpoints }) => `${name}:${checkpoints[0]?.state}`))
  }
  return out
}

test('a file is taken once it is the same at two looks, and then not again', async () => {
  const a = file('a', 1)
  expect(await looks([a], [a], [a], [a])).toEqual([[], ['a:1'], [], []])
})

test('a file that grows is left until it does not, and one that changed is taken again', async () => {
  const [short, long] = [file('a', 1), file('a', 2)]
  expect(await looks([short], [long], [long], [short], [short])).toEqual([
    [],
    [],
    ['a:2'],
    [],
    ['a:1'],
  ])
})

test('a file that is not there is waited for, and any other fault ends the watch', async () => {
  const gone = new TidemarkError('NOT_FOUND', 'there is no file')
  const a = file('a', 1)
  expect(await looks(gone, [a], [a])).toEqual([[], [], ['a:1']])
  await expect(looks(new TidemarkError('SOURCE_UNAVAILABLE', 'locked'))).rejects.toThrow('locked')
})

test('what a query gives is taken at once, and again with another version or with none', async () => {
  const query = (version: SourceSnapshot['version']) =>
    offerOf(version, [], { name: 'shop', isWhole: true, isOfTheRun: version === null })
  const taken = (await looks([query(1)], [query(1)], [query(2)])).map(({ length }) => length)
  expect(taken).toEqual([1, 0, 1])
  const ofTheRun = (await looks([query(null)], [query(null)])).map(({ length }) => length)
  expect(ofTheRun).toEqual([1, 1])
})
