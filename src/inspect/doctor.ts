import { jsonText } from '../core/display.ts'
import { BugError } from '../core/errors.ts'
import { keyParts, type Key } from '../core/key.ts'
import type { TargetFacts } from '../core/target.ts'
import type { Store } from '../ports/store.ts'
import { countFaults } from './count-faults.ts'
import { currentFaults } from './current-faults.ts'
import type { Finding } from './finding.ts'
import { historyFaults } from './history-faults.ts'
import type { KeyFault } from './key-fault.ts'
import { knownFaults } from './known-faults.ts'

export type { Finding } from './finding.ts'

/**
 * Checks the invariants of a store (semantics 11), key by key: that rows are what the kept events
 * make of them, and that counts add up. Nothing is given where nothing is wrong.
 *
 * What is kept only once cannot be checked: a value that somebody changed in its only place, or a
 * change that left no trace in any row.
 */
export function* examine(
  store: Store,
  targets: readonly TargetFacts[],
  flows: readonly string[],
): Iterable<Finding> {
  const broken = store.integrity()
  for (const message of broken) yield { target: '', law: 'file', message }
  for (const name of flows) yield* countFaults(store, name)
  for (const facts of targets) yield* targetFaults(store, facts, broken.length > 0)
}

/** Once the store was found damaged, an error is what the damage does; before, it is a bug. */
function* targetFaults(store: Store, facts: TargetFacts, isDamaged: boolean): Iterable<Finding> {
  const target = facts.name
  let isSuspect = isDamaged
  try {
    for (const { key, message } of store.tableFaults(target)) {
      isSuspect = true
      yield { target, law: 'tables', message: told(facts, key, message) }
    }
    // They join every key: what is wrong with them is said once.
    store.truncates(target)
    const faultsOf = facts.layout === 'timeline' ? historyFaults : currentFaults
    for (const key of keysOf(store, facts)) {
      for (const { law, message } of safely(() => faultsOf(store, facts, key))) {
        yield { target, law, message: told(facts, key, message) }
      }
    }
    yield* knownOf(store, facts)
  } catch (error) {
    if (!isSuspect || !(error instanceof Error)) throw error
    yield { target, law: 'readable', message: `no more of it can be read: ${error.message}` }
  }
}

function* knownOf(store: Store, facts: TargetFacts): Iterable<Finding> {
  if (facts.layout !== 'timeline') return
  const target = facts.name
  try {
    for (const { key, message } of knownFaults(store, target)) {
      yield { target, law: 'known', message: told(facts, key, message) }
    }
  } catch (error) {
    if (!(error instanceof BugError)) throw error
    yield { target, law: 'readable', message: error.message }
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
    if (error instanceof BugError) return [{ law: 'readable', message: error.message }]
    // Hidden state is kept as JSON: broken, or of another shape.
    if (error instanceof SyntaxError || error instanceof TypeError) {
      return [{ law: 'readable', message: 'what is hidden behind its rows cannot be read' }]
    }
    throw error
  }
}

function told(facts: TargetFacts, key: Key | null, message: string): string {
  return key === null ? message : `key ${keyText(facts, key)}: ${message}`
}

/** The key as people write it; as it is stored, where it cannot be read. */
function keyText({ keys }: TargetFacts, key: Key): string {
  try {
    return keyParts(key)
      .map((part, i) => `${keys[i] ?? ''}=${jsonText(part)}`)
      .join(' ')
  } catch {
    return JSON.stringify(key)
  }
}
