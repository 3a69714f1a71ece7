import { spawn } from 'node:child_process'

/** Feeds a script to a database's own client and gives what it prints. @throws Error with what the client said */
export function runScript(
  program: string,
  args: readonly string[],
  script: string,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] })
    let out = ''
    let err = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
    child.on('error', reject)
    child.on('close', (code) => {
      if (code === 0) resolve(out)
      else reject(new Error(`${program}: ${err}`))
    })
    // When the client stops at a statement it takes no more, and `close` says why.
    child.stdin.on('error', () => undefined)
    child.stdin.end(script)
  })
}
