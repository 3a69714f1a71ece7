import { afterAll, describe, expect, test } from 'vitest'
import { openPostgres } from '../../../src/sources/postgres/postgres-session.ts'
import { freePort } from '../../kafka/free-port.ts'
import { startPostgres } from '../../kafka/postgres.ts'
import { faultOf, readAll, readOne } from './read-all.ts'
import { whereAvailable } from './where-available.ts'

const server = await whereAvailable('PostgreSQL', startPostgres)

afterAll(() => server?.[Symbol.asyncDispose]())

describe.skipIf(server === null)('PostgreSQL', () => {
  const started = () => {
    if (server === null) throw new Error('not started')
    return server
  }
  const url = (more = '') =>
    `postgres://postgres@127.0.0.1:${started().port}/${started().database}${more}`
  const open = (at = url()) => openPostgres({ url: at, flow: 'shop' })

  async function one(expression: string) {
    await using session = await open()
    return await readOne(session, `SELECT ${expression} AS v`)
  }

  test('a column of every type comes exactly', async () => {
    await started().run(`
      CREATE TYPE mood AS ENUM ('sad', 'so so');
      CREATE DOMAIN price AS numeric(10,2);
      CREATE DOMAIN net_price AS price;
      ALTER DATABASE postgres SET timezone = 'Asia/Kolkata';
      ALTER DATABASE postgres SET datestyle = 'German';
      ALTER DATABASE postgres SET extra_float_digits = 0;
      ALTER DATABASE postgres SET bytea_output = 'escape';`)
    await using session = await open()
    expect(
      await readOne(
        session,
        String.raw`SELECT
          (-32768)::int2 AS small, 2147483647 AS whole, (-9223372036854775808)::int8 AS big, 4294967295::oid AS object,
          '-12345678901234567890.00000000000000000001'::numeric AS exact, 1.10::numeric AS price, 7::net_price AS net,
          'NaN'::numeric AS none, 0.1::real AS single, (0.1::float8 + 0.2::float8) AS twice, '-Infinity'::float8 AS lowest,
          true AS yes, 'ä😀 ''q'''::text AS words, 'ab'::varchar(9) AS short, 'ab'::char(5) AS padded, 'n'::name AS name,
          '\x00ff'::bytea AS raw, '2024-02-29'::date AS day, 'infinity'::date AS last, '23:59:59.999999'::time AS clock,
          '03:04:05+02'::timetz AS zoned, '2024-02-29 12:00:00.000001'::timestamp AS at_local,
          '2024-02-29 12:00:00.12+02'::timestamptz AS at, '1 day 2 hours'::interval AS span, 1.5::money AS cash,
          '{"b": 1.10, "a": [12345678901234567890, null]}'::json AS tree, '{"b": 1.10}'::jsonb AS tree_b, '"x"'::jsonb AS leaf,
          '123e4567-e89b-12d3-a456-426614174000'::uuid AS ident, 'so so'::mood AS mood, '[1,5)'::int4range AS range,
          '10.0.0.1/8'::inet AS host, B'101' AS bits, '<a/>'::xml AS markup, ROW(1, 'a') AS pair, NULL::int AS nothing`,
      ),
    ).toEqual({
      small: -32768,
      whole: 2147483647,
      big: -9223372036854775808n,
      object: 4294967295,
      exact: { type: 'decimal', text: '-12345678901234567890.00000000000000000001' },
      price: 1.1,
      net: 7,
      none: { type: 'double', text: 'NaN' },
      single: 0.1,
      twice: 0.30000000000000004,
      lowest: { type: 'double', text: '-Infinity' },
      yes: true,
      words: "ä😀 'q'",
      short: 'ab',
      padded: 'ab   ',
      name: 'n',
      raw: { type: 'bytes', text: '00ff' },
      day: { type: 'date', text: '2024-02-29' },
      last: { type: 'date', text: 'infinity' },
      clock: { type: 'time', text: '23:59:59.999999' },
      zoned: '03:04:05+02',
      at_local: { type: 'local_timestamp', text: '2024-02-29T12:00:00.000001' },
      at: { type: 'timestamp', text: '2024-02-29T10:00:00.12Z' },
      span: 'P1DT2H',
      cash: '$1.50',
      tree: { type: 'json', text: '{"a":[12345678901234567890,null],"b":1.1}' },
      tree_b: { type: 'json', text: '{"b":1.1}' },
      leaf: 'x',
      ident: '123e4567-e89b-12d3-a456-426614174000',
      mood: 'so so',
      range: '[1,5)',
      host: '10.0.0.1/8',
      bits: '101',
      markup: '<a/>',
      pair: '(1,a)',
      nothing: null,
    })
  })

  test('arrays of any depth and type are JSON, their elements as exact as a column of theirs', async () => {
    const arrays: readonly (readonly [string, string])[] = [
      [`'{}'::int[]`, '[]'],
      [`ARRAY[9007199254740993, NULL]`, '[9007199254740993,null]'],
      [`ARRAY[[1, 2], [3, 4]]`, '[[1,2],[3,4]]'],
      [
        `ARRAY['a,b', 'NULL', '', '{}', 'say "x" \\', NULL]`,
        String.raw`["a,b","NULL","","{}","say \"x\" \\",null]`,
      ],
      [`ARRAY[1.10, 12345678]::net_price[]`, '[1.1,12345678]'],
      [`ARRAY[12345678901234567890.5]`, '[12345678901234567890.5]'],
      [`ARRAY['2024-02-29 12:00+02'::timestamptz]`, '["2024-02-29T10:00:00Z"]'],
      [`ARRAY['{"a": 1.0}'::jsonb]`, '[{"a":1}]'],
      [`ARRAY['\\x00ff'::bytea]`, '["AP8="]'],
      [`ARRAY['so so'::mood]`, '["so so"]'],
      [`ARRAY['(1,1),(0,0)'::box]`, '["(1,1),(0,0)"]'],
      [`ARRAY[true, false]`, '[true,false]'],
    ]
    await using session = await open()
    const list = arrays.map(([sql], i) => `${sql} AS a${i}`).join(', ')
    const row = await readOne(session, `SELECT ${list}`)
    expect(Object.values(row)).toEqual(arrays.map(([, text]) => ({ type: 'json', text })))
  })

  test('what cannot be represented is a fault of its row', async () => {
    const reason = "which no value of Tidemark's can hold; cast it to text in the query"
    expect(await one(`'0044-03-15 BC'::date`)).toBe(`column "v" has "0044-03-15 BC", ${reason}`)
    expect(await one(`'10000-01-01'::timestamp`)).toBe(
      `column "v" has "10000-01-01 00:00:00", ${reason}`,
    )
    expect(await one(`'[0:1]={1,2}'::int[]`)).toBe(`column "v" has "[0:1]={1,2}", ${reason}`)
    expect(await one(`'{"a": 1, "a": 2}'::json`)).toContain(reason)
  })

  test('all queries of a session see one moment', async () => {
    await started().run('CREATE TABLE moments (n int); INSERT INTO moments VALUES (1);')
    await using session = await open()
    await started().run('UPDATE moments SET n = 2;')
    expect(await readOne(session, 'SELECT n FROM moments')).toEqual({ n: 1 })
    await using later = await open()
    expect(await readOne(later, 'SELECT n FROM moments')).toEqual({ n: 2 })
  })

  test('many rows come in pieces by their size, and may be left before their end', async () => {
    await using session = await open()
    const sizes: number[] = []
    for await (const { rows } of session.rows(
      `SELECT i, repeat('x', 100000) FROM generate_series(1, 10000) i`,
    )) {
      sizes.push(rows.length)
      if (sizes.length > 3) break
    }
    expect(sizes).toEqual([200, 41, 41, 41])
    expect(await readOne(session, 'SELECT 1 AS v')).toEqual({ v: 1 })
  })

  test('a connection that breaks while rows come can be made again', async () => {
    await using session = await open()
    const read = async () => {
      for await (const { rows } of session.rows(
        `SELECT repeat('y', 100000) FROM generate_series(1, 10000)`,
      )) {
        expect(rows).not.toEqual([])
        await started().run(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tidemark' AND query LIKE '%''y''%';`,
        )
      }
    }
    expect(await faultOf(read)).toMatch(
      /^SOURCE_UNAVAILABLE: flow "shop": PostgreSQL cannot be read now: /,
    )
  })

  test('a server that is away can be tried again; one that says no cannot', async () => {
    const away = `postgres://u:geheim@127.0.0.1:${await freePort()}/d`
    expect(await faultOf(() => open(away))).toMatch(
      /^SOURCE_UNAVAILABLE: flow "shop": PostgreSQL cannot be read now: .*ECONNREFUSED/,
    )
    const nobody = `postgres://nobody:geheim@127.0.0.1:${started().port}/postgres`
    expect(await faultOf(() => open(nobody))).toBe(
      'SOURCE_REFUSED: flow "shop": PostgreSQL refuses: role "nobody" does not exist',
    )
    expect(await faultOf(() => open(url('?sslmode=verify-full')))).toBe(
      'SOURCE_REFUSED: flow "shop": PostgreSQL refuses: The server does not support SSL connections',
    )
    expect(await faultOf(() => one('no_such_column'))).toBe(
      'SOURCE_REFUSED: flow "shop": PostgreSQL refuses: column "no_such_column" does not exist',
    )
    const write = async () => {
      await using session = await open()
      await readAll(session, 'DELETE FROM moments RETURNING 1')
    }
    expect(await faultOf(write)).toBe(
      'SOURCE_REFUSED: flow "shop": PostgreSQL refuses: cannot execute DELETE in a read-only transaction',
    )
  })

  test('a wrong password is never told', async () => {
    await started().run(`CREATE ROLE clerk LOGIN PASSWORD 'right';`)
    const hba = await started().text(`current_setting('hba_file')`)
    await started().run(
      `COPY (SELECT 'host all clerk 127.0.0.1/32 scram-sha-256' UNION ALL SELECT 'local all all trust' UNION ALL SELECT 'host all all 127.0.0.1/32 trust') TO '${hba}'; SELECT pg_reload_conf();`,
    )
    const wrong = `postgres://clerk:geheim@127.0.0.1:${started().port}/postgres`
    await expect
      .poll(() => faultOf(() => open(wrong)))
      .toBe(
        'SOURCE_REFUSED: flow "shop": PostgreSQL refuses: password authentication failed for user "clerk"',
      )
    const without = `postgres://clerk@127.0.0.1:${started().port}/postgres`
    expect(await faultOf(() => open(without))).toMatch(/^SOURCE_REFUSED: /)
  })
})
