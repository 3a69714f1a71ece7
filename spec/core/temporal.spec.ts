import { expect, test } from 'vitest'
import {
  asInstant,
  dateFromEpochDays,
  localTimestampFromEpoch,
  microsOf,
  parseDate,
  parseLocalTimestamp,
  parseTime,
  parseTimestamp,
  timeFromMidnight,
  timestampFromEpoch,
  timestampFromMicros,
} from '../../src/core/temporal.ts'

test('a timestamp is an instant, spelled in UTC', () => {
  expect(parseTimestamp('2026-01-02T03:04:05Z')).toEqual(instant('2026-01-02T03:04:05Z'))
  expect(parseTimestamp('2026-01-02T03:04:05+02:00')).toEqual(instant('2026-01-02T01:04:05Z'))
  expect(parseTimestamp('2026-01-01T23:30:00-01:30')).toEqual(instant('2026-01-02T01:00:00Z'))
})

test('a timestamp without offset is UTC, a date is its midnight', () => {
  expect(parseTimestamp('2026-01-02T03:04:05')).toEqual(instant('2026-01-02T03:04:05Z'))
  expect(parseTimestamp('2026-01-02')).toEqual(instant('2026-01-02T00:00:00Z'))
})

test('a timestamp is read in all the ways that ISO and SQL spell it', () => {
  const spellings = [
    '2026-01-02t03:04:00z',
    '2026-01-02 03:04Z',
    '2026-01-02 03:04:00',
    '2026-01-02 04:04:00+01',
    '2026-01-02 04:04:00 +01:00',
    '2026-01-02T04:04:00.000+0100',
    '2026-01-02T03:04:00-00:00',
  ]
  expect(spellings.map(parseTimestamp)).toEqual(
    spellings.map(() => instant('2026-01-02T03:04:00Z')),
  )
})

test('a fraction keeps all its digits but trailing zeros', () => {
  expect(parseTimestamp('2026-01-02T03:04:05.6780Z')).toEqual(instant('2026-01-02T03:04:05.678Z'))
  expect(parseTimestamp('2026-01-02T03:04:05,5Z')).toEqual(instant('2026-01-02T03:04:05.5Z'))
  expect(parseTimestamp('2026-01-02T03:04:05.000Z')).toEqual(instant('2026-01-02T03:04:05Z'))
  expect(parseTimestamp('2026-01-02T03:04:05.1234567890123Z')).toEqual(
    instant('2026-01-02T03:04:05.1234567890123Z'),
  )
})

test('second 60 is the next second', () => {
  expect(parseTimestamp('2016-12-31T23:59:60Z')).toEqual(instant('2017-01-01T00:00:00Z'))
  expect(parseTimestamp('2017-01-01T05:29:60.5+05:30')).toEqual(instant('2017-01-01T00:00:00.5Z'))
  expect(parseTime('12:59:60')).toEqual({ type: 'time', text: '13:00:00' })
})

test('leap years have a 29th of February', () => {
  const dates = ['2024-02-29', '2000-02-29', '2023-02-29', '1900-02-29']
  expect(dates.map(parseDate)).toEqual([date('2024-02-29'), date('2000-02-29'), null, null])
  expect(parseTimestamp('2024-03-01T00:00:00+01:00')).toEqual(instant('2024-02-29T23:00:00Z'))
  expect(parseTimestamp('1900-03-01T00:00:00+01:00')).toEqual(instant('1900-02-28T23:00:00Z'))
})

test('years have four digits before and after the shift to UTC', () => {
  expect(parseTimestamp('0001-01-01T00:00:00+01:00')).toEqual(instant('0000-12-31T23:00:00Z'))
  expect(parseTimestamp('0000-01-01T00:00:00+00:01')).toBe(null)
  expect(parseTimestamp('9999-12-31T23:59:59Z')).toEqual(instant('9999-12-31T23:59:59Z'))
  expect(parseTimestamp('9999-12-31T23:59:60Z')).toBe(null)
  expect(parseTimestamp('9999-12-31T23:59:59-00:01')).toBe(null)
})

