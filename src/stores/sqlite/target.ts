import type { Stream } from '../../core/change.ts'
import { systemTypeOf, type TargetFacts } from '../../core/target.ts'
import { Axis, type AxisShapes } from './axis.ts'
import type { Connection } from './connection.ts'
import { columnName, quote, tablesOf, type TargetTables } from './names.ts'
import { RowCodec, type ColumnShape } from './row-codec.ts'
import { untaggedSql } from './tags.ts'

/** A target as the store holds it: facts, tables, and how its cells are spelled. */
export class StoredTarget {
  readonly id: number
  facts: TargetFacts
  version: number
  readonly codec: RowCodec
  readonly times: RowCodec
  readonly valid: Axis
  readonly system: Axis
  readonly streamOf: (id: number) => Stream
  readonly connection: Connection

  constructor(
    connection: Connection,
    stored: {
      id: number
      facts: TargetFacts
      version: number
      columns: ColumnShape[]
      axes: AxisShapes
    },
    streamOf: (id: number) => Stream,
  ) {
    this.connection = connection
    this.id = stored.id
    this.facts = stored.facts
    this.version = stored.version
    this.streamOf = streamOf
    this.codec = new RowCodec(stored.columns, (ordinal, digits) => {
      this.respell(columnName(ordinal), digits, untaggedSql(ordinal), this.rowTables())
    })
    const { times, validDigits, systemDigits } = stored.axes
    this.times = new RowCodec(times, (ordinal, digits) => {
      this.respell(`w${ordinal}`, digits, `wtags IS NULL`, this.versionTables())
    })
    this.valid = new Axis(stored.facts.sequenceType, validDigits, (digits) => {
      for (const column of ['an', 'zn']) this.respell(column, digits, '1', this.versionTables())
    })
    this.system = new Axis(systemTypeOf(stored.facts), systemDigits, (digits) => {
      for (const column of ['sincen', 'untiln']) {
        this.respell(column, digits, '1', this.versionTables())
      }
    })
  }

  get tables(): TargetTables {
    return tablesOf(this.id)
  }

  /** Whether spellings were learnt that the catalog does not have yet. */
  get learnt(): boolean {
    return this.codec.learnt || this.times.learnt || this.valid.learnt || this.system.learnt
  }

  settled(): void {
    for (const part of [this.codec, this.times, this.valid, this.system]) part.learnt = false
  }

  /** Tables with the target's own columns. */
  rowTables(): string[] {
    if (this.facts.kind === 1 && this.facts.layout !== 'timeline') return [this.tables.rows]
    return [...this.versionTables(), this.tables.hidden]
  }

  /** Tables of versions; empty for plain SCD type 1. */
  versionTables(): string[] {
    const { kind, layout } = this.facts
    if (kind === 1 && layout !== 'timeline') return []
    const { current, closed, disbelieved } = this.tables
    return kind === 'bitemporal' ? [current, closed, disbelieved] : [current, closed]
  }

  /** Spells the fraction of stored timestamps with more digits. */
  private respell(column: string, digits: number, where: string, tables: readonly string[]): void {
    const bare = `rtrim(${column}, 'Z')`
    const zone = `CASE WHEN ${column} LIKE '%Z' THEN 'Z' ELSE '' END`
    const point = `CASE WHEN instr(${column}, '.') = 0 THEN '.' ELSE '' END`
    const have = `CASE WHEN instr(${column}, '.') = 0 THEN 0 ELSE length(${bare}) - instr(${column}, '.') END`
    const zeros = '0'.repeat(digits)
    for (const table of tables) {
      this.connection.run(
        `UPDATE ${quote(table)}
         SET ${column} = ${bare} || ${point} || substr('${zeros}', 1, ${digits} - (${have})) || ${zone}
         WHERE typeof(${column}) = 'text' AND ${column} NOT LIKE '%infinity' AND ${where}`,
      )
    }
  }
}
