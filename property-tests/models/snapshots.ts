/** A row of the model: its key `id`, its partition `p`, and a value; null is absent. */
export type ModelRow = {
  readonly id: number
  readonly p: string | null
  readonly v: number | null
}

/** A change event of a feed that may write only what is not null. */
export type ModelChange =
  | {
      readonly kind: 'upsert'
      readonly at: number
      readonly number: number
      readonly row: ModelRow
    }
  | { readonly kind: 'delete'; readonly at: number; readonly number: number; readonly id: number }
  | { readonly kind: 'truncate'; readonly at: number; readonly number: number }

/** A snapshot; `scope` lists the partitions that it states, null all of them. */
export type ModelSnapshot = {
  readonly kind: 'snapshot'
  readonly at: number
  readonly scope: readonly string[] | null
  readonly rows: readonly ModelRow[]
}

/** Something that arrives as one commit. */
export type ModelItem = ModelChange | ModelSnapshot

/** What the flows of the model are configured with. */
export type ModelRules = {
  /** Whether the feed keeps what it has no value for. */
  readonly feedKeeps: boolean
  /** Whether the snapshots do. */
  readonly snapshotsKeep: boolean
  readonly missingRows: 'delete' | 'ignore'
  /** How many snapshots in a row have to lack a key. */
  readonly deleteAfter: number
  /** Whether `v` opens versions. */
  readonly tracksValue: boolean
}

/** A row of the table: the sequences that it holds from and to. */
export type ModelVersion = ModelRow & { readonly start: number; readonly end: number | null }

/**
 * The SCD type 2 table of changes and snapshots by brute force: semantics.md, sections 2, 5 and 7. A
 * snapshot is a deletion of every key that it lacks and an upsert of each of its rows.
 */
export function modelTable(items: readonly ModelItem[], rules: ModelRules): ModelVersion[] {
  const ids = new Set(
    items.flatMap((item) => {
      if (item.kind === 'snapshot') return item.rows.map(({ id }) => id)
      if (item.kind === 'upsert') return [item.row.id]
      return []
    }),
  )
  return [...ids].flatMap((id) => versionsOf(id, items, rules))
}

function versionsOf(id: number, items: readonly ModelItem[], rules: ModelRules): ModelVersion[] {
  const sequences = [...new Set(items.map(({ at }) => at))].toSorted((a, b) => a - b)
  const versions: ModelVersion[] = []
  let row: ModelRow | null = null
  for (const at of sequences) {
    const next = stateAfter(id, at, row, { items, rules })
    const open = versions.at(-1)
    const isOpen = open?.end === null
    if (isOpen && next !== null && agree(open, next, rules)) {
      versions.splice(-1, 1, { ...next, start: open.start, end: null })
    } else {
      if (isOpen) versions.splice(-1, 1, { ...open, end: at })
      if (next !== null) versions.push({ ...next, start: at, end: null })
    }
    row = next
  }
  return versions
}

type World = { readonly items: readonly ModelItem[]; readonly rules: ModelRules }

/** Everything that happens to a key at one sequence: truncates, snapshots, then the feed in its order. */
function stateAfter(
  id: number,
  at: number,
  row: ModelRow | null,
  { items, rules }: World,
): ModelRow | null {
  const here = items.filter((item) => item.at === at)
  const before = here.some(({ kind }) => kind === 'truncate') ? null : row
  const snapshots = here.filter((item) => item.kind === 'snapshot')
  let state = before

  const isDeleted =
    rules.missingRows === 'delete' &&
    before !== null &&
    snapshots.some((snapshot) => isMissing(before, snapshot)) &&
    staysMissing(before, at, { items, rules })
  if (isDeleted) state = null
  for (const { rows } of snapshots) {
    const stated = rows.find((each) => each.id === id)
    if (stated !== undefined) state = write(state, stated, rules.snapshotsKeep)
  }

  const feed = here.filter((item) => item.kind === 'upsert' || item.kind === 'delete')
  for (const change of feed.toSorted((a, b) => a.number - b.number)) {
    if (change.kind === 'delete' && change.id === id) state = null
    if (change.kind === 'upsert' && change.row.id === id) {
      state = write(state, change.row, rules.feedKeeps)
    }
  }
  return state
}

function isMissing({ id, p }: ModelRow, { scope, rows }: ModelSnapshot): boolean {
  return (
    !rows.some((each) => each.id === id) && (scope === null || (p !== null && scope.includes(p)))
  )
}

/** Whether enough snapshots from one sequence on lack a row, before one has its key again. */
function staysMissing(row: ModelRow, from: number, { items, rules }: World): boolean {
  const snapshots = items.filter((item) => item.kind === 'snapshot').filter(({ at }) => at >= from)
  const having = snapshots.filter(({ rows }) => rows.some(({ id }) => id === row.id))
  const back = Math.min(...having.map(({ at }) => at))
  // One that moved the row to another part of the table lacks it in its old part.
  const missing = snapshots.filter((each) => isMissing(row, each) && each.at <= back)
  return missing.length >= rules.deleteAfter
}

function write(before: ModelRow | null, row: ModelRow, keeps: boolean): ModelRow {
  if (!keeps || before === null) return row
  return { id: row.id, p: row.p ?? before.p, v: row.v ?? before.v }
}

function agree(a: ModelRow, b: ModelRow, { tracksValue }: ModelRules): boolean {
  return a.p === b.p && (!tracksValue || a.v === b.v)
}
