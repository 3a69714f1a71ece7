import { asciiLowerCase } from '../core/sql-tokens.ts'
import type { SequenceType } from '../core/sequence.ts'
import { logOfEpoch, systemColumns, type FeedLog, type TargetFacts } from '../core/target.ts'

/**
 * The facts of a target while a batch is read: records may add columns and fix types. The
 * store learns of it in the transaction that writes the records, or not at all.
 */
export class TargetDraft {
  facts: TargetFacts
  private ordinals: Map<string, number>
  /** Columns that records have had, as SQLite compares names. */
  private folded: Map<string, string>
  private readonly reserved: ReadonlySet<string>
  private accepted: readonly string[] = []
  /** What was known before the keys were told. */
  private beforeKeys: {
    readonly facts: TargetFacts
    readonly ordinals: Map<string, number>
    readonly folded: Map<string, string>
  } | null = null

  constructor(facts: TargetFacts) {
    this.facts = facts
    this.ordinals = new Map(facts.columns.map((name, ordinal) => [name, ordinal]))
    this.folded = new Map(facts.seen.map((name) => [asciiLowerCase(name), name]))
    this.reserved = new Set(systemColumns(facts).map(asciiLowerCase))
  }

  /** The ordinal of a column, null while no accepted record had it. */
  ordinal(name: string): number | null {
    return this.ordinals.get(name) ?? null
  }

  /** The column that SQLite takes for this one though it is spelled in other case. */
  clash(name: string): string | null {
    const known = this.folded.get(asciiLowerCase(name))
    return known === undefined || known === name ? null : known
  }

  isReserved(name: string): boolean {
    return this.reserved.has(asciiLowerCase(name))
  }

  /** A record with these columns was accepted: from now on the target has them, and shows them. */
  accept(names: readonly string[]): void {
    // Records alike hand in the same list.
    if (names === this.accepted) return
    this.accepted = names
    const fresh = unique(names).filter((name) => !this.ordinals.has(name))
    const unseen = unique(names).filter((name) => !this.facts.seen.includes(name))
    if (unseen.length === 0) return
    this.add(fresh)
    for (const name of names) this.folded.set(asciiLowerCase(name), name)
    this.facts = { ...this.facts, seen: [...this.facts.seen, ...unseen] }
  }

  /** Gives columns a place that no record has had yet, so that what is said of them counts when one does. */
  reserve(names: readonly string[]): void {
    const fresh = unique(names).filter(
      (name) => !this.ordinals.has(name) && this.clash(name) === null,
    )
    if (fresh.length === 0) return
    this.add(fresh)
  }

  /** The keys are known from the first record on that tells them. */
  fixKeys(names: readonly string[]): void {
    const { facts } = this
    this.beforeKeys = { facts, ordinals: new Map(this.ordinals), folded: new Map(this.folded) }
    this.add(unique(names).filter((name) => !this.ordinals.has(name)))
    for (const name of names) this.folded.set(asciiLowerCase(name), name)
    const seen = unique([...names, ...this.facts.seen])
    this.facts = { ...this.facts, keys: names, seen }
  }

  /** Takes the last {@link fixKeys} back, as long as nothing was accepted since. */
  forgetKeys(): void {
    if (this.beforeKeys === null) return
    const { facts, ordinals, folded } = this.beforeKeys
    this.facts = facts
    this.ordinals = ordinals
    this.folded = folded
    this.beforeKeys = null
  }

  /** The feed's positions of an epoch are places in this log. */
  fixLog(log: FeedLog): void {
    const { feed } = this.facts
    if (feed === null || logOfEpoch(feed, log.epoch) === log) return
    const others = feed.logs.filter(({ epoch }) => epoch !== log.epoch)
    this.facts = { ...this.facts, feed: { logs: [...others, log] } }
  }

  fixSequenceType(type: SequenceType): void {
    this.facts = { ...this.facts, sequenceType: type }
  }

  fixSystemType(type: SequenceType): void {
    this.facts = { ...this.facts, systemType: type }
  }

  private add(names: readonly string[]): void {
    for (const name of names) this.ordinals.set(name, this.ordinals.size)
    this.facts = { ...this.facts, columns: [...this.facts.columns, ...names] }
  }
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)]
}
