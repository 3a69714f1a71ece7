import { keyOnPage } from '../core/fingerprint.ts'
import type { Key } from '../core/key.ts'
import type { Store } from '../ports/store.ts'

/** Something wrong with what is known of records; `key` is null where it is no single one's. */
export type KnownFault = { readonly key: Key | null; readonly message: string }

/** What is known of the records of the last snapshot has to be of every key that exists, and of no other. */
export function knownFaults(store: Store, target: string): readonly KnownFault[] {
  const known = store.fingerprints(target)
  if (known === null) return []
  const table = store.historyTable(target)
  const faults: KnownFault[] = []
  for (let index = 0; index < known.pages; index += 1) {
    const page = known.page(index)
    for (let i = 0; i < page.count; i += 1) {
      const key = keyOnPage(page, i)
      if (!table.exists(key))
        faults.push({ key, message: 'a record of it is known, but no row is' })
    }
  }
  const rows = store.currentRows(target)
  if (known.count !== rows) {
    faults.push({ key: null, message: `${known.count} records are known, of ${rows} rows` })
  }
  return faults
}
