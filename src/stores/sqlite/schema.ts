import { TidemarkError } from '../../core/errors.ts'
import type { Connection } from './connection.ts'
import { FINGERPRINT_TABLES } from './fingerprints.ts'
import { PREFIX } from './names.ts'

/** The layout of the tables of ours. A store of another one is refused, never guessed at. */
const LAYOUT = '2'

/** Read as it is, and ours from the first time on that it is opened to write. */
const EARLIER_LAYOUT = '1'

/** A snapshot that was looked at; applied says what late changes have to know of it (JSON), null if it was not. */
const SNAPSHOTS = `CREATE TABLE IF NOT EXISTS ${PREFIX}snapshots (
  id INTEGER PRIMARY KEY,
  target TEXT NOT NULL,
  flow TEXT NOT NULL,
  applied TEXT,
  record TEXT -- what became of it (JSON)
)`

/** A change of keys that is not settled; half says what of it has come, and what is waited for (JSON). */
const MOVES = `CREATE TABLE IF NOT EXISTS ${PREFIX}moves (
  target TEXT NOT NULL,
  k TEXT NOT NULL, -- the new key
  s TEXT NOT NULL, -- sequence
  half TEXT NOT NULL,
  PRIMARY KEY (target, k, s)
) WITHOUT ROWID`

const TABLES = [
  `CREATE TABLE ${PREFIX}meta (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) WITHOUT ROWID`,
  // A target: what its flows agreed on and its records decided (JSON), how its cells are spelled (JSON).
  `CREATE TABLE ${PREFIX}targets (
    id INTEGER PRIMARY KEY,
    facts TEXT NOT NULL,
    columns TEXT NOT NULL,
    axes TEXT NOT NULL,
    version INTEGER NOT NULL -- commits that changed it so far
  )`,
  // A partition of a topic, or a file, as one flow reads it.
  `CREATE TABLE ${PREFIX}streams (
    id INTEGER PRIMARY KEY,
    flow TEXT NOT NULL,
    name TEXT NOT NULL,
    partition INTEGER NOT NULL,
    UNIQUE (flow, name, partition)
  )`,
  // One row per transaction; target and version only where it changed the target.
  `CREATE TABLE ${PREFIX}commits (
    id INTEGER PRIMARY KEY,
    flow TEXT NOT NULL,
    time TEXT NOT NULL, -- system time, UTC
    target TEXT,
    version INTEGER
  )`,
  `CREATE TABLE ${PREFIX}truncates (
    target INTEGER NOT NULL,
    s TEXT NOT NULL, -- sequence
    r INTEGER, y TEXT, src INTEGER NOT NULL, n INTEGER NOT NULL, p INTEGER, -- rank, system time, position
    reach TEXT NOT NULL,
    tm TEXT, -- value of time_by
    cm INTEGER NOT NULL -- commit
  )`,
  `CREATE INDEX ${PREFIX}truncates_s ON ${PREFIX}truncates (target, s)`,
  // Where each stream of a flow is to be read next; state is the source driver's own.
  `CREATE TABLE ${PREFIX}checkpoints (
    flow TEXT NOT NULL,
    stream TEXT NOT NULL,
    partition INTEGER NOT NULL,
    next INTEGER NOT NULL,
    state TEXT NOT NULL,
    PRIMARY KEY (flow, stream, partition)
  ) WITHOUT ROWID`,
  `CREATE TABLE ${PREFIX}flows (
    name TEXT PRIMARY KEY,
    record TEXT NOT NULL -- counts, configuration, last run (JSON)
  ) WITHOUT ROWID`,
  `CREATE TABLE ${PREFIX}quarantine (
    id INTEGER PRIMARY KEY,
    flow TEXT NOT NULL,
    stream TEXT NOT NULL,
    partition INTEGER NOT NULL,
    number INTEGER NOT NULL,
    code TEXT NOT NULL,
    reason TEXT NOT NULL,
    bytes BLOB NOT NULL,
    at TEXT NOT NULL
  )`,
  SNAPSHOTS,
  MOVES,
  ...FINGERPRINT_TABLES,
  `CREATE INDEX ${PREFIX}quarantine_flow ON ${PREFIX}quarantine (flow, id)`,
]

/**
 * Makes the tables of ours that a database lacks.
 *
 * @throws TidemarkError `STORE_UNKNOWN` if they are of another layout, `NOT_FOUND` if there are none to read
 */
export function bringSchema(connection: Connection, mode: 'write' | 'read'): void {
  const isThere = hasSchema(connection)
  if (isThere && mode === 'write') addLaterTables(connection)
  if (isThere) return
  if (mode === 'write') {
    createSchema(connection)
    return
  }
  const { path } = connection
  throw new TidemarkError('NOT_FOUND', `nothing has run into the store ${path} yet`, { path })
}

/** Whether the database has our tables; refuses those of another layout. */
function hasSchema(connection: Connection): boolean {
  const found = connection.get(`SELECT 1 FROM sqlite_schema WHERE name = '${PREFIX}meta'`)
  if (found === undefined) return false
  const [layout] = connection.get(`SELECT value FROM ${PREFIX}meta WHERE name = 'layout'`) ?? []
  if (layout === LAYOUT || layout === EARLIER_LAYOUT) return true
  throw new TidemarkError(
    'STORE_UNKNOWN',
    `the store ${connection.path} has layout ${String(layout)}, this Tidemark knows ${LAYOUT}`,
    { path: connection.path },
  )
}

/** Makes our tables in an empty or foreign database. */
function createSchema(connection: Connection): void {
  connection.transact(() => {
    for (const sql of TABLES) connection.run(sql)
    connection.run(`INSERT INTO ${PREFIX}meta (name, value) VALUES ('layout', ?)`, LAYOUT)
  })
}

/**
 * Adds what stores that were made before lack, so that they need not be made again. An earlier version,
 * which could not read what is written from then on, refuses them then.
 */
function addLaterTables(connection: Connection): void {
  connection.run(SNAPSHOTS)
  connection.run(MOVES)
  for (const sql of FINGERPRINT_TABLES) connection.run(sql)
  connection.run(
    `UPDATE ${PREFIX}meta SET value = ? WHERE name = 'layout' AND value = ?`,
    LAYOUT,
    EARLIER_LAYOUT,
  )
}
