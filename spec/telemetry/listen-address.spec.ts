import { expect, test } from 'vitest'
import { addressText, listenAddress } from '../../src/telemetry/listen-address.ts'

test.each([
  ['9464', '127.0.0.1:9464'],
  [':9464', '127.0.0.1:9464'],
  ['0.0.0.0:9464', '0.0.0.0:9464'],
  ['localhost:0', 'localhost:0'],
  ['metrics-1.example:65535', 'metrics-1.example:65535'],
  ['[::1]:9464', '[::1]:9464'],
])('%s is %s', (text, address) => {
  expect(addressText(listenAddress(text))).toBe(address)
})

test.each([
  '',
  'localhost',
  'localhost:',
  '65536',
  '-1',
  '::1:9464',
  'a b:1',
  'http://a:1',
  '1:2:3',
])('the address "%s" is refused', (text) => {
  expect(() => listenAddress(text)).toThrow(
    `USAGE: ${JSON.stringify(text)} is no address to listen on; give HOST:PORT, or PORT for 127.0.0.1`,
  )
})
