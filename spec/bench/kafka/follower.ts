import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { BIN } from '../measure.ts'

/** `tidemark run --continuous` in a process of its own, as its store shows it. */
export class Follower implements Disposable {
  private readonly store: string
  private readonly child: ChildProcess
  private readonly ended: Promise<number | null>
  private said = ''
  private db: Database.Database | null = null

  /** `folder` is that of the flow file. */
  constructor(folder: string, flow: string) {
    this.store = join(folder, 'ours.db')
    this.child = spawn(process.execPath, [BIN, 'run', flow, '--continuous'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    this.child.stderr?.on('data', (chunk: Buffer) => {
      this.said = (this.said + chunk.toString()).slice(-10_000)
    })
    this.ended = new Promise((resolve, reject) => {
      this.child.on('error', reject)
      this.child.on('close', resolve)
    })
  }

  /** Resident memory in MiB. Linux tells. @throws Error if the process has ended */
  get residentMb(): number {
    const status = readFileSync(`/proc/${this.child.pid}/status`, 'utf8')
    const kib = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]
    if (kib === undefined) throw new Error(`the run has ended:\n${this.said}`)
    return Number(kib) / 1024
  }

  /** Size of what the store holds in MiB; 0 as long as there is none. */
  get storeMb(): number {
    const [row] = this.ask(
      'SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()',
    )
    return Number(row?.[0] ?? 0) / 2 ** 20
  }

  /** How far a flow has committed, by partition: the offset behind its last record. */
  committed(flow: string): ReadonlyMap<number, number> {
    return new Map(
      this.ask(`SELECT partition, next FROM __tidemark_checkpoints WHERE flow = '${flow}'`).map(
        ([partition, next]) => [Number(partition), Number(next)],
      ),
    )
  }

  /** Asks the store for rows; none as long as there is no such table. */
  ask(sql: string): readonly (readonly unknown[])[] {
    if (this.db === null && existsSync(this.store)) {
      this.db = new Database(this.store, { readonly: true })
    }
    try {
      return this.db?.prepare<[], readonly unknown[]>(sql).raw().all() ?? []
    } catch (error) {
      if (String(error).includes('no such table')) return []
      throw error
    }
  }

  /** Asks it to end. @throws Error with what it said if it does not end well */
  async end(): Promise<void> {
    this.child.kill('SIGTERM')
    const code = await this.ended
    if (code !== 0) throw new Error(`the run ended with ${code}:\n${this.said}`)
  }

  [Symbol.dispose](): void {
    this.child.kill('SIGKILL')
    this.db?.close()
  }
}
