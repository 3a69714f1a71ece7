import type { RecordReader } from './record-reader.ts'

/** After so many records a column that none of them had is worth a word. */
const ENOUGH_RECORDS = 1_000

/** What a flow names and its records do not have. */
export class FlowWarnings {
  private readonly flow: string
  private readonly reader: RecordReader
  private readonly told = new Set<string>()
  private areColumnsJudged = false

  constructor(flow: string, reader: RecordReader) {
    this.flow = flow
    this.reader = reader
  }

  /** All there are, a sentence each. */
  all(): readonly string[] {
    const unmet = this.reader
      .unmetColumns()
      .map((name) => this.unmet(name, 'no record of this run'))
    const unknown = this.reader.unknownNames().map((named) => this.unknown(named))
    return [...unmet, ...unknown]
  }

  /** Those that were not told yet, once enough records of the run have been read. */
  found(read: number): readonly string[] {
    if (read < ENOUGH_RECORDS) return []
    const unmet = this.areColumnsJudged ? [] : this.reader.unmetColumns()
    this.areColumnsJudged = true
    return this.fresh(unmet, `none of the first ${read} records`)
  }

  /** Those that were not told yet when the run ends. */
  last(): readonly string[] {
    return this.fresh(this.reader.unmetColumns(), 'no record of this run')
  }

  private fresh(unmet: readonly string[], records: string): readonly string[] {
    const columns = unmet.filter((name) => this.isNew(`column ${name}`))
    const names = this.reader.unknownNames().filter(([name]) => this.isNew(`name ${name}`))
    return [
      ...columns.map((name) => this.unmet(name, records)),
      ...names.map((named) => this.unknown(named)),
    ]
  }

  private isNew(what: string): boolean {
    if (this.told.has(what)) return false
    this.told.add(what)
    return true
  }

  private unmet(name: string, records: string): string {
    return `flow "${this.flow}" names the column "${name}", which ${records} had`
  }

  private unknown([name, times]: readonly [name: string, times: number]): string {
    return `columns_to_update named "${name}" in ${times} records of flow "${this.flow}", and it is no column`
  }
}
