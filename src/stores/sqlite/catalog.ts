import { TidemarkError } from '../../core/errors.ts'
import { storedJson } from '../../core/stored-json.ts'
import type { Stream } from '../../core/change.ts'
import { systemTypeOf, visibleColumns, type TargetFacts } from '../../core/target.ts'
import type { AxisShapes } from './axis.ts'
import type { Connection } from './connection.ts'
import { hiddenColumns, versionColumns } from './history-columns.ts'
import { columnName, columnNames, PREFIX, quote } from './names.ts'
import type { ColumnShape } from './row-codec.ts'
import { definition, STAMP_COLUMNS, numberOf } from './stamp-codec.ts'
import { storedFacts } from './stored-facts.ts'
import { StoredTarget } from './target.ts'
import { createView } from './view.ts'

const UNSHAPED: ColumnShape = { kind: null, digits: 0 }

/** Which targets there are, and the tables behind them. */
export class Catalog {
  private readonly connection: Connection
  private readonly streamOf: (id: number) => Stream
  private loaded: Map<string, StoredTarget>

  constructor(connection: Connection, streamOf: (id: number) => Stream) {
    this.connection = connection
    this.streamOf = streamOf
    this.loaded = this.load()
  }

  get targets(): readonly StoredTarget[] {
    return [...this.loaded.values()]
  }

  find(name: string): StoredTarget | null {
    return this.loaded.get(name) ?? null
  }

  /** Forgets what a transaction that was rolled back had learnt. */
  reload(): void {
    this.loaded = this.load()
  }

  define(facts: TargetFacts): void {
    const known = this.loaded.get(facts.name)
    if (known === undefined) {
      this.loaded.set(facts.name, this.create(facts))
      return
    }
    const widened = facts.columns.slice(known.facts.columns.length)
    for (const table of known.rowTables()) {
      for (const [i] of widened.entries()) {
        const column = columnName(known.facts.columns.length + i)
        this.connection.run(`ALTER TABLE ${quote(table)} ADD COLUMN ${column}`)
      }
    }
    for (const _ of widened) known.codec.shapes.push({ ...UNSHAPED })
    const shown =
      JSON.stringify(visibleColumns(known.facts)) !== JSON.stringify(visibleColumns(facts))
    const gone = facts.excluded.filter((name) => !known.facts.excluded.includes(name))
    known.facts = facts
    if (facts.layout !== 'timeline') this.blank(known, gone)
    known.valid.typed(facts.sequenceType)
    known.system.typed(systemTypeOf(facts))
    this.save(known)
    if (shown) createView(this.connection, known)
    if (shown || widened.length > 0) this.connection.schemaChanged()
  }

  /** Stores what was learnt since the last commit. */
  settle(): void {
    for (const target of this.loaded.values()) {
      if (target.learnt) this.save(target)
    }
  }

  save(target: StoredTarget): void {
    const { codec, times, valid, system } = target
    const axes: AxisShapes = {
      validDigits: valid.digits,
      systemDigits: system.digits,
      times: times.shapes,
    }
    this.connection.run(
      `UPDATE ${PREFIX}targets SET facts = ?, columns = ?, axes = ?, version = ? WHERE id = ?`,
      JSON.stringify(target.facts),
      JSON.stringify(codec.shapes),
      JSON.stringify(axes),
      target.version,
      target.id,
    )
    target.settled()
  }

  /** Empties excluded columns; histories are told again without them instead. */
  private blank(target: StoredTarget, names: readonly string[]): void {
    for (const name of names) {
      const column = columnName(target.facts.columns.indexOf(name))
      for (const table of target.rowTables()) {
        this.connection.run(`UPDATE ${quote(table)} SET ${column} = NULL`)
      }
    }
  }

  private load(): Map<string, StoredTarget> {
    const rows = this.connection.all(
      `SELECT id, facts, columns, axes, version FROM ${PREFIX}targets ORDER BY id`,
    )
    return new Map(
      rows.map(([id, facts, columns, axes, version]) => {
        const stored = {
          id: numberOf(id),
          facts: storedFacts(String(facts)),
          columns: storedJson<ColumnShape[]>(String(columns)),
          axes: storedJson<AxisShapes>(String(axes)),
          version: numberOf(version),
        }
        return [stored.facts.name, new StoredTarget(this.connection, stored, this.streamOf)]
      }),
    )
  }

