import type { Writable } from 'node:stream'

import { TidemarkError } from '../index.ts'

/**
 * Text on its way to a stream, gathered into large writes and paced by the reader.
 *
 * Once the reader has gone (`| head`), {@link Output.write} says so and writes nothing more:
 * a producer of many rows stops, anyone else may ignore it.
 */
export class Output implements AsyncDisposable {
  readonly #stream: Writable
  readonly #onError = (error: NodeJS.ErrnoException): void => this.#fail(error)
  #pending = ''
  #gone = false
  #failure: Error | null = null

  constructor(stream: Writable) {
    this.#stream = stream
    stream.on('error', this.#onError)
  }

  /**
   * Writes text; false once nobody reads it any more.
   *
   * @throws TidemarkError `STORE_FULL` for a full disk, any other error of the stream as it is; once
   */
  async write(text: string): Promise<boolean> {
    this.#pending += text
    if (this.#pending.length >= CHUNK) await this.flush()
    return !this.#gone
  }

  /** Waits until the stream has taken everything. */
  async flush(): Promise<void> {
    const text = this.#pending
    this.#pending = ''
    if (text !== '' && !this.#gone) await this.#send(text)
    const failure = this.#failure
    this.#failure = null
    if (failure !== null) throw failure
  }

  /** Lets go of the stream, which stays open. What was not flushed is lost. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#stream.off('error', this.#onError)
    return Promise.resolve()
  }

  #send(text: string): Promise<void> {
    return new Promise((resolve) => {
      this.#stream.write(text, (error) => {
        if (error) this.#fail(error)
        resolve()
      })
    })
  }

  #fail(error: NodeJS.ErrnoException): void {
    if (this.#gone) return
    this.#gone = true
    if (!GONE.has(error.code ?? ''))
      this.#failure = FULL.has(error.code ?? '') ? full(error) : error
  }
}

/** Large enough that a row costs no system call, small enough to appear at once. */
const CHUNK = 64 * 1024

const GONE = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END'])

const FULL = new Set(['ENOSPC', 'EDQUOT'])

function full(error: Error): TidemarkError {
  return new TidemarkError(
    'STORE_FULL',
    `the output cannot be written: ${error.message}`,
    {},
    error,
  )
}
