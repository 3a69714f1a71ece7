import { expect, test } from 'vitest'
import { FINGERPRINT_PAGE, keyOnPage } from '../../../src/core/fingerprint.ts'
import { keyOf, type Key } from '../../../src/core/key.ts'
import type { Store } from '../../../src/ports/store.ts'
import { put } from '../../core/drawing.ts'
import { Desk, key, scd2, T, type Open } from './desk.ts'

const HEAD = { context: 'as "read"', digest: 'd', shapes: [['id', 'v'], ['id']] }

/** What is kept of the records of the snapshot that a target is equal to. */
export function fingerprints(open: Open): void {
  test('fingerprints come back in order, whatever is in their keys', () => {
    using desk = new Desk(open(), scd2())
    const keys = [keyOf(['a\0b']), keyOf([1, '']), keyOf(['']), keyOf(['é😀']), key(1)]
    save(desk.store, keys)
    const saved = desk.store.fingerprints(T)
    expect(saved?.head).toEqual(HEAD)
    expect(saved?.count).toBe(5)
    expect(drawn(desk.store)).toEqual(keys.map((each, i) => `${each} ${i},0,4294967295,5 ${i % 2}`))
  })

  test('more of them than a page holds come back whole', () => {
    using desk = new Desk(open(), scd2())
    const keys = Array.from({ length: FINGERPRINT_PAGE + 1 }, (_, i) => key(i))
    save(desk.store, keys)
    expect(desk.store.fingerprints(T)?.pages).toBe(2)
    expect(drawn(desk.store).map((text) => text.split(' ')[0])).toEqual(keys)
  })

  test('of a target nothing is known before it is saved, and the last that was saved after', () => {
    using desk = new Desk(open(), scd2())
    expect(desk.store.fingerprints(T)).toBe(null)
    save(desk.store, [key(1), key(2)])
    save(desk.store, [key(3)])
    expect(drawn(desk.store)).toEqual(['n3 0,0,4294967295,5 0'])
  })

  test('whatever changes the target afterwards makes them worthless', () => {
    using desk = new Desk(open(), scd2())
    save(desk.store, [key(1)])
    desk.commit((commit) => desk.store.changed(T, commit))
    expect(desk.store.fingerprints(T)).toBe(null)
  })

  test('the writers of a target are all streams of the flows that changed it', () => {
    using desk = new Desk(open(), scd2())
    const stream = desk.of(put(5, { name: 'Ann' })).stream
    expect(desk.store.writers(T)).toEqual([])
    desk.commit((commit) => desk.store.changed(T, commit))
    const others = ['flow', 'other'].map((flow) => desk.store.stream(flow, 'another', 0))
    expect(desk.store.writers(T)).toEqual([stream, others[0]].filter(isOfFlow))
  })

  test('a key exists while a version of it is open', () => {
    using desk = new Desk(open(), scd2())
    desk.weave(key(1), put(5, { name: 'Ann' }))
    const table = desk.store.historyTable(T)
    expect([table.exists(key(1)), table.exists(key(2))]).toEqual([true, false])
  })
}

function isOfFlow(stream: { readonly flow: string } | undefined): boolean {
  return stream?.flow === 'flow'
}

function save(store: Store, keys: readonly Key[]): void {
  using draft = store.fingerprintDraft()
  for (const [i, each] of keys.entries()) {
    draft.add(Uint32Array.of(9, i, 0, 0xffffffff, 5), 1, i % 2, each)
  }
  expect(draft.count).toBe(keys.length)
  store.transact(() => {
    store.saveFingerprints(T, HEAD, draft)
  })
}

/** Key, words and shape of each record. */
function drawn(store: Store): string[] {
  const saved = store.fingerprints(T)
  return Array.from({ length: saved?.pages ?? 0 }, (_, i) => saved?.page(i)).flatMap((page) => {
    if (page === undefined) return []
    return Array.from({ length: page.count }, (_, i) => {
      const words = page.words.subarray(i * 4, i * 4 + 4).join()
      return `${keyOnPage(page, i)} ${words} ${page.shapes[i]}`
    })
  })
}
