import type { Stamp } from './change.ts'
import { BugError } from './errors.ts'
import type { Sequence } from './sequence.ts'
import type { JsonNode } from './json.ts'
import { fieldsOf, valueOf, writtenBy, type Deletion, type Register } from './register.ts'
import { doesDeletionMatter, EMPTY, rowOf, type Registers } from './registers.ts'
import { cell, type Row } from './value.ts'

/**
 * Registers without their values, which the visible row has already: what a store keeps next to it.
 *
 * `latest` is the stamp of the latest upsert, or of the deletion where the key does not exist.
 * `versions` is null where that says it all: one event wrote every column, or deleted the key.
 */
export type PackedRegisters = { readonly latest: Stamp; readonly versions: PackedVersions | null }

/** Packed registers and the row that has their values, null where the key does not exist. */
export type PackedRow = PackedRegisters & { readonly row: Row | null }

/**
 * Plain data but for the stamps; every number `i` is the stamp `stamps[i - 1]`, and 0 is `latest`.
 *
 * `base` gives its version to every column that is not in `columns`. Where `base` is null, a
 * column that is not in `columns` has version 0 if it shows a value, and none if it is null.
 */
export type PackedVersions = {
  readonly stamps: readonly Stamp[]
  readonly deleted: number | null
  /** Whether the deletion is a truncate. */
  readonly truncate: boolean
  readonly base: number | null
  readonly columns: readonly (readonly [ordinal: number, version: PackedRegister])[]
  /** See {@link Registers}; in the order of sequences. */
  readonly told?: readonly (readonly [sequence: Sequence, digests: readonly string[]])[]
}

/** Version of a value that did not merge; or `replaced`, `merged` and the leaves by name. */
export type PackedRegister =
  | number
  | readonly [
      replaced: number | null,
      merged: number | null,
      leaves: readonly (readonly [name: string, version: PackedRegister])[],
    ]

/**
 * Takes the values out of registers. {@link unpack} with the row of `rowOf` gives back registers
 * that no further change can tell from these. The same changes in any order have the same packed
 * form: columns by ordinal, leaves by UTF-16 units of their names, stamps in order of mention.
 *
 * @throws BugError for registers of which nothing is known
 */
export function pack(registers: Registers): PackedRegisters {
  const latest = registers.written ?? registers.deleted?.stamp
  if (latest === undefined) throw new BugError('nothing is known of the key')
  const stamps = new Stamps(latest)

  const base = stamps.number(registers.base?.stamp)
  const deletion = doesDeletionMatter(registers) ? registers.deleted : null
  const deleted = stamps.number(deletion?.stamp)
  const truncate = deletion?.truncate ?? false
  const columns = [...registers.columns]
    .filter(([, register]) => base !== null || !isImplied(register, latest))
    .toSorted(([a], [b]) => a - b)
    .map(([ordinal, register]) => [ordinal, packed(register, stamps)] as const)

  const isPlain = columns.length === 0 && !truncate
  const isOne = registers.written === null ? deleted === 0 : base === 0 && deleted === null
  if (isPlain && isOne && registers.told === undefined) return { latest, versions: null }
  const versions = { stamps: stamps.others, deleted, truncate, base, columns }
  return { latest, versions: { ...versions, ...packedTold(registers) } }
}

/** Registers as a store keeps them, if any of it need be kept. @throws BugError as {@link pack} does */
export function packedRow(registers: Registers): PackedRow {
  const { latest, versions } = pack(registers)
  return { latest, versions, row: rowOf(registers) }
}

/** The registers of a packed form and the row that a reader sees, null where the key does not exist. */
export function unpack({ latest, versions }: PackedRegisters, row: Row | null): Registers {
  if (versions === null) return row === null ? deletedAt(latest) : writtenAt(latest, row)

  const stampOf = (i: number): Stamp => {
    const stamp = i === 0 ? latest : versions.stamps[i - 1]
    if (stamp === undefined) throw new BugError(`no stamp ${i}`)
    return stamp
  }
  const { deleted, truncate, base } = versions
  const deletion: Deletion | null = deleted === null ? null : { stamp: stampOf(deleted), truncate }
  const told = versions.told === undefined ? {} : { told: new Map(versions.told) }
  if (row === null) return { ...EMPTY, deleted: deletion, ...told }

  const columns = base === null ? implied(latest, row) : new Map<number, Register>()
  for (const [ordinal, version] of versions.columns) {
    columns.set(ordinal, unpacked(version, cell(row, ordinal), stampOf))
  }
  const all = base === null ? null : { stamp: stampOf(base), row }
  return { written: latest, deleted: deletion, base: all, columns, ...told }
}

function packedTold({ told }: Registers): Pick<PackedVersions, 'told'> {
  return told === undefined ? {} : { told: [...told].toSorted(([a], [b]) => (a < b ? -1 : 1)) }
}

/** Whether a column without a base reads the same when left out. */
function isImplied(register: Register, latest: Stamp): boolean {
  const { replaced, merged } = register
  return merged === null && replaced?.stamp === latest && valueOf(register) !== null
}

function implied(latest: Stamp, row: Row): Map<number, Register> {
  const columns = new Map<number, Register>()
  for (const [ordinal, value] of row.entries()) {
    if (value !== null) columns.set(ordinal, writtenBy(latest, value))
  }
  return columns
}

function packed({ replaced, merged, leaves }: Register, stamps: Stamps): PackedRegister {
  const at = stamps.number(replaced?.stamp)
  if (at !== null && merged === null) return at
  const named = [...leaves]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, leaf]) => [name, packed(leaf, stamps)] as const)
  return [at, stamps.number(merged ?? undefined), named]
}

function unpacked(
  version: PackedRegister,
  shown: JsonNode,
  stampOf: (i: number) => Stamp,
): Register {
  if (typeof version === 'number') return writtenBy(stampOf(version), shown)
  const [replaced, merged, named] = version
  const fields = new Map(fieldsOf(shown))
  const leaves = new Map<string, Register>()
  for (const [name, leaf] of named) {
    leaves.set(name, unpacked(leaf, fields.get(name) ?? null, stampOf))
    fields.delete(name)
  }

  // Of a replaced value only what still shows through can matter: the fields without a leaf.
  return {
    replaced: replaced === null ? null : { stamp: stampOf(replaced), value: fields },
    merged: merged === null ? null : stampOf(merged),
    leaves,
  }
}

function writtenAt(stamp: Stamp, row: Row): Registers {
  return { ...EMPTY, written: stamp, base: { stamp, row } }
}

function deletedAt(stamp: Stamp): Registers {
  return { ...EMPTY, deleted: { stamp, truncate: false } }
}

/** Numbers stamps from 1 on in order of appearance; the latest is 0. One event's registers share its object. */
class Stamps {
  readonly others: Stamp[] = []
  readonly #numbers: Map<Stamp, number>

  constructor(latest: Stamp) {
    this.#numbers = new Map([[latest, 0]])
  }

  /** The number of a stamp, null of none. */
  number(stamp: Stamp | undefined): number | null {
    if (stamp === undefined) return null
    const known = this.#numbers.get(stamp)
    if (known !== undefined) return known
    const number = this.others.push(stamp)
    this.#numbers.set(stamp, number)
    return number
  }
}
