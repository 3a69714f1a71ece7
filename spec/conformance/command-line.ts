import { spawn } from 'node:child_process'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { main } from '../../src/cli/main.ts'

/** What a command line answered. */
export type Answer = { readonly code: number; readonly stdout: string; readonly stderr: string }

/** Carries out a command line, the words after `tidemark`. */
export type CommandLine = (words: readonly string[]) => Promise<Answer>

/** The command line's own entry point, in this process. */
export const inProcess: CommandLine = async (words) => {
  const stdout = new Gathered()
  const stderr = new Gathered()
  const code = await main([...words], { stdout, stderr, isTTY: false, isErrorTTY: false })
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

/** The command line as a process of its own: `program` is the words before the arguments. */
export function asProcess(program: readonly string[]): CommandLine {
  return async (words) => {
    const [command = '', ...before] = program
    const child = spawn(command, [...before, ...words], { stdio: ['ignore', 'pipe', 'pipe'] })
    const ended = new Promise<number>((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (code) => resolve(code ?? -1))
    })
    const [code, stdout, stderr] = await Promise.all([
      ended,
      text(child.stdout),
      text(child.stderr),
    ])
    return { code, stdout, stderr }
  }
}

class Gathered extends Writable {
  readonly #chunks: Buffer[] = []

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk)
    done()
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString('utf8')
  }
}
