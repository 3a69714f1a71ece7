import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** The built command line, as an installed one starts it. */
export const BIN = `${ROOT}dist/cli/bin.js`

/** Builds the command line unless it is as new as its source. */
export function build(): void {
  if (builtAt() > newestSource()) return
  const { status, stdout } = spawnSync('npm', ['run', '--silent', 'build'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`the build fails:\n${stdout}`)
}

/** How a process ended. */
export type Ended = {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly out: string
  readonly err: string
}

/** A command line that runs in a process of its own. */
export class Running {
  readonly ended: Promise<Ended>
  private readonly child: ChildProcess

  /** `wrap` is put before the command, as a shell would have it. */
  constructor(words: readonly string[], wrap: readonly string[] = []) {
    const [program = process.execPath, ...args] = [...wrap, process.execPath, BIN, ...words]
    this.child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    let out = ''
    let err = ''
    this.child.stdout?.on('data', (chunk: Buffer) => (out += chunk.toString('utf8')))
    this.child.stderr?.on('data', (chunk: Buffer) => (err += chunk.toString('utf8')))
    this.ended = new Promise((resolve, reject) => {
      this.child.on('error', reject)
      this.child.on('close', (code, signal) => {
        resolve({ code, signal, out, err })
      })
    })
  }

  /** Ends the process. `SIGKILL` gives it no time for anything. */
  stop(signal: 'SIGKILL' | 'SIGTERM'): Promise<Ended> {
    this.child.kill(signal)
    return this.ended
  }
}

/** Runs a command line to its end. */
export function runToEnd(words: readonly string[], wrap: readonly string[] = []): Promise<Ended> {
  return new Running(words, wrap).ended
}

function builtAt(): number {
  try {
    return statSync(BIN).mtimeMs
  } catch {
    return 0
  }
}

function newestSource(): number {
  const files = readdirSync(`${ROOT}src`, { recursive: true, withFileTypes: true })
  const times = files
    .filter((file) => file.isFile())
    .map((file) => statSync(`${file.parentPath}/${file.name}`).mtimeMs)
  return Math.max(...times)
}

/** What a run that goes on says on stderr when nothing is amiss: events of level `info`, a line each. */
export const ONLY_INFO: unknown = expect.stringMatching(/^(?:\d\d:\d\d:\d\d info {2}.*\n)+$/)
