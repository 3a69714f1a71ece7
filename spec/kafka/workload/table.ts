import type { Random } from '../../crash/random.ts'
import { quoted, type FilledColumn } from './literals.ts'

/** How many keys a table has at most: few, so that deleted ones return and live ones are met often. */
const KEYS = 60

/**
 * Makes statements on one table, and knows which keys are in it, so that they meet rows. A key is
 * a number from 1 to 60, or what a table makes of it.
 */
export class Table {
  readonly name: string
  readonly columns: readonly FilledColumn[]
  private readonly keyOf: (key: number) => Readonly<Record<string, string>>
  private keys = new Set<number>()

  /** `keyOf` gives the key columns of a row as literals. */
  constructor(
    name: string,
    columns: readonly FilledColumn[],
    keyOf: (key: number) => Readonly<Record<string, string>> = (key) => ({ id: String(key) }),
  ) {
    this.name = name
    this.columns = columns
    this.keyOf = keyOf
  }

  /** Remembers the keys; the function that it gives goes back to them, as a rollback does. */
  mark(): () => void {
    const keys = new Set(this.keys)
    return () => {
      this.keys = keys
    }
  }

  /** Any statement that changes rows one by one. */
  change(random: Random): string {
    const lot = random.fraction()
    if (this.keys.size === 0 || lot < 0.25) return this.insert(random)
    if (lot < 0.75) return this.update(random)
    if (lot < 0.82) return this.updateMany(random)
    if (lot < 0.9) return this.moveKey(random)
    return this.delete(random)
  }

  /** A new row, or where all keys are taken, a newer version of one. */
  insert(random: Random): string {
    const key = 1 + random.below(KEYS)
    const taken = this.keys.has(key)
    this.keys.add(key)
    const id = this.keyOf(key)
    const filled = this.columns.filter(() => random.chance(0.8))
    const names = [...Object.keys(id), ...filled.map(({ name }) => name)]
    const values = [...Object.values(id), ...filled.map((column) => literal(random, column))]
    const insert = `INSERT INTO ${this.name} (${names.join(', ')}) VALUES (${values.join(', ')})`
    if (!taken) return `${insert};`
    const sets = names.map((name) => `${name} = excluded.${name}`).join(', ')
    return `${insert} ON CONFLICT (${Object.keys(id).join(', ')}) DO UPDATE SET ${sets};`
  }

  /** A newer version of a row: a few columns, so that all others stay as they are. */
  update(random: Random): string {
    return `UPDATE ${this.name} SET ${this.sets(random)} WHERE ${this.is(this.any(random))};`
  }

  /** The same for about every third row, in one statement. */
  updateMany(random: Random): string {
    const row = this.name.replace(/.*\./, '')
    return `UPDATE ${this.name} SET ${this.sets(random)} WHERE hashtext(${row}::text) % 3 = 0;`
  }

  delete(random: Random): string {
    const key = this.any(random)
    this.keys.delete(key)
    return `DELETE FROM ${this.name} WHERE ${this.is(key)};`
  }

  /** Gives a row another key that is free; at times with other columns. */
  moveKey(random: Random): string {
    const from = this.any(random)
    const free = Array.from({ length: KEYS }, (_, i) => i + 1).filter((key) => !this.keys.has(key))
    if (free.length === 0) return this.delete(random)
    const to = random.pick(free)
    this.keys.delete(from)
    this.keys.add(to)
    const sets = Object.entries(this.keyOf(to)).map(([name, value]) => `${name} = ${value}`)
    if (random.chance(0.3)) sets.push(this.sets(random))
    return `UPDATE ${this.name} SET ${sets.join(', ')} WHERE ${this.is(from)};`
  }

  truncate(): string {
    this.keys.clear()
    return `TRUNCATE ${this.name};`
  }

  private any(random: Random): number {
    return random.pick([...this.keys])
  }

  private is(key: number): string {
    return Object.entries(this.keyOf(key))
      .map(([name, value]) => `${name} = ${value}`)
      .join(' AND ')
  }

  private sets(random: Random): string {
    const first = random.below(this.columns.length)
    const changed = this.columns.slice(first, first + 1 + random.below(4))
    return changed.map((column) => `${column.name} = ${literal(random, column)}`).join(', ')
  }
}

function literal(random: Random, column: FilledColumn): string {
  return random.chance(0.1) ? 'NULL' : column.literal(random)
}

/** A text so long that PostgreSQL keeps it out of line, and of its unchanged value says nothing in the log. */
export function long(random: Random): string {
  return quoted(`${random.below(1_000_000)} ${'toast '.repeat(370 + random.below(30))}`)
}
