import { ofOneRecord, type KeyChange } from './change.ts'
import { overwrite } from './columns.ts'
import { agree, sameVersion, type Run, type Version } from './scd2.ts'
import type { Entry, LiveEntry } from './timeline.ts'
import type { Edits, WeaveRules } from './edits.ts'

/**
 * Adds changes at the end of a key's history: what `weave` (weave.ts) does where nothing lies
 * beyond, in one pass and without looking at anything but the current version. A law says that
 * the two agree.
 *
 * @param open the current version, null where the key does not exist
 * @param changes later than everything stored, in order, each once
 */
export function append(
  open: Version | null,
  changes: readonly KeyChange[],
  rules: WeaveRules,
): Edits {
  const ended: Version[] = []
  const hide: Entry[] = []
  let run: Run | null = open
  let row = open?.entry.row ?? null
  let ties = 0

  for (const [i, change] of changes.entries()) {
    const { sequence, time } = change
    row = change.op === 'delete' ? null : overwrite(row, change)
    const before = changes[i - 1]
    if (before?.sequence === sequence && !ofOneRecord(before, change)) ties += 1
    const entry = { change, row, commit: rules.commit }

    // Of several events at one sequence only the state after the last one is seen.
    if (changes[i + 1]?.sequence === sequence) {
      hide.push(entry)
      continue
    }
    if (row === null) {
      if (run !== null) ended.push(end(run, change))
      run = null
      hide.push(entry)
      continue
    }
    const live: LiveEntry = { change, row, commit: rules.commit }
    if (run !== null && agree(run.entry.row, row, rules.tracking)) {
      hide.push(run.entry)
      run = { startAt: run.startAt, startTime: run.startTime, entry: live }
      continue
    }
    if (run !== null) ended.push(end(run, change))
    run = { startAt: sequence, startTime: time, entry: live }
  }

  return edits(open, versionsOf(ended, run), { hide, ties, rules })
}

function versionsOf(ended: Version[], run: Run | null): Version[] {
  if (run === null) return ended
  const { startAt, startTime, entry } = run
  ended.push({ startAt, endAt: null, startTime, endTime: null, entry, since: null })
  return ended
}

function edits(
  open: Version | null,
  fresh: readonly Version[],
  { hide, ties, rules }: { hide: readonly Entry[]; ties: number; rules: WeaveRules },
): Edits {
  const continued =
    open !== null &&
    fresh.some((version) => version.startAt === open.startAt && sameVersion(open, version))
  const put =
    rules.now === null
      ? fresh
      : fresh.map((version, i) => ({
          ...version,
          since: i === 0 && continued ? open.since : rules.now,
        }))
  const remove = open === null ? NONE : [open]
  return {
    remove,
    put,
    disbelieved: continued ? NONE : remove,
    unhide: NO_ENTRIES,
    hide,
    rest: [],
    late: [],
    ties,
  }
}

function end({ startAt, startTime, entry }: Run, { sequence, time }: KeyChange): Version {
  return { startAt, endAt: sequence, startTime, endTime: time, entry, since: null }
}

const NONE: readonly Version[] = []
const NO_ENTRIES: readonly Entry[] = []
