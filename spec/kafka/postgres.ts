import { execFileSync } from 'node:child_process'
import { chownSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { eventually } from './kafka.ts'
import { freePort } from './free-port.ts'
import { runScript } from './run-script.ts'
import { ServerProcess } from './server-process.ts'

/** The superuser and the database of every test server; connections of this machine need no password. */
const NAME = 'postgres'

/** Makes psql print values and nothing else. */
const PLAIN = ['--quiet', '--tuples-only', '--no-align'] as const

/**
 * A PostgreSQL server on 127.0.0.1, ready for logical decoding, with its data in a temporary
 * folder. It runs as an unprivileged user, for it refuses to be root's. Nothing is synced to disk:
 * the data survive the server's end but not the machine's.
 */
export class Postgres implements AsyncDisposable {
  readonly port: number
  readonly user = NAME
  readonly database = NAME
  private readonly folder: string
  private readonly server: ServerProcess

  /** Use {@link startPostgres}. */
  constructor(folder: string, port: number, server: ServerProcess) {
    this.folder = folder
    this.port = port
    this.server = server
  }

  /** Runs a script of statements with `psql`, and stops at the first that fails. @throws Error with what psql said */
  async run(script: string): Promise<void> {
    await this.psql(['--quiet', '--output=/dev/null'], script)
  }

  /** The rows of a query, each as the JSON text that the server makes of it. */
  async rows(query: string): Promise<string[]> {
    const printed = await this.psql(PLAIN, `SELECT to_json(q) FROM (${query}) q`)
    return printed.split('\n').filter((line) => line !== '')
  }

  /** Resolves once it answers. Right after its start it turns everybody away. */
  async ready(): Promise<void> {
    await eventually(() => this.rows('SELECT 1'))
  }

  /** The value of an expression, as text; null as nothing. */
  async text(expression: string): Promise<string> {
    const printed = await this.psql(PLAIN, `SELECT ${expression}`)
    return printed.replace(/\n$/, '')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // "Immediate shutdown": ends its children too, and waits for nobody.
    await this.server.kill('SIGQUIT')
    await rm(this.folder, { recursive: true })
  }

  private psql(options: readonly string[], script: string): Promise<string> {
    const connection = [`--host=${this.folder}`, `--port=${this.port}`, `--username=${NAME}`]
    const args = ['--no-psqlrc', '--set=ON_ERROR_STOP=1', ...connection, ...options]
    return runScript('psql', args, script)
  }
}

/**
 * Starts a server with an empty database, and with settings beside its own.
 *
 * @throws Error when PostgreSQL is missing or does not start
 */
export async function startPostgres(
  more: Readonly<Record<string, string>> = {},
): Promise<Postgres> {
  const programs = await programsFolder()
  const owner = unprivileged()
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-postgres-'))
  if (owner !== null) chownSync(folder, owner.uid, owner.gid)
  const data = join(folder, 'data')

  const init = new ServerProcess({
    program: join(programs, 'initdb'),
    args: [
      `--pgdata=${data}`,
      `--username=${NAME}`,
      '--auth=trust',
      '--encoding=UTF8',
      '--locale=C',
      '--no-sync',
    ],
    ...owner,
  })
  await init.ended
  if (!init.output.includes('Success.')) throw new Error(init.output)

  const port = await freePort()
  const settings = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder,
    wal_level: 'logical',
    max_wal_senders: '4',
    max_replication_slots: '4',
    shared_buffers: '16MB',
    fsync: 'off',
    timezone: 'UTC',
    ...more,
  }
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const server = new ServerProcess({
    program: join(programs, 'postgres'),
    args: ['-D', data, ...args],
    ...owner,
  })
  await server.listening(port)
  const postgres = new Postgres(folder, port, server)
  await postgres.ready()
  return postgres
}

/** Debian keeps `initdb` and `postgres` out of the path. */
async function programsFolder(): Promise<string> {
  const debian = '/usr/lib/postgresql'
  const versions = await namesIn(debian)
  const folders = versions
    .toSorted((a, b) => Number(b) - Number(a))
    .map((v) => join(debian, v, 'bin'))
  for (const folder of [...folders, ...(process.env['PATH'] ?? '').split(delimiter)]) {
    const names = await namesIn(folder)
    if (names.includes('initdb') && names.includes('postgres')) return folder
  }
  throw new Error('PostgreSQL is not installed: no folder has initdb and postgres')
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch {
    return []
  }
}

/** Whom to run as: nobody else, or for root the user that PostgreSQL's package made, or `nobody`. */
function unprivileged(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null
  const user = idOf('-u', 'postgres') === null ? 'nobody' : 'postgres'
  const uid = idOf('-u', user)
  const gid = idOf('-g', user)
  if (uid === null || gid === null) throw new Error('there is no user to run PostgreSQL as')
  return { uid, gid }
}

function idOf(which: '-u' | '-g', user: string): number | null {
  try {
    return Number(execFileSync('id', [which, user], { encoding: 'utf8', stdio: 'pipe' }))
  } catch {
    return null
  }
}
