import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { drawRecord, Folder } from './folder.ts'

/** Files written by Apache Arrow, see the README next to them. */
const written = (name: string): Promise<Buffer> =>
  readFile(fileURLToPath(new URL(`../../formats/parquet/${name}.parquet`, import.meta.url)))

/** The columns of the first records, a list of `name=value` for each. */
async function columns(name: string): Promise<string[][]> {
  await using folder = await Folder.of({ 'a.parquet': await written(name) })
  const [records = []] = await folder.read()
  return records.map((record) => record.replace(/^a\.parquet \d+: /, '').split(/ (?=\w+=)/))
}

/** Twelve rows in row groups of five: id, a text that every fifth row lacks, a list. */
const TWELVE = [
  '1: id=1 v=\'v1\' tags=json(["t0"])',
  '2: id=2 v=\'v2\' tags=json(["t0","t1"])',
  "3: id=3 v='v3' tags=json([])",
  '4: id=4 v=\'v4\' tags=json(["t0"])',
  '5: id=5 v=null tags=json(["t0","t1"])',
  "6: id=6 v='v6' tags=json([])",
  '7: id=7 v=\'v7\' tags=json(["t0"])',
  '8: id=8 v=\'v8\' tags=json(["t0","t1"])',
  "9: id=9 v='v9' tags=json([])",
  '10: id=10 v=null tags=json(["t0"])',
  '11: id=11 v=\'v11\' tags=json(["t0","t1"])',
  "12: id=12 v='v12' tags=json([])",
].map((line) => `a.parquet ${line}`)

test('every type has its exact value', async () => {
  const [first, second] = await columns('types')
  expect(first).toEqual([
    'id=1',
    'flag=true',
    'i8=-128',
    'u16=65535',
    'u32=4294967295',
    'i64=9223372036854775807n',
    'u64=18446744073709551615n',
    'f16=1.5',
    'f32=0.5',
    'f64=0.1',
    'd9=1234567.89',
    'd18=decimal(1234567890123456.78)',
    'd38=decimal(12345678901234567890123456789012345.678)',
    'day=date(2024-02-29)',
    't_ms=time(23:59:59.999)',
    't_us=time(01:02:03.456789)',
    't_ns=time(00:00:00.000000001)',
    'at_ms=timestamp(2024-02-29T00:00:00.123Z)',
    'at_us=timestamp(2024-02-29T00:00:00.123456Z)',
    'at_ns=timestamp(2024-02-29T00:00:00.123456789Z)',
    'local_us=local_timestamp(2024-02-29T00:00:00.123456)',
    'local_ns=local_timestamp(2024-02-29T00:00:00.123456789)',
    "text='Žižkov'",
    'bytes=bytes(00ff)',
    'fixed=bytes(616263)',
    'list=json([1,2,null])',
    'lists=json([["a"],[]])',
    'struct=json({"a":1,"b":{"c":"x"}})',
    'structs=json([{"p":1.1,"q":"2024-01-02"}])',
    'map=json({"k":1,"l":null})',
    "dict='x'",
  ])
  expect(second).toEqual([
    'id=2',
    'flag=null',
    'i8=127',
    'u16=0',
    'u32=0',
    'i64=-9223372036854775808n',
    'u64=0',
    'f16=-2',
    'f32=double(NaN)',
    'f64=double(-Infinity)',
    'd9=-0.01',
    'd18=-0.01',
    'd38=-1',
    'day=date(0001-01-01)',
    't_ms=time(00:00:00)',
    't_us=time(00:00:00)',
    't_ns=time(23:59:59.999999999)',
    'at_ms=timestamp(1969-12-31T23:59:59.999Z)',
    'at_us=timestamp(1969-12-31T23:59:59.999999Z)',
    'at_ns=timestamp(1969-12-31T23:59:59.999999999Z)',
    'local_us=local_timestamp(1969-12-31T23:59:59.999999)',
    'local_ns=local_timestamp(1969-12-31T23:59:59.999999999)',
    "text=''",
    'bytes=bytes()',
    'fixed=bytes(000102)',
    'list=json([])',
    'lists=json([null])',
    'struct=json({"a":null,"b":null})',
    'structs=json([null])',
    'map=json({})',
    "dict='y'",
  ])
})

