import { Random } from '../../crash/random.ts'
import { KINDS, MOODS, quoted, type Column, type FilledColumn } from './literals.ts'
import { long, Table } from './table.ts'

const ID: Column = { name: 'id', type: 'integer' }
const PART: Column = { name: 'part', type: 'text' }

const DOCUMENTS: readonly FilledColumn[] = [
  { name: 'title', type: 'text', literal: (r) => quoted(`title ${r.below(100)}`) },
  { name: 'revision', type: 'integer', literal: (r) => String(r.below(1000)) },
  { name: 'body', type: 'text', literal: long },
  { name: 'scan', type: 'bytea', literal: (r) => `convert_to(${long(r)}, 'UTF8')` },
  { name: 'labels', type: 'text[]', literal: (r) => `ARRAY[${long(r)}, 'b']` },
  { name: 'numbers', type: 'integer[]', literal: (r) => `array_fill(${r.below(99)}, ARRAY[600])` },
  { name: 'meta', type: 'jsonb', literal: (r) => `jsonb_build_object('a', ${long(r)})` },
  { name: 'pairs', type: 'hstore', literal: (r) => `hstore('a', ${long(r)})` },
]

const ACCOUNTS: readonly FilledColumn[] = [
  { name: 'owner', type: 'text', literal: (r) => quoted(`owner ${r.below(20)}`) },
  {
    name: 'balance',
    type: 'numeric(12,2)',
    literal: (r) => `${r.below(100_000)}.${r.below(90) + 10}`,
  },
  { name: 'note', type: 'text', literal: long },
]

/** What a workload may do besides inserts, updates and deletes. */
export type WorkloadOptions = {
  /** Whether tables are truncated at times. A truncate has no key: it is in order in one partition only. */
  readonly truncates: boolean
}

/**
 * Random statements on three tables of the schema `shop`, the same for the same seed:
 *
 * - `kinds` has a column of every type and the key `id`;
 * - `documents` has the key `(id, part)` and values that are kept out of line;
 * - `accounts` has such a value too, and logs whole rows (REPLICA IDENTITY FULL).
 *
 * `journal` has no key and is only inserted into.
 */
export class Workload {
  private readonly random: Random
  private readonly truncates: boolean
  private readonly tables = [
    new Table('shop.kinds', KINDS),
    new Table('shop.documents', DOCUMENTS, (key) => ({
      id: String(key % 8),
      part: quoted(`part ${Math.floor(key / 8)}`),
    })),
    new Table('shop.accounts', ACCOUNTS),
  ]

  constructor(seed: number, { truncates }: WorkloadOptions) {
    this.random = new Random(seed)
    this.truncates = truncates
  }

  /** Columns of the tables that have a key, the key first. */
  static readonly TABLES: Readonly<Record<'kinds' | 'documents' | 'accounts', readonly Column[]>> =
    {
      kinds: [ID, ...KINDS],
      documents: [ID, PART, ...DOCUMENTS],
      accounts: [ID, ...ACCOUNTS],
    }

  /** Rows that no statement touches but a truncate: a connector makes no topic of an empty table. */
  static firstRows(): string {
    return `
      INSERT INTO shop.kinds (id) VALUES (-1);
      INSERT INTO shop.documents (id, part) VALUES (-1, '');
      INSERT INTO shop.accounts (id) VALUES (-1);`
  }

  /** The statements that make the tables. */
  static schema(): string {
    return `
      CREATE SCHEMA shop;
      CREATE EXTENSION hstore;
      CREATE TYPE shop.mood AS ENUM (${MOODS.map(quoted).join(', ')});
      CREATE TABLE shop.kinds (id integer PRIMARY KEY, ${listed(KINDS)});
      CREATE TABLE shop.documents (id integer, part text, ${listed(DOCUMENTS)}, PRIMARY KEY (id, part));
      ${outOfLine('shop.documents', DOCUMENTS.slice(2))}
      CREATE TABLE shop.accounts (id integer PRIMARY KEY, ${listed(ACCOUNTS)});
      ${outOfLine('shop.accounts', ACCOUNTS.slice(2))}
      ALTER TABLE shop.accounts REPLICA IDENTITY FULL;
      CREATE TABLE shop.journal (line text);`
  }

  /** So many statements, or a few more: what is begun is ended. */
  statements(count: number): string[] {
    const statements: string[] = []
    while (statements.length < count) statements.push(...this.next())
    return statements
  }

  private next(): string[] {
    const lot = this.random.fraction()
    if (lot < 0.85) return [this.change()]
    if (lot < 0.93) return ['BEGIN;', ...this.some(), 'COMMIT;']
    if (lot < 0.96) return this.undone(['BEGIN;'], ['ROLLBACK;'])
    if (lot < 0.98) {
      const first = this.change()
      const undone = this.undone(['SAVEPOINT here;'], ['ROLLBACK TO here;'])
      return ['BEGIN;', first, ...undone, this.change(), 'COMMIT;']
    }
    if (lot < 0.995 || !this.truncates)
      return [`INSERT INTO shop.journal VALUES (${quoted(`line ${lot}`)});`]
    return [this.random.pick(this.tables).truncate()]
  }

  private change(): string {
    return this.random.pick(this.tables).change(this.random)
  }

  private some(): string[] {
    return Array.from({ length: 2 + this.random.below(5) }, () => this.change())
  }

  private undone(begin: readonly string[], end: readonly string[]): string[] {
    const backs = this.tables.map((table) => table.mark())
    const statements = this.some()
    for (const back of backs) back()
    return [...begin, ...statements, ...end]
  }
}

function listed(columns: readonly Column[]): string {
  return columns.map(({ name, type }) => `${name} ${type}`).join(', ')
}

/** Has values kept out of line as they are, not compressed, so that they need not be large. */
function outOfLine(table: string, columns: readonly Column[]): string {
  return columns
    .map(({ name }) => `ALTER TABLE ${table} ALTER ${name} SET STORAGE EXTERNAL;`)
    .join('\n')
}
