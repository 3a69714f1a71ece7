import { afterEach, beforeEach, expect, test } from 'vitest'
import { TidemarkError } from '../../../src/core/errors.ts'
import type { SchemaText } from '../../../src/ports/schema-source.ts'
import { SchemaRegistry } from '../../../src/sources/schema-registry/schema-registry.ts'
import type { SchemaRegistryOptions } from '../../../src/sources/schema-registry/schema-registry.ts'
import { RegistryServer } from '../../registry-server.ts'

let server: RegistryServer
beforeEach(async () => {
  server = await RegistryServer.start({ ids: { 7: { schema: '"long"' } } })
})
afterEach(async () => server[Symbol.asyncDispose]())

const LONG: SchemaText = { kind: 'AVRO', text: '"long"', references: [] }

test('a schema is fetched by its id; what it is, is Avro unless the registry says otherwise', async () => {
  server.serve({ ids: { 7: { schema: '"long"' }, 8: { schema: '{}', schemaType: 'JSON' } } })
  expect(await fetchId('7')).toEqual(LONG)
  expect(await fetchId('8')).toEqual({ kind: 'JSON', text: '{}', references: [] })
})

test('a schema is fetched by its GUID', async () => {
  const guid = '00112233-4455-6677-8899-aabbccddeeff'
  server.serve({ guids: { [guid]: { schema: '"long"' } } })
  const registry = new SchemaRegistry({ url: server.url })
  expect(await registry.fetch({ by: 'guid', text: guid })).toEqual(LONG)
  expect(server.requests).toEqual([`/schemas/guids/${guid}`])
})

test('a path in the address is kept, a slash at its end or not', async () => {
  await fetchId('7', { url: `${server.url}/apis/ccompat/v7/` })
  expect(server.requests).toEqual(['/apis/ccompat/v7/schemas/ids/7'])
})

test('an id that the registry does not know has no schema', async () => {
  expect(await fetchId('9')).toBe(null)
})

test('references are followed to their ends, each subject and version once, deleted ones too', async () => {
  const cents = { name: 'Cents', subject: 'a/cents', version: 1 }
  server.serve({
    ids: {
      7: { schema: '"R"', references: [{ name: 'Money', subject: 'money', version: 2 }, cents] },
    },
    versions: {
      'money/2': { schema: '"M"', references: [cents] },
      'a/cents/1': { schema: '"C"' },
    },
  })
  const money = { kind: 'AVRO', text: '"C"', references: [] }
  expect(await fetchId('7')).toEqual({
    kind: 'AVRO',
    text: '"R"',
    references: [
      {
        name: 'Money',
        schema: { kind: 'AVRO', text: '"M"', references: [{ name: 'Cents', schema: money }] },
      },
      { name: 'Cents', schema: money },
    ],
  })
  expect(server.requests).toEqual([
    '/schemas/ids/7',
    '/subjects/money/versions/2?deleted=true',
    '/subjects/a%2Fcents/versions/1?deleted=true',
  ])
})

test('a reference that is not there, or leads back, makes the schema unavailable', async () => {
  const reference = { name: 'A', subject: 'a', version: 1 }
  server.serve({ ids: { 7: { schema: '"R"', references: [reference] } } })
  expect(await faultOf(fetchId('7'))).toEqual({
    code: 'SCHEMA_UNAVAILABLE',
    message:
      'SCHEMA_UNAVAILABLE: HOST/subjects/a/versions/1?deleted=true is not there, and /schemas/ids/7 refers to it',
  })
  server.serve({
    ids: { 7: { schema: '"R"', references: [reference] } },
    versions: { 'a/1': { schema: '"A"', references: [reference] } },
  })
  expect(await faultOf(fetchId('7'))).toEqual({
    code: 'SCHEMA_UNAVAILABLE',
    message: 'SCHEMA_UNAVAILABLE: HOST/subjects/a/versions/1?deleted=true refers to itself',
  })
})

