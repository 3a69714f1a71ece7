import { expect, test } from 'vitest'
import { tidemark } from './captured.ts'

test('an unknown option is answered with the nearest known one', async () => {
  expect(await tidemark(['run', 'flows.yaml', '--flwo', 'customers'])).toEqual({
    code: 2,
    out: '',
    err: 'tidemark: USAGE: unknown option --flwo; did you mean --flow?\n',
  })
})

test('an unknown option that is near to none is answered with those that there are', async () => {
  expect(await tidemark(['status', 'flows.yaml', '--constructor'])).toEqual({
    code: 2,
    out: '',
    err: 'tidemark: USAGE: unknown option --constructor; known: --json\n',
  })
})

test('a short option is unknown but for -h', async () => {
  expect(await tidemark(['status', 'flows.yaml', '-j'])).toEqual({
    code: 2,
    out: '',
    err: 'tidemark: USAGE: unknown option -j; known: --json\n',
  })
})

test('an unknown verb is answered with the nearest known one', async () => {
  expect(await tidemark(['rnu', 'flows.yaml'])).toEqual({
    code: 2,
    out: '',
    err: 'tidemark: USAGE: unknown command "rnu"; did you mean run?\n',
  })
})

test('a verb of two words is told apart by its second', async () => {
  expect(await tidemark(['quarantine'])).toMatchObject({
    code: 2,
    err: 'tidemark: USAGE: quarantine needs one of: list, show\n',
  })
  expect(await tidemark(['quarantine', 'lits', 'flows.yaml'])).toMatchObject({
    code: 2,
    err: 'tidemark: USAGE: unknown command "quarantine lits"; did you mean quarantine list?\n',
  })
})

test('an argument that is missing is named with the way to call the verb', async () => {
  expect(await tidemark(['show', 'flows.yaml'])).toMatchObject({
    code: 2,
    err: 'tidemark: USAGE: TARGET is missing: tidemark show FLOWS TARGET\n',
  })
})

test('an argument too many is refused', async () => {
  expect(await tidemark(['status', 'flows.yaml', 'customers'])).toMatchObject({
    code: 2,
    err: 'tidemark: USAGE: unexpected argument "customers"\n',
  })
})

test('an option without its value is refused', async () => {
  expect(await tidemark(['show', 'flows.yaml', 'customers', '--format', '--limit'])).toMatchObject({
    code: 2,
    err: 'tidemark: USAGE: option --format needs a value\n',
  })
})

test('an option with one value is refused when it is given twice', async () => {
  const words = ['show', 'flows.yaml', 'customers', '--limit', '1', '--limit', '2']
  expect(await tidemark(words)).toMatchObject({
    code: 2,
    err: 'tidemark: USAGE: option --limit is given twice\n',
  })
})

test('a value that is not one of the few is answered with the nearest', async () => {
  expect(await tidemark(['show', 'flows.yaml', 'customers', '--format', 'cvs'])).toMatchObject({
    code: 2,
    err: 'tidemark: USAGE: unknown --format "cvs"; did you mean csv?\n',
  })
})

test('an option before the verb is refused', async () => {
  expect(await tidemark(['--json', 'status', 'flows.yaml'])).toMatchObject({
    code: 2,
    err: 'tidemark: USAGE: a command comes before its options, not --json; see tidemark --help\n',
  })
})

test('a flow file that does not exist is named', async () => {
  const { code, out, err } = await tidemark(['run', 'no-such-file.yaml'])
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err).toMatch(/^tidemark: NOT_FOUND: .*no-such-file\.yaml.*\n$/)
})