test('what is no timestamp is null', () => {
  const spellings = [
    '',
    '2026',
    '2026-1-2',
    '2026-13-01',
    '2026-04-31',
    '2026-00-01',
    '2026-01-00',
    '2026-01-02T',
    '2026-01-02T24:00:00Z',
    '2026-01-02T03:60:00Z',
    '2026-01-02T03:04:61Z',
    '2026-01-02T03:04:05.Z',
    '2026-01-02T03:04.5Z',
    '2026-01-02T03:04:05+24:00',
    '2026-01-02T03:04:05+01:60',
    '2026-01-02T03:04:05+1',
    '2026-01-02Z',
    ' 2026-01-02',
    '2026-01-02T03:04:05Z\n',
    '+2026-01-02',
    '1767322800',
  ]
  expect(spellings.map(parseTimestamp)).toEqual(spellings.map(() => null))
})

test('a local timestamp has no zone', () => {
  expect(parseLocalTimestamp('2026-01-02 03:04:05.50')).toEqual({
    type: 'local_timestamp',
    text: '2026-01-02T03:04:05.5',
  })
  expect(parseLocalTimestamp('2026-01-02T03:04:05Z')).toBe(null)
  expect(parseLocalTimestamp('2026-01-02T03:04:05+00:00')).toBe(null)
})

test('a time of day is spelled with seconds', () => {
  expect(parseTime('03:04')).toEqual({ type: 'time', text: '03:04:00' })
  expect(parseTime('03:04:05.600')).toEqual({ type: 'time', text: '03:04:05.6' })
  expect(['3:04', '03:04:05Z', '03:60', '03:04:61', '1000:00:00'].map(parseTime)).toEqual([
    null,
    null,
    null,
    null,
    null,
  ])
})

test('a time may be the end of a day, and a span as MySQL has it', () => {
  expect(['24:00:00', '23:59:60', '-00:30', '-00:00:00.0', '838:59:59'].map(parseTime)).toEqual([
    span('24:00:00'),
    span('24:00:00'),
    span('-00:30:00'),
    span('00:00:00'),
    span('838:59:59'),
  ])
  expect(timeFromMidnight(54796945104, 'us')).toEqual(span('15:13:16.945104'))
  expect(timeFromMidnight(-1500, 'ms')).toEqual(span('-00:00:01.5'))
  expect(timeFromMidnight(86400000000000, 'ns')).toEqual(span('24:00:00'))
  expect(timeFromMidnight(3600000000, 'ms')).toBe(null)
})

test('a number of days is a date, before 1970 too', () => {
  expect([17702, -1, 0, -719528, 2932896].map(dateFromEpochDays)).toEqual([
    date('2018-06-20'),
    date('1969-12-31'),
    date('1970-01-01'),
    date('0000-01-01'),
    date('9999-12-31'),
  ])
  expect([-719529, 2932897, 0.5, 10n ** 20n].map(dateFromEpochDays)).toEqual([
    null,
    null,
    null,
    null,
  ])
})

test('dates and timestamps may be infinite', () => {
  const local = 'local_timestamp'
  expect(parseTimestamp('infinity')).toEqual(instant('infinity'))
  expect(parseTimestamp('-Infinity')).toEqual(instant('-infinity'))
  expect(parseLocalTimestamp('infinity')).toEqual({ type: local, text: 'infinity' })
  expect(parseDate('-infinity')).toEqual(date('-infinity'))
  expect(asInstant({ type: local, text: 'infinity' })).toEqual(instant('infinity'))
  expect(parseTimestamp('inf')).toBe(null)
})

