import type { SqlValue } from './connection.ts'

/** A cell as SQL or JSON would write it, for messages. */
export function cellText(cell: SqlValue): string {
  if (Buffer.isBuffer(cell)) return `x'${cell.toString('hex')}'`
  return typeof cell === 'string' ? JSON.stringify(cell) : String(cell)
}
