import { createServer } from 'node:net'

/**
 * A TCP port of 127.0.0.1 that nobody listens on. It lies below the ports that the system gives to
 * outgoing connections, so that none of those can take it before the server does, or while the
 * server restarts.
 */
export async function freePort(): Promise<number> {
  const port = 12_000 + Math.floor(Math.random() * 20_000)
  return (await isFree(port)) ? port : freePort()
}

/** Whether nobody listens on a port of 127.0.0.1. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => {
      resolve(false)
    })
    server.listen(port, '127.0.0.1', () => {
      server.close(() => {
        resolve(true)
      })
    })
  })
}
