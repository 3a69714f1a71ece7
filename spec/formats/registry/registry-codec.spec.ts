import { expect, test } from 'vitest'
import { JsonCodec } from '../../../src/formats/json-codec.ts'
import { NO_CONNECT_TYPES } from '../../../src/formats/registry/connect-types.ts'
import { RegistryCodec } from '../../../src/formats/registry/registry-codec.ts'
import type { RegistryCodecOptions } from '../../../src/formats/registry/registry-codec.ts'
import type { SchemaSource } from '../../../src/ports/schema-source.ts'
import { SchemaRegistry } from '../../../src/sources/schema-registry/schema-registry.ts'
import { RegistryServer } from '../../registry-server.ts'
import { avro, decodedBy, FixedSchemas, valued } from './fixed-schemas.ts'

const ROW = avro({
  type: 'record',
  name: 'R',
  fields: [
    { name: 'id', type: 'long' },
    { name: 'name', type: 'string' },
  ],
})
const GUID = '00112233-4455-6677-8899-aabbccddeeff'
const GUID_HEADER = Buffer.from(`01${GUID.replaceAll('-', '')}`, 'hex')
const ID_HEADER = Buffer.from('0000000007', 'hex')

test('a value begins with 0x00 and the id of its schema', async () => {
  expect(await decodedBy(codec(), valued('00000000070a0261'))).toEqual({ id: 5, name: 'a' })
})

test('or a header has the id, or the GUID, and the value is bare', async () => {
  for (const header of [ID_HEADER, GUID_HEADER]) {
    const message = valued('0a0261', { headers: [['__value_schema_id', header]] })
    expect(await decodedBy(codec(), message)).toEqual({ id: 5, name: 'a' })
  }
})

test('a key has a schema and a header of its own', async () => {
  const key = Buffer.from('0a0261', 'hex')
  const framed = valued(null, { key: Buffer.concat([ID_HEADER, key]) })
  expect(await decodedBy(codec(), framed, 'key')).toEqual({ id: 5, name: 'a' })
  const bare = valued(null, { key, headers: [['__key_schema_id', GUID_HEADER]] })
  expect(await decodedBy(codec(), bare, 'key')).toEqual({ id: 5, name: 'a' })
})

test('keys that no registry knows are read by a codec of their own, and nothing is asked for them', async () => {
  const source = new FixedSchemas({ 7: ROW })
  const mixed = codec({ source, keys: new JsonCodec() })
  const message = valued('00000000070a0261', { key: Buffer.from('{"id":1}') })
  expect(await decodedBy(mixed, message, 'key')).toEqual({ id: 1 })
  expect(await decodedBy(mixed, message)).toEqual({ id: 5, name: 'a' })
  expect(source.asked).toEqual(['7'])
})

test("Apicurio's older framing has ids of eight bytes", async () => {
  const message = valued('0000000000000000070a0261')
  expect(await decodedBy(codec({ idBytes: 8 }), message)).toEqual({ id: 5, name: 'a' })
})

test('a schema is fetched once, whatever the number of batches', async () => {
  const source = new FixedSchemas({ 7: ROW })
  const one = codec({ source })
  await one.prepare([valued('00000000070a0261'), valued('00000000070a0261')])
  await one.prepare([valued('00000000070a0261')])
  expect(source.asked).toEqual(['7'])
})

test('a record whose schema the registry does not know is refused; the next batch asks again', async () => {
  const source = new FixedSchemas({ 7: ROW })
  const one = codec({ source })
  expect(await decodedBy(one, valued('000000000900'))).toBe(
    'UNDECODABLE the value names schema 9, which the registry does not have',
  )
  await one.prepare([valued('000000000900')])
  expect(source.asked).toEqual(['9', '9'])
})

test('a value whose schema is of another kind is refused, a key is not', async () => {
  const json = codec({ kind: 'JSON' })
  const message = valued('00000000070a0261', { key: Buffer.from('00000000070a0261', 'hex') })
  expect(await decodedBy(json, message)).toBe(
    'UNDECODABLE the value names schema 7, which is AVRO, not JSON',
  )
  expect(await decodedBy(json, message, 'key')).toEqual({ id: 5, name: 'a' })
})

test.each([
  ['', 'the value begins with nothing rather than with 0x00 and an id'],
  ['7b7d', 'the value begins with 0x7b rather than with 0x00 and an id'],
  ['0100000007', 'the value begins with 0x01 rather than with 0x00 and an id'],
  ['00000000', 'the value ends within its schema id, after byte 4'],
  ['0000000007', 'the value does not fit schema 7: the payload ends after byte 0'],
  ['00000000070a0261ff', 'the value does not fit schema 7: 1 bytes are left over'],
])('bytes that are not framed so are refused: %s', async (hex, fault) => {
  expect(await decodedBy(codec(), valued(hex))).toBe(`UNDECODABLE ${fault}`)
})

test.each(['', '00000007', '01000000070000', '0200000007'])(
  'a header that names no schema is refused: %s',
  async (hex) => {
    const message = valued('0a0261', { headers: [['__value_schema_id', Buffer.from(hex, 'hex')]] })
    expect(await decodedBy(codec(), message)).toBe(
      `UNDECODABLE the header __value_schema_id is neither 0x00 and an id nor 0x01 and a GUID, but 0x${hex}`,
    )
  },
)

test('a registry that is down stops the batch, not the records; once it is back they are read', async () => {
  await using server = await RegistryServer.start({ ids: { 7: { schema: ROW.text } } })
  const one = codec({ source: new SchemaRegistry({ url: server.url }) })
  const message = valued('00000000070a0261')
  server.failWith({ status: 503, text: '' }, 'hang up')
  await expect(one.prepare([message])).rejects.toMatchObject({ code: 'SCHEMA_UNAVAILABLE' })
  await expect(one.prepare([message])).rejects.toMatchObject({ code: 'SCHEMA_UNAVAILABLE' })
  expect(await decodedBy(one, message)).toEqual({ id: 5, name: 'a' })
})

function codec(said: Partial<RegistryCodecOptions> = {}): RegistryCodec {
  const source: SchemaSource = new FixedSchemas({ 7: ROW, [GUID]: ROW })
  return new RegistryCodec({ source, kind: 'AVRO', connectTypes: NO_CONNECT_TYPES, ...said })
}