test.each([
  [{ status: 500, text: 'oops' }, 'answers 500'],
  [{ status: 429, text: '' }, 'answers 429'],
  [{ status: 500, text: 'null' }, 'answers 500'],
  [{ status: 200, text: 'null' }, 'answers with what is no JSON object'],
  [{ status: 200, text: '<html>' }, 'answers with what is no JSON object'],
  [{ status: 200, text: '{}' }, 'answers without a schema'],
  [{ status: 200, text: '{"schemaType":"X"}' }, 'answers with a schema of an unknown type'],
  ['hang up' as const, 'does not answer: UND_ERR_SOCKET'],
  ['cut off' as const, 'does not answer: UND_ERR_SOCKET'],
])('a registry in trouble makes the schema unavailable: %s', async (fault, message) => {
  server.failWith(fault)
  expect(await faultOf(fetchId('7'))).toEqual({
    code: 'SCHEMA_UNAVAILABLE',
    message: `SCHEMA_UNAVAILABLE: HOST/schemas/ids/7 ${message}`,
  })
  expect(await fetchId('7')).toEqual(LONG)
})

test('a registry that does not answer in time, or is not there, makes the schema unavailable', async () => {
  server.failWith('silence')
  expect(await faultOf(fetchId('7', { timeoutMs: 20 }))).toEqual({
    code: 'SCHEMA_UNAVAILABLE',
    message:
      'SCHEMA_UNAVAILABLE: HOST/schemas/ids/7 does not answer: The operation was aborted due to timeout',
  })
  await server[Symbol.asyncDispose]()
  expect(await faultOf(fetchId('7'))).toEqual({
    code: 'SCHEMA_UNAVAILABLE',
    message: 'SCHEMA_UNAVAILABLE: HOST/schemas/ids/7 does not answer: ECONNREFUSED',
  })
})

test('user and password, or a token, let in', async () => {
  const auth = { user: 'ann', password: 'pä:ss' }
  server.serve({ ids: { 7: { schema: '"long"' } }, authorization: 'Basic YW5uOnDDpDpzcw==' })
  expect(await fetchId('7', { auth })).toEqual(LONG)
  expect(await fetchId('7', { url: server.url.replace('//', '//ann:p%C3%A4:ss@') })).toEqual(LONG)

  server.serve({ ids: { 7: { schema: '"long"' } }, authorization: 'Bearer t0ken' })
  expect(await fetchId('7', { auth: { token: 't0ken' } })).toEqual(LONG)
})

test('what does not let in is told without being shown', async () => {
  server.serve({ authorization: 'Basic x' })
  const fault = {
    code: 'SCHEMA_UNAVAILABLE',
    message:
      'SCHEMA_UNAVAILABLE: HOST/schemas/ids/7 answers 401: user, password or token are not accepted',
  }
  const url = server.url.replace('//', '//ann:secret@')
  expect(await faultOf(fetchId('7', { url }))).toEqual(fault)
  expect(await faultOf(fetchId('7', { auth: { token: 'secret' } }))).toEqual(fault)
})

test('an address that is none is an error of the flow', () => {
  expect(() => new SchemaRegistry({ url: 'ftp://user:secret@host' })).toThrow(
    'SPEC_INVALID: the address of the schema registry is no http(s) URL',
  )
})

test('a token or a password that cannot be sent is an error of the flow that does not show it', () => {
  const { url } = server
  expect(() => new SchemaRegistry({ url, auth: { token: 'secret\n' } })).toThrow(
    /^SPEC_INVALID: the token of the schema registry has characters that cannot be sent$/,
  )
  expect(() => new SchemaRegistry({ url: url.replace('//', '//ann:%zz@') })).toThrow(
    /^SPEC_INVALID: the user or password in the address of the schema registry has characters/,
  )
})

async function fetchId(
  id: string,
  options: Partial<SchemaRegistryOptions> = {},
): Promise<SchemaText | null> {
  return new SchemaRegistry({ url: server.url, ...options }).fetch({ by: 'id', text: id })
}

/** How a promise fails, the server's port left out, and no secret in it. */
async function faultOf(promise: Promise<unknown>): Promise<unknown> {
  const error = await promise.then(
    () => null,
    (fault: unknown) => fault,
  )
  if (!(error instanceof TidemarkError)) return error
  expect(JSON.stringify(error.details)).not.toContain('secret')
  return { code: error.code, message: error.message.replace(server.url, 'HOST') }
}
