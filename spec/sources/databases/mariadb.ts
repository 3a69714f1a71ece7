import { execFileSync } from 'node:child_process'
import { chownSync, existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../kafka/free-port.ts'
import { runScript } from '../../kafka/run-script.ts'
import { ServerProcess } from '../../kafka/server-process.ts'

/** The user and the password of connections over TCP, and the one database. */
const NAME = 'shop'
export const PASSWORD = 'open:se/same@1'

/**
 * A MariaDB server on 127.0.0.1 with its data in a temporary folder, run by an unprivileged user.
 */
export class MariaDb implements AsyncDisposable {
  readonly port: number
  private readonly folder: string
  private readonly server: ServerProcess

  /** Use {@link startMariaDb}. */
  constructor(folder: string, port: number, server: ServerProcess) {
    this.folder = folder
    this.port = port
    this.server = server
  }

  /** The URL of the database, with its password or another. */
  url(password: string = PASSWORD): string {
    return `mysql://${NAME}:${encodeURIComponent(password)}@127.0.0.1:${this.port}/${NAME}`
  }

  /** Runs a script of statements and gives what it prints, without headings. @throws Error with what the client said */
  run(script: string): Promise<string> {
    const args = [
      '--no-defaults',
      `--socket=${join(this.folder, 'socket')}`,
      '--user=root',
      '--default-character-set=utf8mb4',
      '--batch',
      '--raw',
      '--skip-column-names',
      NAME,
    ]
    return runScript('mariadb', args, script)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.kill('SIGKILL')
    await rm(this.folder, { recursive: true })
  }
}

/** Starts a server with an empty database. @throws Error when MariaDB is missing or does not start */
export async function startMariaDb(): Promise<MariaDb> {
  const program = ['/usr/sbin/mariadbd', '/usr/local/sbin/mariadbd'].find(existsSync)
  if (program === undefined) throw new Error('MariaDB is not installed: there is no mariadbd')
  const owner = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : null
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-mariadb-'))
  if (owner !== null) chownSync(folder, owner.uid, owner.gid)
  const data = join(folder, 'data')

  const init = new ServerProcess({
    program: 'mariadb-install-db',
    args: [
      '--no-defaults',
      `--datadir=${data}`,
      '--auth-root-authentication-method=normal',
      '--skip-test-db',
    ],
    ...owner,
  })
  await init.ended
  if (!existsSync(join(data, 'mysql'))) throw new Error(init.output)

  const port = await freePort()
  const server = new ServerProcess({
    program,
    args: [
      '--no-defaults',
      `--datadir=${data}`,
      `--socket=${join(folder, 'socket')}`,
      `--pid-file=${join(folder, 'pid')}`,
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      '--innodb-flush-log-at-trx-commit=0',
      '--innodb-buffer-pool-size=16M',
      '--innodb-log-file-size=8M',
      // Whatever the server thinks the time is, sessions say their own.
      '--default-time-zone=+05:30',
      `--init-file=${await prepared(folder, owner)}`,
    ],
    ...owner,
  })
  await server.listening(port)
  return new MariaDb(folder, port, server)
}

/** Statements that the server runs before it listens. */
async function prepared(folder: string, owner: { uid: number; gid: number } | null) {
  const path = join(folder, 'init.sql')
  const lines = [
    `CREATE DATABASE ${NAME} CHARACTER SET utf8mb4;`,
    `CREATE USER '${NAME}'@'%' IDENTIFIED BY '${PASSWORD}';`,
    `GRANT SELECT ON ${NAME}.* TO '${NAME}'@'%';`,
  ]
  await writeFile(path, `${lines.join('\n')}\n`)
  if (owner !== null) chownSync(path, owner.uid, owner.gid)
  return path
}

function idOf(which: '-u' | '-g'): number {
  return Number(execFileSync('id', [which, 'nobody'], { encoding: 'utf8' }))
}
