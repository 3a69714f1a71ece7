import type { Writable } from 'node:stream'

/** All that a command may touch of the world besides the files that it is pointed at. */
export type Io = {
  readonly stdout: Writable
  readonly stderr: Writable
  /** Whether stdout is a terminal: cells are cut to its width, nulls are dimmed. */
  readonly isTTY: boolean
  /** Whether stderr is a terminal: a long run shows a progress line there. */
  readonly isErrorTTY: boolean
  readonly env: NodeJS.ProcessEnv
  /** Width of the terminal; where there is none, what drawings are fitted to. */
  readonly columns: number
}

/** The process's own streams for what a caller does not give; terminal or not is a fact of each stream. */
export function completeIo(given: Partial<Io>): Io {
  const stdout = given.stdout ?? process.stdout
  const stderr = given.stderr ?? process.stderr
  return {
    stdout,
    stderr,
    isTTY: given.isTTY ?? isTerminal(stdout),
    isErrorTTY: given.isErrorTTY ?? isTerminal(stderr),
    env: given.env ?? process.env,
    columns: given.columns ?? columnsOf(stdout) ?? columnsOf(stderr) ?? DEFAULT_COLUMNS,
  }
}

const DEFAULT_COLUMNS = 100

function isTerminal(stream: Writable): boolean {
  return 'isTTY' in stream && stream.isTTY === true
}

function columnsOf(stream: Writable): number | undefined {
  const columns = 'columns' in stream ? stream.columns : undefined
  return typeof columns === 'number' && columns > 0 ? columns : undefined
}
