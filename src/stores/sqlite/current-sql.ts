import { columnNames, placeholders, quote } from './names.ts'
import { STAMP_COLUMNS } from './stamp-codec.ts'
import type { StoredTarget } from './target.ts'

/** Writing statements of SCD type 1 tables, the same whatever is hidden behind a row. */
export type CurrentSql = Readonly<
  Record<'rows' | 'dead' | 'add' | 'put' | 'unbury' | 'remove' | 'bury', string>
>

/** Spells them out for one target; `rows` and `dead` are the quoted tables. */
export function currentSql({ facts, tables }: StoredTarget): CurrentSql {
  const rows = quote(tables.rows)
  const dead = quote(tables.dead)
  const buried = ['k', ...STAMP_COLUMNS, 'cm', 'versions']
  const columns = [...buried, 'tags', ...columnNames(facts.columns.length)]
  const updates = columns.slice(1).map((column) => `${column} = excluded.${column}`)
  const add = `INSERT INTO ${rows} (${columns.join(', ')}) VALUES (${placeholders(columns.length)})`
  return {
    rows,
    dead,
    add,
    put: `${add} ON CONFLICT (k) DO UPDATE SET ${updates.join(', ')}`,
    unbury: `DELETE FROM ${dead} WHERE k = ?`,
    remove: `DELETE FROM ${rows} WHERE k = ?`,
    bury: `INSERT OR REPLACE INTO ${dead} (${buried.join(', ')}) VALUES (${placeholders(buried.length)})`,
  }
}