test('the numbers that Debezium gives for PostgreSQL infinities are infinite', () => {
  expect(localTimestampFromEpoch(9223372036825200000n, 'us')?.text).toBe('infinity')
  expect(localTimestampFromEpoch(-9223372036832400000n, 'us')?.text).toBe('-infinity')
  expect(localTimestampFromEpoch(9223372036825200n, 'ms')?.text).toBe('infinity')
  expect(localTimestampFromEpoch(-9223372036832400n, 'ms')?.text).toBe('-infinity')
  expect(timestampFromEpoch(9223372036854775807n, 'ns')?.text).toBe('infinity')
  expect(dateFromEpochDays(-2146033979)?.text).toBe('-infinity')
  expect(dateFromEpochDays(-622191234)?.text).toBe('infinity')
  expect(dateFromEpochDays(-625821272)?.text).toBe('-infinity')
  expect(dateFromEpochDays(-2147472692)?.text).toBe('infinity')
  expect(dateFromEpochDays(-2147472691)?.text).toBe('-infinity')
  expect(dateFromEpochDays(-2147472690)).toBe(null)
  expect(timestampFromEpoch(9223372036825200001n, 'us')).toBe(null)
})

test('a number since 1970 without zone is the same, without zone', () => {
  expect(localTimestampFromEpoch(1529507596945104007n, 'ns')).toEqual({
    type: 'local_timestamp',
    text: '2018-06-20T15:13:16.945104007',
  })
})

test('a number since 1970 is a timestamp in its unit', () => {
  expect(timestampFromEpoch(1767323045, 's')).toEqual(instant('2026-01-02T03:04:05Z'))
  expect(timestampFromEpoch(1767323045678, 'ms')).toEqual(instant('2026-01-02T03:04:05.678Z'))
  expect(timestampFromEpoch(1767323045678901, 'us')).toEqual(instant('2026-01-02T03:04:05.678901Z'))
  expect(timestampFromEpoch(1767323045678901234n, 'ns')).toEqual(
    instant('2026-01-02T03:04:05.678901234Z'),
  )
  expect(timestampFromEpoch(0, 'ms')).toEqual(instant('1970-01-01T00:00:00Z'))
})

test('before 1970 and between units the number is as exact', () => {
  expect(timestampFromEpoch(-1, 'ns')).toEqual(instant('1969-12-31T23:59:59.999999999Z'))
  expect(timestampFromEpoch(-1, 's')).toEqual(instant('1969-12-31T23:59:59Z'))
  expect(timestampFromEpoch(-0.25, 's')).toEqual(instant('1969-12-31T23:59:59.75Z'))
  expect(timestampFromEpoch(-86400.5, 's')).toEqual(instant('1969-12-30T23:59:59.5Z'))
  expect(timestampFromEpoch(1.5, 'ms')).toEqual(instant('1970-01-01T00:00:00.0015Z'))
  expect(timestampFromEpoch({ type: 'decimal', text: '1767323045.1234567890123' }, 's')).toEqual(
    instant('2026-01-02T03:04:05.1234567890123Z'),
  )
})

test('a number that falls into no year of four digits is no timestamp', () => {
  expect(timestampFromEpoch(253402300799, 's')).toEqual(instant('9999-12-31T23:59:59Z'))
  expect(timestampFromEpoch(253402300800, 's')).toBe(null)
  expect(timestampFromEpoch(-62167219200, 's')).toEqual(instant('0000-01-01T00:00:00Z'))
  expect(timestampFromEpoch(-62167219201, 's')).toBe(null)
  expect(timestampFromEpoch({ type: 'decimal', text: '1e+999999999' }, 'ns')).toBe(null)
  expect(timestampFromEpoch({ type: 'decimal', text: '1e-999999999' }, 'ns')).toBe(null)
})

test('microseconds go to a timestamp and back, finer digits being cut off', () => {
  expect(timestampFromMicros(1767323045678901n)).toEqual(instant('2026-01-02T03:04:05.678901Z'))
  expect(microsOf(instant('2026-01-02T03:04:05.6789019Z'))).toBe(1767323045678901n)
  expect(microsOf(instant('1969-12-31T23:59:59.9999999Z'))).toBe(-1n)
  expect(microsOf(date('1970-01-02'))).toBe(86_400_000_000n)
})

function instant(text: string): { type: 'timestamp'; text: string } {
  return { type: 'timestamp', text }
}

function date(text: string): { type: 'date'; text: string } {
  return { type: 'date', text }
}

function span(text: string): { type: 'time'; text: string } {
  return { type: 'time', text }
}
