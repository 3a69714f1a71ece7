import { FINGERPRINT_PAGE, type FingerprintPage } from '../../core/fingerprint.ts'
import { BugError } from '../../core/errors.ts'
import { storedJson } from '../../core/stored-json.ts'
import type { FingerprintDraft, Fingerprints, FingerprintsHead } from '../../ports/fingerprints.ts'
import type { Connection } from './connection.ts'
import { PREFIX } from './names.ts'
import { numberOf } from './stamp-codec.ts'
import type { StoredTarget } from './target.ts'

const HEADS = `${PREFIX}fingerprint_heads`
const PAGES = `${PREFIX}fingerprints`

/** Of one snapshot per target; worthless once `version` is no longer the target's. */
export const FINGERPRINT_TABLES = [
  `CREATE TABLE IF NOT EXISTS ${HEADS} (
    target INTEGER PRIMARY KEY,
    version INTEGER NOT NULL, -- of the target, when they were saved
    records INTEGER NOT NULL,
    head TEXT NOT NULL -- what they were taken of (JSON)
  )`,
  `CREATE TABLE IF NOT EXISTS ${PAGES} (
    target INTEGER NOT NULL,
    page INTEGER NOT NULL,
    words BLOB NOT NULL, -- 16 bytes for each record
    shapes BLOB NOT NULL, -- one byte for each
    keys TEXT NOT NULL, -- the key of each, one behind the other
    ends BLOB NOT NULL, -- where each of them ends, in UTF-16 units: four bytes
    PRIMARY KEY (target, page)
  )`,
]

/** The cells of a page, after what it is found by. */
export type PageCells = [words: Buffer, shapes: Buffer, keys: string, ends: Buffer]

/** A page as cells. */
export function pageCells({ words, shapes, keys, ends }: FingerprintPage): PageCells {
  return [bytesOf(words), bytesOf(shapes), keys, bytesOf(ends)]
}

/** Takes a page back from its cells. */
export function pageOf([words, shapes, keys, ends]: PageCells): FingerprintPage {
  return { count: shapes.length, words: wordsOf(words), shapes, keys, ends: wordsOf(ends) }
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint8Array | Uint32Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

/** Words have to begin at a multiple of four, which a buffer need not. */
function wordsOf({ buffer, byteOffset, byteLength }: Buffer): Uint32Array {
  return new Uint32Array(buffer.slice(byteOffset, byteOffset + byteLength))
}

/** The fingerprints of a target; null if there are none of what it holds now. */
export function fingerprintsOf({ connection, id, version }: StoredTarget): Fingerprints | null {
  // A store that was made before there were fingerprints, opened for reading.
  const isThere = connection.get(`SELECT 1 FROM sqlite_schema WHERE name = '${HEADS}'`)
  if (isThere === undefined) return null
  const found = connection.get(
    `SELECT records, head FROM ${HEADS} WHERE target = ? AND version = ?`,
    id,
    version,
  )
  if (found === undefined) return null
  const count = numberOf(found[0])
  return {
    head: storedJson<FingerprintsHead>(String(found[1])),
    count,
    pages: Math.ceil(count / FINGERPRINT_PAGE),
    page: (index) => readPage(connection, id, index),
  }
}

/** Puts the fingerprints of a target in the place of those it had. */
export function saveFingerprints(
  { connection, id, version }: StoredTarget,
  head: FingerprintsHead,
  draft: FingerprintDraft,
): void {
  connection.run(`DELETE FROM ${PAGES} WHERE target = ?`, id)
  let page = 0
  for (const each of draft.pages()) {
    connection.run(`INSERT INTO ${PAGES} VALUES (?, ?, ?, ?, ?, ?)`, id, page, ...pageCells(each))
    page += 1
  }
  connection.run(
    `INSERT OR REPLACE INTO ${HEADS} VALUES (?, ?, ?, ?)`,
    id,
    version,
    draft.count,
    JSON.stringify(head),
  )
}

function readPage(connection: Connection, id: number, index: number): FingerprintPage {
  const cells = connection.get(
    `SELECT words, shapes, keys, ends FROM ${PAGES} WHERE target = ? AND page = ?`,
    id,
    index,
  )
  const [words, shapes, keys, ends] = cells ?? []
  const isPage = Buffer.isBuffer(words) && Buffer.isBuffer(shapes) && Buffer.isBuffer(ends)
  if (isPage && typeof keys === 'string') return pageOf([words, shapes, keys, ends])
  throw new BugError(`there is no page ${index} of fingerprints`)
}