test('a row of nulls is a row of nulls, nested ones too', async () => {
  const [, , third = []] = await columns('types')
  expect(third.filter((cell) => !cell.endsWith('=null'))).toEqual(['id=3', 'flag=false'])
})

test('a UUID is its text, JSON is itself, and INT96 is an instant', async () => {
  expect(await columns('uuid-json')).toEqual([
    ['id=1', "uuid='00112233-4455-6677-8899-aabbccddeeff'", 'json=json({"a":[1],"b":1.1})'],
    ['id=2', 'uuid=null', 'json=null'],
  ])
  expect(await columns('int96')).toEqual([
    ['id=1', 'at=timestamp(2024-02-29T00:00:00.123456789Z)'],
    ['id=2', 'at=null'],
  ])
})

test.each(['snappy', 'gzip', 'brotli', 'zstd', 'lz4'])(
  'rows packed with %s are numbered through all row groups',
  async (name) => {
    await using folder = await Folder.of({ 'a.parquet': await written(name) })
    expect(await folder.read()).toEqual([TWELVE])
  },
)

test('reading goes on at the row after the last one committed, in the middle of a row group too', async () => {
  await using folder = await Folder.of({ 'a.parquet': await written('zstd') })
  const { signal } = new AbortController()
  for await (const { records } of folder.batches('bounded', signal, { maxRecords: 7 })) {
    expect(records.length).toBe(7)
    break
  }
  expect(await folder.read({ maxRecords: 4 })).toEqual([TWELVE.slice(7, 11), TWELVE.slice(11)])
  expect(await folder.read()).toEqual([])
})

test('the format may be named where the extension does not tell', async () => {
  await using folder = await Folder.of({ extract: await written('int96') }, { format: 'parquet' })
  expect(await folder.read()).toEqual([
    ['extract 1: id=1 at=timestamp(2024-02-29T00:00:00.123456789Z)', 'extract 2: id=2 at=null'],
  ])
})

test('another file of the same name is refused', async () => {
  await using folder = await Folder.of({ 'a.parquet': await written('zstd') })
  await folder.read()
  await folder.put({ 'a.parquet': await written('gzip') })
  await expect(folder.read()).rejects.toThrow(
    'FILE_CHANGED: a.parquet is not the Parquet file that was read before; ' +
      'give the file as it is now a new name, or put back what was there',
  )
})

test('a file that is cut short, or no Parquet at all, is broken', async () => {
  const whole = await written('zstd')
  for (const broken of [whole.subarray(0, -1), Buffer.from('id,v\n'), Buffer.from('')]) {
    await using folder = await Folder.of({ 'a.parquet': broken })
    await expect(folder.read()).rejects.toThrow(
      /^FILE_BROKEN: a\.parquet is no Parquet file that can be read: /,
    )
  }
})

test('every file with a byte changed is read or broken, and nothing else', async () => {
  const whole = await written('zstd')
  for (let at = 0; at < whole.length; at += 7) {
    const changed = Buffer.from(whole)
    changed[at] = (changed[at] ?? 0) ^ 0xff
    await using folder = await Folder.of({ 'a.parquet': changed })
    const outcome = await folder.read().then(
      () => 'read',
      (error: unknown) => String(error).slice(0, 'TidemarkError: FILE_BROKEN'.length),
    )
    expect(['read', 'TidemarkError: FILE_BROKEN']).toContain(outcome)
  }
})

test('a continuous read leaves a file that is still being written', async () => {
  const whole = await written('zstd')
  await using folder = await Folder.of({ 'a.parquet': whole.subarray(0, 800), 'b.csv': 'x\n1\n' })
  const stop = new AbortController()
  const drawn: string[] = []
  for await (const { records } of folder.batches('continuous', stop.signal)) {
    drawn.push(...records.map(drawRecord))
    if (drawn.length > 1) stop.abort()
    else await folder.put({ 'a.parquet': whole })
  }
  expect(drawn).toEqual(["b.csv 1: x='1'", ...TWELVE])
})

test('a file whose pages lie where none can be is broken, whatever was read ahead', async () => {
  const bytes = await written('types')
  bytes[2120] = 18
  await using folder = await Folder.of({ 'a.parquet': bytes })
  await expect(folder.read()).rejects.toThrow('a.parquet is no Parquet file that can be read')
})
