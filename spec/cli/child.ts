import { spawn, type ChildProcess } from 'node:child_process'
import { BIN } from '../crash/command.ts'

/** How a process ended. */
export type Left = { readonly code: number | null; readonly signal: NodeJS.Signals | null }

/** A Node process whose lines on stderr can be waited for. The built command line unless told otherwise. */
export class Child implements AsyncDisposable {
  readonly left: Promise<Left>
  out = ''
  err = ''
  private readonly process: ChildProcess
  private readonly waiting = new Set<() => void>()

  constructor(words: readonly string[], env: NodeJS.ProcessEnv = {}, program: string = BIN) {
    this.process = spawn(process.execPath, [program, ...words], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.process.stdout?.on('data', (chunk: Buffer) => (this.out += chunk.toString('utf8')))
    this.process.stderr?.on('data', (chunk: Buffer) => {
      this.err += chunk.toString('utf8')
      for (const look of this.waiting) look()
    })
    this.left = new Promise((resolve, reject) => {
      this.process.on('error', reject)
      this.process.on('close', (code, signal) => {
        resolve({ code, signal })
      })
    })
  }

  /** The first line on stderr that has these words, once it is there. Fails if the process ends first. */
  async line(words: string): Promise<string> {
    const found = () => this.errLines().find((line) => line.includes(words))
    const seen = new Promise<void>((resolve) => {
      const look = () => {
        if (found() === undefined) return
        this.waiting.delete(look)
        resolve()
      }
      this.waiting.add(look)
      look()
    })
    await Promise.race([seen, this.left])
    const line = found()
    if (line === undefined)
      throw new Error(`the process ended without saying "${words}":\n${this.err}`)
    return line
  }

  /** The whole lines on stderr so far. */
  errLines(): readonly string[] {
    return this.err.split('\n').slice(0, -1)
  }

  /** Sends a signal. */
  send(signal: NodeJS.Signals): void {
    this.process.kill(signal)
  }

  /** Ends the process if it still runs. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.process.kill('SIGKILL')
    await this.left
  }
}
