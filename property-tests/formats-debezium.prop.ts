import fc from 'fast-check'
import { expect, test } from 'vitest'
import { numberText } from '../src/core/number.ts'
import { isTagged } from '../src/core/value.ts'
import type { Value } from '../src/core/value.ts'
import { UNAVAILABLE_VALUE } from '../src/formats/debezium/unavailable-value.ts'
import { messageFormat } from '../src/formats/message-formats.ts'
import type { Message, MessageFormat } from '../src/formats/message.ts'
import { valuesOf } from '../src/ports/source.ts'
import type { Decoded } from '../src/ports/source.ts'
import { connectCell } from './models/connect-json.ts'
import type { Cell } from './models/connect-json.ts'

const numRuns = Number(process.env['FC_RUNS'] ?? 300)

const NAMES = ['debezium-json', 'debezium-json-flat', 'connect-json'] as const

const formats = (): readonly MessageFormat[] =>
  NAMES.map((name) => messageFormat(name, { unavailableValue: UNAVAILABLE_VALUE }))

test('whatever the bytes are, a message becomes rows, is ignored, or is refused', () => {
  fc.assert(
    fc.property(part(), part(), part(), (key, value, header) => {
      for (const format of formats()) {
        expect(KINDS).toContain(format.decode(message(key, value, header)).kind)
      }
    }),
    { numRuns },
  )
})

test('a broken change is read or refused, and changes nothing for the next one', () => {
  fc.assert(
    fc.property(row(), fc.array(damage(), { minLength: 1, maxLength: 3 }), (cells, damages) => {
      const whole = Buffer.from(change(cells))
      const broken = damages.reduce(damaged, whole)
      for (const format of formats()) {
        const before = drawn(format.decode(message(null, whole)))
        expect(KINDS).toContain(format.decode(message(broken, broken, broken)).kind)
        expect(drawn(format.decode(message(null, whole)))).toEqual(before)
      }
    }),
    { numRuns },
  )
})

test('a row comes out of its envelope equal by type and content, the first time and later', () => {
  fc.assert(
    fc.property(fc.array(row(), { minLength: 1, maxLength: 4 }), (rows) => {
      const format = messageFormat('debezium-json', { unavailableValue: UNAVAILABLE_VALUE })
      const changes = [...rows, ...rows]
      const read = changes.map((cells) => format.decode(message(null, Buffer.from(change(cells)))))
      expect(read.map(drawn)).toEqual(changes.map((cells) => cells.map(({ is }) => is)))
    }),
    { numRuns },
  )
})

const KINDS = ['image', 'ignored', 'refusal']

/** Few columns: what can go wrong lies in one. */
function row(): fc.Arbitrary<readonly Cell[]> {
  return fc.array(connectCell(), { maxLength: 3 })
}

/** A creation with its schema, as JSON text. */
function change(cells: readonly Cell[]): string {
  const fields = cells.map(({ schema }, i) => ({ ...schema, field: `c${i}` }))
  const rowSchema = { type: 'struct', fields, optional: true, name: 'srv.t.Value' }
  const schema = {
    type: 'struct',
    fields: [
      { ...rowSchema, field: 'before' },
      { ...rowSchema, field: 'after' },
      { type: 'string', field: 'op' },
    ],
    name: 'srv.t.Envelope',
  }
  const after = cells.map(({ json }, i) => `"c${i}":${json}`).join(',')
  const source = '"source":{"connector":"postgresql","name":"srv","ts_ms":1,"lsn":5}'
  return `{"schema":${JSON.stringify(schema)},"payload":{"before":null,"after":{${after}},${source},"op":"c"}}`
}

/** Bytes of any kind, JSON more often than not, with the words that mean something. */
function part(): fc.Arbitrary<Buffer | null> {
  const json = fc
    .json({ depthSize: 'small', stringUnit: 'binary' })
    .map((text) => Buffer.from(text))
  const object = fc
    .dictionary(fc.constantFrom(...WORDS), fc.oneof(fc.jsonValue(), fc.constantFrom(...TEXTS)))
    .map((value) => Buffer.from(JSON.stringify(value)))
  const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array))
  return fc.oneof({ weight: 3, arbitrary: object }, json, bytes, fc.constant(null))
}

const WORDS = [
  'schema payload type fields op before after source ts_ms id status ddl databaseName',
  '__op __deleted __lsn __source_file',
].flatMap((words) => words.split(' '))
const TEXTS = ['c', 'u', 'd', 'r', 't', 'm', 'true', 'struct', 'BEGIN', UNAVAILABLE_VALUE]

type Damage = { readonly at: number; readonly cut: number; readonly put: string }

function damage(): fc.Arbitrary<Damage> {
  return fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    cut: fc.integer({ min: 0, max: 12 }),
    put: fc.constantFrom(
      '',
      '"',
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '\\',
      '0',
      '-',
      'null',
      '\u00e9',
      ' ',
    ),
  })
}

function damaged(bytes: Buffer, { at, cut, put }: Damage): Buffer {
  const from = Math.floor(at * bytes.length)
  return Buffer.concat([bytes.subarray(0, from), Buffer.from(put), bytes.subarray(from + cut)])
}

function message(key: Buffer | null, value: Buffer | null, header?: Buffer | null): Message {
  const stream = { name: 'srv.t', partition: 0 }
  const headers = ['__debezium.oldkey', '__op'].map((name) => [name, header ?? null] as const)
  return { stream, offset: 3, key, value, headers, timestamp: null }
}

/** The cells of an image as the model spells them; anything else as it is. */
function drawn(decoded: Decoded): unknown {
  return decoded.kind === 'image' ? valuesOf(decoded).map(spelled) : decoded
}

function spelled(value: Value): string {
  if (value === null) return 'null'
  if (typeof value === 'string') return `text:${value}`
  if (typeof value === 'boolean') return `boolean:${value}`
  if (!isTagged(value) || value.type === 'decimal') return `number:${numberText(value)}`
  return `${value.type}:${value.text}`
}
