import { expect, test } from 'vitest'
import { jsonValue, parseExactJson } from '../../../src/core/json.ts'
import {
  UNAVAILABLE_VALUE,
  UnavailableValue,
} from '../../../src/formats/debezium/unavailable-value.ts'
import { rows } from '../feed-drawing.ts'

const BASE64 = 'X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ=='
const HEX = '5f5f646562657a69756d5f756e617661696c61626c655f76616c7565'
const CODES = [...Buffer.from(UNAVAILABLE_VALUE)]

function stands(json: unknown, placeholder = UNAVAILABLE_VALUE): boolean {
  const parsed = parseExactJson(JSON.stringify(json))
  return 'node' in parsed && new UnavailableValue(placeholder).stands(jsonValue(parsed.node))
}

test('an unavailable value stands in the type of its column', () => {
  const forms = [
    UNAVAILABLE_VALUE,
    BASE64,
    HEX,
    [UNAVAILABLE_VALUE],
    ['b68a35a7-17ad-35b3-af2a-ae46edb4545a'],
    [BASE64],
    CODES,
    { [UNAVAILABLE_VALUE]: UNAVAILABLE_VALUE },
    JSON.stringify({ [UNAVAILABLE_VALUE]: UNAVAILABLE_VALUE }),
    { wkb: 'AQEAACDmEAAAAAAA/IPXl8EAAAD8g9eXwQ==', srid: 4326 },
  ]
  expect(forms.map((form) => stands(form))).toEqual(forms.map(() => true))
  expect(new UnavailableValue(UNAVAILABLE_VALUE).stands({ type: 'bytes', text: HEX })).toBe(true)
})

test('what only contains it is data', () => {
  const data = [
    `${UNAVAILABLE_VALUE}!`,
    ['a', UNAVAILABLE_VALUE],
    [UNAVAILABLE_VALUE, UNAVAILABLE_VALUE],
    [],
    [...CODES, 1],
    CODES.toReversed(),
    { k: UNAVAILABLE_VALUE },
    { [UNAVAILABLE_VALUE]: UNAVAILABLE_VALUE, k: 'v' },
    null,
    95,
  ]
  expect(data.map((form) => stands(form))).toEqual(data.map(() => false))
})

test('the placeholder is what the connector is configured with, text or bytes', () => {
  expect(stands('n/a', 'n/a')).toBe(true)
  expect(stands('bi9h', 'n/a')).toBe(true)
  expect(stands('n/a', 'hex:6e2f61')).toBe(true)
  expect(stands(UNAVAILABLE_VALUE, 'n/a')).toBe(false)
})

test('its cell is null, and the column is named', () => {
  const after = { id: 1, bio: UNAVAILABLE_VALUE, tags: [UNAVAILABLE_VALUE], n: 2 }
  const value = { after, op: 'u', source: { connector: 'postgresql', lsn: 5 } }
  expect(rows('debezium-json', { key: { id: 1 }, value })).toEqual([
    'upsert (5) key id unavailable bio, tags: id=1 bio=null tags=null n=2',
  ])
})
