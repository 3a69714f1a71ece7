import { expect, test } from 'vitest'
import { openTelemetry } from '../../src/index.ts'
import type { RunTelemetry, TelemetryEvent, TelemetryOptions } from '../../src/index.ts'
import { Signalled } from './signalled.ts'

const QUIET: TelemetryOptions = { log: null, level: null, metrics: null, write: () => undefined }
const STARTED: TelemetryEvent = { event: 'run_started', mode: 'continuous', flows: ['a'] }
const WARNING: TelemetryEvent = { event: 'warning', flow: 'a', message: 'look' }

test('a log has the events of its level and above', async () => {
  expect(await logged('text', null)).toEqual(['run_started', 'warning'])
  expect(await logged('text', 'warn')).toEqual(['warning'])
  expect(await logged('json', null)).toEqual(['run_started', 'warning'])
  expect(await logged('json', 'warn')).toEqual(['warning'])
  expect(await logged('json', 'error')).toEqual([])
  expect(await logged(null, 'debug')).toEqual([])
})

test('the JSON form has level, time and event, and the fields of the table and no others', async () => {
  const lines: string[] = []
  await using telemetry = await openTelemetry({ ...QUIET, log: 'json', write: keep(lines) })
  const told = { ...WARNING, password: 'hunter2' }
  telemetry.tell(told)
  expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
    {
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      event: 'warning',
      flow: 'a',
      message: 'look',
    },
  ])
})

test('a level that is none is refused', async () => {
  await expect(openTelemetry({ ...QUIET, level: 'loud' })).rejects.toThrow(
    'USAGE: TIDEMARK_LOG_LEVEL is "loud", and no level; levels are debug, info, warn, error',
  )
})

test('the endpoint answers with health, readiness and figures', async () => {
  const { telemetry, url } = await served()
  await using _ = telemetry
  expect(await get(`${url}/healthz`)).toEqual({ status: 200, type: TEXT, body: 'ok\n' })
  expect(await get(`${url}/readyz`)).toEqual({
    status: 503,
    type: 'application/json',
    body: '{"ready":false,"flows":[]}\n',
  })
  telemetry.tell(STARTED)
  telemetry.tell({ event: 'source_outage_ended', flow: 'a', seconds: 1 })
  expect(await get(`${url}/readyz?verbose`)).toEqual({
    status: 200,
    type: 'application/json',
    body: '{"ready":true,"flows":[{"flow":"a","state":"connected"}]}\n',
  })
  const { status, type, body } = await get(`${url}/metrics`)
  expect({ status, type }).toEqual({
    status: 200,
    type: 'text/plain; version=0.0.4; charset=utf-8',
  })
  expect(body).toContain('\ntidemark_flow_up{flow="a"} 1\n')
})

test('the endpoint is for reading only, and names its pages', async () => {
  const { telemetry, url } = await served()
  await using _ = telemetry
  expect(await get(`${url}/`)).toEqual({
    status: 404,
    type: TEXT,
    body: 'see /metrics, /healthz, /readyz\n',
  })
  expect(await get(`${url}/metrics`, 'POST')).toEqual({
    status: 405,
    type: TEXT,
    body: 'only to be read\n',
  })
  expect(await get(`${url}/healthz`, 'HEAD')).toEqual({ status: 200, type: TEXT, body: '' })
})

test('a lag that is watched makes a flow ready, and is gone when it is watched no more', async () => {
  const { telemetry, url } = await served()
  await using _ = telemetry
  telemetry.tell(STARTED)
  const asked = new Signalled()
  const watching = telemetry.watch('a', () => {
    asked.resolve()
    return Promise.resolve([{ name: 't', partition: 2, behind: 9, unit: 'records' }])
  })
  await asked.promise
  const during = await get(`${url}/metrics`)
  expect(during.body).toContain('\ntidemark_lag_records{flow="a",topic="t",partition="2"} 9\n')
  expect((await get(`${url}/readyz`)).status).toBe(200)
  watching[Symbol.dispose]()
  expect((await get(`${url}/metrics`)).body).not.toContain('tidemark_lag_records{')
})

test('an address that is taken is to be tried again, one that cannot be had is a mistake', async () => {
  const { telemetry, url } = await served()
  await using _ = telemetry
  const taken = url.replace('http://', '')
  await expect(openTelemetry({ ...QUIET, metrics: taken })).rejects.toThrow(
    `ADDRESS_IN_USE: another process listens on ${taken}`,
  )
  await expect(openTelemetry({ ...QUIET, metrics: '192.0.2.1:0' })).rejects.toThrow(
    'USAGE: nothing can listen on 192.0.2.1:0: ',
  )
})

test('nothing answers after the end, whoever is still connected', async () => {
  const { telemetry, url } = await served()
  await get(`${url}/healthz`)
  await telemetry[Symbol.asyncDispose]()
  await expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed')
})

const TEXT = 'text/plain; charset=utf-8'

async function logged(
  log: TelemetryOptions['log'],
  level: string | null,
): Promise<readonly (string | undefined)[]> {
  const lines: string[] = []
  await using telemetry = await openTelemetry({ ...QUIET, log, level, write: keep(lines) })
  telemetry.tell(STARTED)
  telemetry.tell(WARNING)
  return lines.map((line) => /run_started|warning/.exec(line)?.[0])
}

/** A telemetry with an endpoint on a free port. */
async function served(): Promise<{ readonly telemetry: RunTelemetry; readonly url: string }> {
  const lines: string[] = []
  const telemetry = await openTelemetry({ ...QUIET, log: 'json', metrics: '0', write: keep(lines) })
  const { host, port } = JSON.parse(lines.join('')) as { host: string; port: number }
  return { telemetry, url: `http://${host}:${port}` }
}

async function get(url: string, method = 'GET') {
  const response = await fetch(url, { method })
  const type = response.headers.get('content-type')
  return { status: response.status, type, body: await response.text() }
}

function keep(lines: string[]): (line: string) => void {
  return (line) => lines.push(line)
}
