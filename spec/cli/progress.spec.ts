import { expect, test } from 'vitest'
import { Output } from '../../src/cli/output.ts'
import { ProgressLine } from '../../src/cli/progress.ts'
import { TextSink } from './captured.ts'

test('a run of less than a second shows no progress', async () => {
  const sink = new TextSink()
  const line = new ProgressLine(new Output(sink), 80)
  await line.show({ flow: 'customers', read: 500, seconds: 0.9 })
  await line.clear()
  expect(sink.text).toBe('')
})

test('a longer run rewrites one line, and takes it away at the end', async () => {
  const sink = new TextSink()
  const line = new ProgressLine(new Output(sink), 80)
  await line.show({ flow: 'customers', read: 20_000, seconds: 1.25 })
  await line.show({ flow: 'customers', read: 20_001, seconds: 1.26 })
  await line.show({ flow: 'customers', read: 40_000, seconds: 2 })
  await line.clear()
  expect(sink.text).toBe(
    '\rcustomers  20,000 records  16,000 records/s\u001b[K' +
      '\rcustomers  40,000 records  20,000 records/s\u001b[K' +
      '\r\u001b[K',
  )
})

test('the line is cut to the terminal', async () => {
  const sink = new TextSink()
  await new ProgressLine(new Output(sink), 20).show({ flow: 'customers', read: 9, seconds: 1 })
  expect(sink.text).toBe('\rcustomers  9 recor…\u001b[K')
})
