import { describe } from 'vitest'
import { currentRows } from './contract/current-rows.ts'
import { definitions } from './contract/definitions.ts'
import type { Open } from './contract/desk.ts'
import { fingerprints } from './contract/fingerprints.ts'
import { histories } from './contract/histories.ts'
import { ledger } from './contract/ledger.ts'
import { neighbourhoods } from './contract/neighbourhoods.ts'
import { transactions } from './contract/transactions.ts'
import { values } from './contract/values.ts'

/** What every {@link Store} must do. A new store passes this before it has tests of its own. */
export function storeContract(name: string, open: Open): void {
  describe(`${name}: transactions`, () => {
    transactions(open)
  })
  describe(`${name}: values`, () => {
    values(open)
  })
  describe(`${name}: targets`, () => {
    definitions(open)
  })
  describe(`${name}: current rows`, () => {
    currentRows(open)
  })
  describe(`${name}: histories`, () => {
    histories(open)
  })
  describe(`${name}: neighbourhoods of changes`, () => {
    neighbourhoods(open)
  })
  describe(`${name}: fingerprints`, () => {
    fingerprints(open)
  })
  describe(`${name}: bookkeeping`, () => {
    ledger(open)
  })
}
