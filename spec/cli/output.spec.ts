import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { Output } from '../../src/cli/output.ts'
import { TextSink, tidemark } from './captured.ts'

/** A stream whose reader went away. */
function broken(code: string): Writable {
  return new Writable({
    write: (_chunk, _encoding, done) => done(Object.assign(new Error(`write ${code}`), { code })),
  })
}

test('small writes reach the stream together', async () => {
  const sink = new TextSink()
  await using output = new Output(sink)
  expect(await output.write('a')).toBe(true)
  expect(await output.write('b')).toBe(true)
  expect(sink.text).toBe('')
  await output.flush()
  expect(sink.text).toBe('ab')
})

test('a writer hears that its reader has gone, and may go on', async () => {
  await using output = new Output(broken('EPIPE'))
  await output.write('a')
  await output.flush()
  expect(await output.write('b')).toBe(false)
  await output.flush()
})

test('a command whose reader has gone ends well', async () => {
  expect(await tidemark(['--help'], { stdout: broken('EPIPE') })).toEqual({
    code: 0,
    out: '',
    err: '',
  })
})

test('a command whose output finds the disk full says so, once', async () => {
  expect(await tidemark(['--help'], { stdout: broken('ENOSPC') })).toEqual({
    code: 4,
    out: '',
    err: 'tidemark: STORE_FULL: the output cannot be written: write ENOSPC\n',
  })
})

test('any other failure of the output is unexpected', async () => {
  const { code, err } = await tidemark(['--help'], { stdout: broken('EIO') })
  expect(code).toBe(1)
  expect(err).toMatch(/^tidemark: unexpected, a bug: Error: write EIO\n/)
})
