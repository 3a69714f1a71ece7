import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EnvelopeFormat } from '../src/formats/envelope.ts'
import { JsonCodec } from '../src/formats/json-codec.ts'
import { JsonRecords } from '../src/formats/json-record.ts'
import { JsonRows } from '../src/formats/json-rows.ts'
import { PlainRows } from '../src/formats/plain-rows.ts'
import { valuesOf } from '../src/ports/source.ts'
import type { Decoded } from '../src/ports/source.ts'

const numRuns = Number(process.env['FC_RUNS'] ?? 300)

// Few names and few kinds of value, so that members alike and the limits of a double come up often.
const space = fc.constantFrom('', '', '', ' ', '\n', '\t', '\r\n  ')

const name = fc.constantFrom(
  '"a"',
  '"b"',
  '"\\u0061"',
  '"__proto__"',
  '"constructor"',
  '"1"',
  '"10"',
  '"a:b"',
  '"\\"{"',
  '"é"',
  '""',
)

const text = fc.constantFrom(
  '""',
  '"x:y"',
  '"\\"a\\":1"',
  '"\\\\"',
  '"{[,]}"',
  '"é€😀"',
  '"\\ud83d\\ude00"',
  '"\\ud83d"',
  '"\\uDE00x"',
  '"\\u00e9\\n"',
  '"\\x"',
  '"a\tb"',
  '"\u0000"',
)

const number = fc.oneof(
  fc.constantFrom(
    '0',
    '-0',
    '-0.0',
    '1.10',
    '01',
    '1.',
    '.5',
    '1e3',
    '1E400',
    '9007199254740991',
    '9007199254740992',
    '9007199254740993',
    '-9007199254740993',
    '123456789012345678901234567890',
    '0.1234567890123456789',
    '0.100000000000000005',
    '123456789012345.6',
    '0.000000000000001',
    '-',
    'NaN',
  ),
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
)

const { value } = fc.letrec<{ value: string; array: string; object: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    number,
    text,
    fc.constantFrom('true', 'false', 'null', 'nul', ''),
    tie('array'),
    tie('object'),
  ),
  array: fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
  object: objectOf(tie('value')),
}))

const record = fc
  .tuple(space, objectOf(value), space, fc.constantFrom('', '', '', '', '}', 'x'))
  .map((parts) => parts.join(''))

test('the fast way and the exact way read a record alike', () => {
  fc.assert(
    fc.property(record, (json) => {
      const bytes = Buffer.from(json)
      const exact = new JsonRecords().decodeExact(bytes, 0, bytes.length)
      expect(new JsonRecords().decode(bytes)).toEqual(exact)
    }),
    { numRuns },
  )
})

test('the fast way and the exact way read any bytes alike', () => {
  // Broken at one place: nearly well-formed input is where a scan goes wrong.
  const broken = fc.tuple(record, fc.nat(), fc.integer({ min: 0, max: 255 }))
  fc.assert(
    fc.property(broken, ([json, at, byte]) => {
      const bytes = Buffer.from(json)
      bytes[at % bytes.length] = byte
      const exact = new JsonRecords().decodeExact(bytes, 0, bytes.length)
      expect(new JsonRecords().decode(bytes)).toEqual(exact)
    }),
    { numRuns },
  )
})

test('records with the names of the one before are read alike, in whatever order they are asked for their values', () => {
  const lines = fc
    .uniqueArray(name, {
      minLength: 1,
      maxLength: 4,
      selector: (spelled): unknown => JSON.parse(spelled),
    })
    .chain((names) => {
      const members = names.map((spelled) =>
        fc.tuple(space, space, value).map(([a, b, v]) => `${a}${spelled}:${b}${v}${a}`),
      )
      const like = fc.tuple(...members).map((all) => `{${all.join(',')}}`)
      const first = fc.constant(`{${names.map((spelled) => `${spelled}:0`).join(',')}}`)
      return fc.tuple(
        first,
        fc.array(fc.oneof({ weight: 5, arbitrary: like }, record), { maxLength: 5 }),
      )
    })
    .map(([first, rest]) => [first, ...rest])
  const damage = fc.tuple(fc.boolean(), fc.nat(), fc.nat(), fc.integer({ min: 0, max: 255 }))
  fc.assert(
    fc.property(lines, damage, fc.nat(), (texts, [isBroken, which, at, byte], turn) => {
      const all = texts.map((each) => Buffer.from(each))
      const broken = all[which % all.length]
      if (isBroken && broken !== undefined) broken[at % broken.length] = byte
      const records = new JsonRecords()
      const decoded = all.map((bytes) => ({ bytes, image: records.decode(bytes) }))
      const turned = [...decoded.slice(turn % all.length), ...decoded.slice(0, turn % all.length)]
      for (const { bytes, image } of turned) {
        const exact = new JsonRecords().decodeExact(bytes, 0, bytes.length)
        expect(withValues(image)).toEqual(withValues(exact))
      }
    }),
    { numRuns },
  )
})

test('a record like the one before is not parsed', () => {
  const records = new JsonRecords()
  const lines = [
    '{"a":1,"b":"x"}',
    '{"a": -2.50, "b": "é\\n\\u00e9"}',
    ' { "a" : null , "b" : true } ',
  ]
  const images = lines.map((line) => records.decode(Buffer.from(line)))
  expect(images.map((image) => image.kind === 'image' && Array.isArray(image.values))).toEqual([
    true,
    false,
    false,
  ])
  expect(images.map(withValues)).toMatchObject([
    { values: [1, 'x'] },
    { values: [-2.5, 'é\né'] },
    { values: [null, true] },
  ])
})

test('the value of a message is read alike, whichever way its columns are found', () => {
  const exact = new EnvelopeFormat(new JsonCodec(), new PlainRows())
  const rows = new JsonRows()
  fc.assert(
    fc.property(fc.oneof(record, value), (json) => {
      const stream = { name: 't', partition: 0 }
      const common = { stream, offset: 0, headers: [], timestamp: null }
      const message = { ...common, key: Buffer.from('{"a":1}'), value: Buffer.from(json) }
      expect(rows.decode(message)).toEqual(exact.decode(message))
    }),
    { numRuns },
  )
})

test('a record of plain columns is read the fast way', () => {
  const plain = fc.dictionary(
    fc.constantFrom('a', 'b', 'c'),
    fc.oneof(fc.maxSafeInteger(), fc.string(), fc.boolean(), fc.constant(null)),
  )
  fc.assert(
    fc.property(plain, (columns) => {
      const bytes = Buffer.from(JSON.stringify(columns))
      fc.pre(!/\\ud/.test(bytes.toString()))
      expect(new JsonRecords().decodeFast(bytes, 0, bytes.length)).not.toBe(null)
    }),
    { numRuns },
  )
})

/** An image with its values, whether or not they wait to be decoded. */
function withValues(decoded: Decoded): unknown {
  return decoded.kind === 'image' ? { ...decoded, values: valuesOf(decoded) } : decoded
}

function objectOf(values: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const member = fc
    .tuple(space, name, space, space, values)
    .map(([a, key, b, c, v]) => `${a}${key}${b}:${c}${v}`)
  return fc.array(member, { maxLength: 4 }).map((members) => `{${members.join(',')}}`)
}
