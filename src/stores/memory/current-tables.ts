import type { Delete, Stamp, Truncate, Upsert } from '../../core/change.ts'
import type { Key } from '../../core/key.ts'
import { unpack, type PackedRow } from '../../core/packed-registers.ts'
import { writersOf, writtenBy, type Register } from '../../core/register.ts'
import { EMPTY, isEmpty, type Registers } from '../../core/registers.ts'
import type { Latest } from '../../core/scd1.ts'
import type { Commit, LatestTable, RegistersTable } from '../../ports/store.ts'
import type { JournaledMap } from './journal.ts'

/** What is kept of a key of an SCD type 1 target, and the commit that brought it. */
export type Kept = { readonly registers: Registers; readonly commit: number }

/** SCD type 1 rows where the latest change decides alone: registers that one event wrote. */
export class MemoryLatestTable implements LatestTable {
  private readonly kept: JournaledMap<Key, Kept>

  constructor(kept: JournaledMap<Key, Kept>) {
    this.kept = kept
  }

  latest(key: Key): Latest | null {
    const registers = this.kept.get(key)?.registers ?? EMPTY
    const stamp = latestStamp(registers)
    return stamp === null ? null : { stamp, exists: registers.written !== null }
  }

  commitOf(key: Key): number {
    return this.kept.get(key)?.commit ?? 0
  }

  isBuriedAlive(): boolean {
    return false
  }

  put(upsert: Upsert, commit: Commit): void {
    const stamp = stampOf(upsert)
    const registers = { ...EMPTY, written: stamp, base: { stamp, row: upsert.row } }
    this.kept.set(upsert.key, { registers, commit: commit.id })
  }

  bury(change: Delete, commit: Commit): void {
    const deleted = { stamp: stampOf(change), truncate: false }
    this.kept.set(change.key, { registers: { ...EMPTY, deleted }, commit: commit.id })
  }

  truncate({ sequence }: Truncate): void {
    for (const key of this.kept.keys()) {
      const latest = this.latest(key)
      if (latest !== null && latest.stamp.sequence < sequence) this.kept.delete(key)
    }
  }
}

/** SCD type 1 rows whose columns have writers of their own. */
export class MemoryRegistersTable implements RegistersTable {
  private readonly kept: JournaledMap<Key, Kept>

  constructor(kept: JournaledMap<Key, Kept>) {
    this.kept = kept
  }

  registers(key: Key): Registers | null {
    return this.kept.get(key)?.registers ?? null
  }

  commitOf(key: Key): number {
    return this.kept.get(key)?.commit ?? 0
  }

  put(key: Key, registers: Registers, commit: Commit): void {
    if (isEmpty(registers)) this.kept.delete(key)
    else this.kept.set(key, { registers, commit: commit.id })
  }

  putPacked(key: Key, packed: PackedRow, commit: Commit): void {
    this.put(key, unpack(packed, packed.row), commit)
  }

  keys(): Iterable<Key> {
    return this.kept.keys()
  }
}

/** Empties columns by ordinal; who wrote them stays known. */
export function blank(kept: JournaledMap<Key, Kept>, columns: readonly number[]): void {
  for (const key of kept.keys()) {
    const before = kept.get(key)
    if (before === undefined) continue
    kept.set(key, { ...before, registers: blanked(before.registers, columns) })
  }
}

function blanked(registers: Registers, columns: readonly number[]): Registers {
  const { base } = registers
  return {
    ...registers,
    base:
      base === null
        ? null
        : {
            ...base,
            row: base.row.map((value, column) => (columns.includes(column) ? null : value)),
          },
    columns: new Map(
      [...registers.columns].map(([column, register]) => [
        column,
        columns.includes(column) ? emptied(register) : register,
      ]),
    ),
  }
}

function emptied(register: Register): Register {
  const stamp = register.merged ?? writersOf(register)[0]
  return stamp === undefined ? register : writtenBy(stamp, null)
}

function latestStamp({ written, deleted }: Registers): Stamp | null {
  return written ?? deleted?.stamp ?? null
}

function stampOf({ sequence, rank, system, stream, number, part }: Stamp): Stamp {
  return { sequence, rank, system, stream, number, part }
}
