import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'

const PATIENCE_MS = 60_000
const KEPT_OUTPUT = 20_000

/** What to run, and as whom. */
export type Command = {
  readonly program: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Ids of another user and group, for a program that refuses to be run by root. */
  readonly uid?: number
  readonly gid?: number
}

/**
 * A server in a process of its own. It dies with this process, however that ends: a shell next to
 * it waits for the end of a pipe that only this process holds open.
 */
export class ServerProcess {
  /** Resolves once the process is gone. */
  readonly ended: Promise<void>
  private readonly child: ChildProcess
  private readonly guard: ChildProcess
  private printed = ''
  private running = true

  constructor({ program, args, env = {}, uid, gid }: Command) {
    this.child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      env: { ...process.env, ...env },
      ...(uid === undefined ? {} : { uid }),
      ...(gid === undefined ? {} : { gid }),
    })
    const keep = (chunk: Buffer): void => {
      this.printed = (this.printed + chunk.toString('utf8')).slice(-KEPT_OUTPUT)
    }
    this.child.stdout?.on('data', keep)
    this.child.stderr?.on('data', keep)
    this.guard = spawn('sh', ['-c', `read -r _; kill -9 ${this.child.pid ?? ''}`], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    })
    this.ended = this.end()
  }

  /** The last that the process printed. */
  get output(): string {
    return this.printed
  }

  /** Resolves once somebody listens on the port. @throws Error when the process ends before, or takes too long */
  async listening(port: number): Promise<void> {
    const deadline = Date.now() + PATIENCE_MS
    while (!(await accepts(port))) {
      if (!this.running) throw new Error(`the server ended:\n${this.printed}`)
      if (Date.now() > deadline) throw new Error(`nobody listens on ${port}:\n${this.printed}`)
      await setTimeout(50)
    }
  }

  /** Ends the process and waits until it is gone. `SIGKILL` gives it no time for anything. */
  async kill(signal: NodeJS.Signals): Promise<void> {
    if (this.running) this.child.kill(signal)
    await this.ended
  }

  private async end(): Promise<void> {
    try {
      await once(this.child, 'close')
    } catch (error) {
      this.printed += String(error)
    }
    this.running = false
    this.guard.kill('SIGKILL')
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => {
      resolve(false)
    })
  })
}
