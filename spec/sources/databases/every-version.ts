import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadFlows, openTidemark, plainText } from '../../../src/index.ts'
import type { Value } from '../../../src/index.ts'

/** What a row of a target is as text, by column; null where it is null. */
export type TextRow = Readonly<Record<string, string | null>>

/** A target that follows a table of a database, snapshot by snapshot. */
export class Follower implements Disposable {
  private readonly folder = mkdtempSync(join(tmpdir(), 'tidemark-follower-'))

  constructor(snapshots: object, version: string) {
    const source = {
      snapshots,
      version: { query: version, type: 'integer' },
      guards: { empty: 'allow', max_delete_fraction: null },
    }
    const flow = { target: 't', keys: 'id', stored_as_scd_type: 2, source }
    const file = { store: { sqlite: 'warehouse.db' }, flows: [flow] }
    writeFileSync(join(this.folder, 'flow.yaml'), JSON.stringify(file))
  }

  /** Applies the table as it is now. */
  async follow(): Promise<void> {
    using tidemark = this.open()
    await tidemark.run({ mode: 'bounded' })
  }

  /** What the target says the table was at a version. */
  rows(version: number): TextRow[] {
    using tidemark = this.open()
    return [...tidemark.rows('t', { asOf: version })].map(({ names, values }) => {
      const cells = names.map((name, i): [string, string | null] => [name, textOf(values[i])])
      return Object.fromEntries(cells.filter(([name]) => !name.startsWith('__')))
    })
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true })
  }

  private open() {
    return openTidemark(loadFlows(join(this.folder, 'flow.yaml'), {}))
  }
}

function textOf(value: Value | undefined): string | null {
  return value === undefined || value === null ? null : plainText(value)
}
