import { execFile } from 'node:child_process'
import { TidemarkError } from '../../core/errors.ts'

const LONGEST_MS = 30_000

/**
 * What a command prints, without the space around it. It runs without a shell: words are parted
 * by spaces, and quotes of either kind keep words together.
 *
 * @throws TidemarkError `SOURCE_UNAVAILABLE`, without arguments and output, which may be secret
 */
export async function tokenOf(commandLine: string): Promise<string> {
  const [program = '', ...args] = wordsOf(commandLine)
  const { failure, printed } = await run(program, args)
  const token = printed.trim()
  if (failure === null && token !== '') return token
  throw new TidemarkError(
    'SOURCE_UNAVAILABLE',
    `the token command ${program} ${failure ?? 'printed nothing'}`,
    { program },
  )
}

/** The words of a command line. */
export function wordsOf(commandLine: string): string[] {
  return [...commandLine.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) =>
    word.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'),
  )
}

function run(
  program: string,
  args: readonly string[],
): Promise<{ readonly failure: string | null; readonly printed: string }> {
  return new Promise((resolve) => {
    execFile(program, args, { timeout: LONGEST_MS, windowsHide: true }, (error, stdout) => {
      resolve({ failure: error === null ? null : failureOf(error), printed: stdout })
    })
  })
}

function failureOf(error: Error & { code?: unknown; killed?: boolean }): string {
  if (error.killed === true) return `took longer than ${LONGEST_MS / 1000} s`
  return error.code === 'ENOENT' ? 'does not exist' : `failed (${String(error.code)})`
}