  private create(facts: TargetFacts): StoredTarget {
    this.refuseOccupied(facts.name)
    const columns = facts.columns.map(() => ({ ...UNSHAPED }))
    const axes = { validDigits: 0, systemDigits: 0, times: [{ ...UNSHAPED }, { ...UNSHAPED }] }
    this.connection.run(
      `INSERT INTO ${PREFIX}targets (facts, columns, axes, version) VALUES (?, '[]', '{}', 0)`,
      JSON.stringify(facts),
    )
    const id = numberOf(this.connection.get('SELECT last_insert_rowid()')?.[0])
    const target = new StoredTarget(
      this.connection,
      { id, facts, version: 0, columns, axes },
      this.streamOf,
    )
    for (const sql of tablesSql(target)) this.connection.run(sql)
    createView(this.connection, target)
    this.save(target)
    return target
  }

  private refuseOccupied(name: string): void {
    const reserved = /^(__tidemark_|sqlite_)/i.test(name)
    const found = this.connection.get(
      'SELECT type FROM sqlite_schema WHERE name = ? COLLATE NOCASE',
      name,
    )
    if (!reserved && found === undefined) return
    const reason = reserved ? 'is reserved' : `is the name of another ${String(found?.[0])} there`
    throw new TidemarkError(
      'TARGET_OCCUPIED',
      `the target "${name}" cannot be made in ${this.connection.path}: the name ${reason}; choose another`,
      { target: name },
    )
  }
}

/**
 * An index that is always empty: it tells SQLite that no row of the table has a null there, so that
 * who asks the view for what holds now, `__END_AT IS NULL`, does not walk through all of the past.
 */
function noneOf(table: string, column: string): string {
  const name = quote(`${table}_none`)
  return `CREATE INDEX ${name} ON ${quote(table)} (${column}) WHERE ${column} IS NULL`
}

function tablesSql(target: StoredTarget): string[] {
  const { facts, tables } = target
  const own = columnNames(facts.columns.length)
  if (facts.kind === 1 && facts.layout !== 'timeline') {
    const stamp = STAMP_COLUMNS.map(definition).join(', ')
    const cells = ['tags', ...own].join(', ')
    return [
      // `cm` is the commit that brought the latest change; `versions` who wrote which column.
      `CREATE TABLE ${quote(tables.rows)} (k PRIMARY KEY, ${stamp}, cm INTEGER, versions, ${cells}) WITHOUT ROWID`,
      // What is remembered of a key that does not exist.
      `CREATE TABLE ${quote(tables.dead)} (k PRIMARY KEY, ${stamp}, cm INTEGER, versions) WITHOUT ROWID`,
    ]
  }

  const versions = versionColumns(facts).slice(1).map(definition).join(', ')
  const hidden = hiddenColumns(facts).map(definition).join(', ')
  const closedIndex = quote(`${tables.closed}_k`)
  const hiddenIndex = quote(`${tables.hidden}_k`)
  const archiveIndex = quote(`${tables.disbelieved}_k`)
  return [
    `CREATE TABLE ${quote(tables.current)} (k PRIMARY KEY, ${versions})`,
    `CREATE TABLE ${quote(tables.closed)} (k, ${versions})`,
    `CREATE INDEX ${closedIndex} ON ${quote(tables.closed)} (k, a)`,
    noneOf(tables.closed, 'zn'),
    `CREATE TABLE ${quote(tables.hidden)} (${hidden})`,
    `CREATE INDEX ${hiddenIndex} ON ${quote(tables.hidden)} (k, s)`,
    ...(facts.kind === 'bitemporal'
      ? [
          `CREATE TABLE ${quote(tables.disbelieved)} (k, ${versions})`,
          `CREATE INDEX ${archiveIndex} ON ${quote(tables.disbelieved)} (k)`,
          noneOf(tables.disbelieved, 'untiln'),
        ]
      : []),
  ]
}
