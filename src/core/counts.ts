/** What became of the records of a flow; read = accepted + ignored + dropped + quarantined (law 9). */
export type Counts = {
  readonly read: number
  readonly accepted: number
  readonly ignored: number
  readonly dropped: number
  readonly quarantined: number
  /** Change events that accepted records made. */
  readonly changes: number
  readonly late: number
  readonly ties: number
  /** Accepted records that violated an expectation that only warns. */
  readonly warned: number
  readonly batches: number
  /** Values that the feed left out and that nothing supplies; absent where there are none. */
  readonly unknown_values?: number
}

/** Nothing counted yet. */
export const NO_COUNTS: Counts = {
  read: 0,
  accepted: 0,
  ignored: 0,
  dropped: 0,
  quarantined: 0,
  changes: 0,
  late: 0,
  ties: 0,
  warned: 0,
  batches: 0,
}

/** What two parts of a run counted together. */
export function addCounts(a: Counts, b: Counts): Counts {
  const unknown = (a.unknown_values ?? 0) + (b.unknown_values ?? 0)
  return {
    read: a.read + b.read,
    accepted: a.accepted + b.accepted,
    ignored: a.ignored + b.ignored,
    dropped: a.dropped + b.dropped,
    quarantined: a.quarantined + b.quarantined,
    changes: a.changes + b.changes,
    late: a.late + b.late,
    ties: a.ties + b.ties,
    warned: a.warned + b.warned,
    batches: a.batches + b.batches,
    ...unknownCount(unknown),
  }
}

/** The count of values that nothing supplies, where there are any. */
export function unknownCount(count: number): Pick<Counts, 'unknown_values'> {
  return count === 0 ? {} : { unknown_values: count }
}
