import { afterAll, describe, expect, test } from 'vitest'
import { openMysql } from '../../../src/sources/mysql/mysql-session.ts'
import { freePort } from '../../kafka/free-port.ts'
import { startMariaDb } from './mariadb.ts'
import { faultOf, readAll, readOne } from './read-all.ts'
import { whereAvailable } from './where-available.ts'

const server = await whereAvailable('MariaDB', startMariaDb)

afterAll(() => server?.[Symbol.asyncDispose]())

describe.skipIf(server === null)('MariaDB', () => {
  const started = () => {
    if (server === null) throw new Error('not started')
    return server
  }
  const open = (url = started().url()) => openMysql({ url, flow: 'shop' })

  async function one(expression: string) {
    await using session = await open()
    return await readOne(session, `SELECT ${expression} AS v`)
  }

  test('a column of every type comes exactly', async () => {
    await started().run(`
      SET time_zone = '+02:00', sql_mode = '';
      CREATE TABLE kinds (
        tiny TINYINT, flag BOOLEAN, small SMALLINT, medium MEDIUMINT UNSIGNED, whole INT UNSIGNED,
        big BIGINT, huge BIGINT UNSIGNED, filled INT(6) ZEROFILL, exact DECIMAL(65,30), price NUMERIC(10,2),
        single FLOAT, twice DOUBLE, bit_one BIT(1), bits BIT(64), words VARCHAR(50), fixed CHAR(5),
        long_text LONGTEXT, greek VARCHAR(9) CHARACTER SET greek, raw VARBINARY(9), padded BINARY(4), long_raw LONGBLOB,
        mood ENUM('sad', 'so so'), tags SET('a', 'b', 'c'), day DATE, clock TIME(6), span TIME,
        at_local DATETIME(6), at TIMESTAMP(3) NULL, in_year YEAR, tree JSON, ident UUID, host INET6, nothing INT
      );
      INSERT INTO kinds VALUES (
        -128, TRUE, -32768, 16777215, 4294967295,
        -9223372036854775808, 18446744073709551615, 42, '-12345678901234567890.000000000000000000000000000001', 1.10,
        0.1, 1e308, b'1', 0xffffffffffffffff, 'ä😀 ''q''', 'ab',
        '', 'αβγ', x'00ff', x'01', x'80',
        'so so', 'a,c', '9999-12-31', '23:59:59.999999', '-838:59:59',
        '2024-02-29 12:00:00.000001', '2024-02-29 12:00:00.120', 2024,
        '{"b": 1.10, "a": [12345678901234567890, null]}', '123e4567-e89b-12d3-a456-426614174000', '::1', NULL
      );`)
    await using session = await open()
    expect(await readOne(session, 'SELECT * FROM kinds')).toEqual({
      tiny: -128,
      flag: 1,
      small: -32768,
      medium: 16777215,
      whole: 4294967295,
      big: -9223372036854775808n,
      huge: 18446744073709551615n,
      filled: 42,
      exact: { type: 'decimal', text: '-12345678901234567890.000000000000000000000000000001' },
      price: 1.1,
      single: 0.1,
      twice: 10n ** 308n,
      bit_one: 1,
      bits: 18446744073709551615n,
      words: "ä😀 'q'",
      fixed: 'ab',
      long_text: '',
      greek: 'αβγ',
      raw: { type: 'bytes', text: '00ff' },
      padded: { type: 'bytes', text: '01000000' },
      long_raw: { type: 'bytes', text: '80' },
      mood: 'so so',
      tags: 'a,c',
      day: { type: 'date', text: '9999-12-31' },
      clock: { type: 'time', text: '23:59:59.999999' },
      span: { type: 'time', text: '-838:59:59' },
      at_local: { type: 'local_timestamp', text: '2024-02-29T12:00:00.000001' },
      at: { type: 'timestamp', text: '2024-02-29T10:00:00.12Z' },
      in_year: 2024,
      tree: { type: 'json', text: '{"a":[12345678901234567890,null],"b":1.1}' },
      ident: '123e4567-e89b-12d3-a456-426614174000',
      host: '::1',
      nothing: null,
    })
  })

  test('what cannot be represented is a fault of its row', async () => {
    await started().run(
      `SET sql_mode = ''; CREATE TABLE odd (d DATE, g POINT); INSERT INTO odd VALUES ('0000-00-00', NULL), (NULL, POINT(1, 2));`,
    )
    await using session = await open()
    const faults = await readAll(session, 'SELECT * FROM odd')
    expect(faults.map(({ fault }) => fault)).toEqual([
      `column "d" has "0000-00-00", which no value of Tidemark's can hold; convert it in the query`,
      `column "g" has a geometry, which no value of Tidemark's can hold; convert it in the query`,
    ])
    expect(await one(`ST_AsText(POINT(1, 2))`)).toEqual({ v: 'POINT(1 2)' })
  })

  test('every float of four bytes comes as the shortest number that it is nearest to', async () => {
    const floats = ['16777216', '3.402823e38', '1.1754944e-38', '-0.1', '123456.79']
    await started().run(
      `CREATE TABLE floats (f FLOAT); INSERT INTO floats VALUES (${floats.join('), (')});`,
    )
    await using session = await open()
    const rows = await readAll(session, 'SELECT f FROM floats')
    expect(rows.map(({ values }) => Math.fround(Number(values[0])))).toEqual(
      floats.map((each) => Math.fround(Number(each))),
    )
    expect(rows[4]?.values).toEqual([123456.79])
  })

  test('all queries of a session see one moment', async () => {
    await started().run(
      'CREATE TABLE moments (n INT) ENGINE = InnoDB; INSERT INTO moments VALUES (1);',
    )
    await using session = await open()
    await started().run('UPDATE moments SET n = 2;')
    expect(await readOne(session, 'SELECT n FROM moments')).toEqual({ n: 1 })
    await using later = await open()
    expect(await readOne(later, 'SELECT n FROM moments')).toEqual({ n: 2 })
  })

  test('many rows come in pieces, and may be left before their end', async () => {
    await using session = await open()
    let rows = 0
    for await (const piece of session.rows('SELECT seq, REPEAT("x", 10000) FROM seq_1_to_100000')) {
      expect(piece.rows.length).toBeLessThanOrEqual(1000)
      rows += piece.rows.length
      if (rows > 2000) break
    }
    expect(rows).toBeGreaterThan(2000)
  })

  test('a connection that breaks while rows come can be made again', async () => {
    await using session = await open()
    const read = async () => {
      for await (const { rows } of session.rows('SELECT REPEAT("y", 10000) FROM seq_1_to_100000')) {
        expect(rows).not.toEqual([])
        await started().run(
          `SELECT CONCAT('KILL ', id) INTO @kill FROM information_schema.processlist WHERE user = 'shop' AND info LIKE '%"y"%';
           EXECUTE IMMEDIATE COALESCE(@kill, 'SELECT 1');`,
        )
      }
    }
    expect(await faultOf(read)).toMatch(
      /^SOURCE_UNAVAILABLE: flow "shop": MySQL cannot be read now/,
    )
  })

  test('a server that is away can be tried again; one that says no cannot', async () => {
    const away = `mysql://u:geheim@127.0.0.1:${await freePort()}/d`
    expect(await faultOf(() => open(away))).toMatch(
      /^SOURCE_UNAVAILABLE: flow "shop": MySQL cannot be read now: .*ECONNREFUSED/,
    )
    expect(await faultOf(() => open(started().url('geheim')))).toMatch(
      /^SOURCE_REFUSED: flow "shop": MySQL refuses: Access denied for user 'shop'@/,
    )
    expect(await faultOf(() => one('no_such_column'))).toMatch(
      /^SOURCE_REFUSED: flow "shop": MySQL refuses: Unknown column 'no_such_column'/,
    )
    await started().run('CREATE TABLE kept (n INT);')
    const write = async () => {
      await using session = await open()
      await readAll(session, 'DELETE FROM kept')
    }
    expect(await faultOf(write)).toMatch(/^SOURCE_REFUSED: /)
  })
})
