import { Writable } from 'node:stream'
import { main } from '../../src/cli/main.ts'
import type { Io } from '../../src/cli/io.ts'

/** What a command line printed, and how it ended. */
export type Captured = { readonly code: number; readonly out: string; readonly err: string }

/** Runs a command line in this process, as if in a pipe unless `given` says otherwise. */
export async function tidemark(
  words: readonly string[],
  given: Partial<Io> = {},
): Promise<Captured> {
  const out = new TextSink()
  const err = new TextSink()
  const code = await main(words, { stdout: out, stderr: err, env: {}, columns: 80, ...given })
  return { code, out: out.text, err: err.text }
}

/** A stream that keeps what is written to it. */
export class TextSink extends Writable {
  text = ''

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString('utf8')
    done()
  }
}
