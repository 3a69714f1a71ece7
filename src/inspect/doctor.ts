import type { Counts } from '../core/counts.ts'
import { BugError } from '../core/errors.ts'
import { keyParts, type Key } from '../core/key.ts'
import type { TargetFacts } from '../core/target.ts'
import { jsonText } from '../core/display.ts'
import type { Store } from '../ports/store.ts'
import type { KeyFault } from './key-fault.ts'
import { historyFaults } from './history-faults.ts'
import { currentFaults } from './current-faults.ts'

/** Something that is wrong in a store: where, which law it breaks, and how. */
export type Finding = { readonly target: string; readonly law: string; readonly message: string }

/**
 * Checks the invariants of a store (semantics 11), key by key: that rows are what the kept
 * events make of them, and that counts add up. Nothing is given where nothing is wrong.
 */
export function* examine(
  store: Store,
  targets: readonly TargetFacts[],
  flows: readonly string[],
): Iterable<Finding> {
  for (const line of store.integrity()) yield { target: '', law: 'file', message: line }
  for (const name of flows) yield* countFaults(store, name)
  for (const facts of targets) yield* targetFaults(store, facts)
}

function* targetFaults(store: Store, facts: TargetFacts): Iterable<Finding> {
  const faultsOf = facts.layout === 'timeline' ? historyFaults : currentFaults
  for (const key of keysOf(store, facts)) {
    for (const { law, message } of safely(() => faultsOf(store, facts, key))) {
      yield { target: facts.name, law, message: `key ${keyText(facts, key)}: ${message}` }
    }
  }
}

function keysOf(store: Store, facts: TargetFacts): Iterable<Key> {
  if (facts.layout === 'timeline') return store.historyTable(facts.name).keys()
  return store.registersTable(facts.name).keys()
}

/** A cell or a stamp that cannot be read is a finding, not the end of the examination. */
function safely(check: () => readonly KeyFault[]): readonly KeyFault[] {
  try {
    return check()
  } catch (error) {
    if (error instanceof BugError || error instanceof SyntaxError || error instanceof TypeError) {
      return [{ law: 'readable', message: error.message }]
    }
    throw error
  }
}

function* countFaults(store: Store, name: string): Iterable<Finding> {
  const record = store.flow(name)
  if (record === null) return
  const { read, accepted, ignored, dropped, quarantined }: Counts = record.counts
  const { target } = record
  if (read !== accepted + ignored + dropped + quarantined) {
    yield {
      target,
      law: '9',
      message: `flow ${name}: read ${read} is not accepted ${accepted} + ignored ${ignored} + dropped ${dropped} + quarantined ${quarantined}`,
    }
  }
  const aside = [...store.quarantine(name)].length
  if (aside !== dropped + quarantined) {
    yield {
      target,
      law: '9',
      message: `flow ${name}: ${aside} records are set aside, ${dropped + quarantined} were counted`,
    }
  }
}

function keyText(facts: TargetFacts, key: Key): string {
  return keyParts(key)
    .map((part, i) => `${facts.keys[i] ?? ''}=${jsonText(part)}`)
    .join(' ')
}
