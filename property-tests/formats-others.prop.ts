import fc from 'fast-check'
import { expect, test } from 'vitest'
import { messageFormat } from '../src/formats/message-formats.ts'
import type { MessageFormatName } from '../src/formats/message-formats.ts'
import type { Message } from '../src/formats/message.ts'
import { valuesOf } from '../src/ports/source.ts'
import type { Decoded, Image } from '../src/ports/source.ts'
import { FEEDS } from './arbitraries/feed-messages.ts'
import { RUNS } from './arbitraries/spellings.ts'

/** Values that envelopes may find where they expect others: each type, and names that mean something. */
const odd = fc.oneof(
  fc.constantFrom<unknown>(null, true, -1, 1.5, 2 ** 60, '', 'x', '0000-00-00', [], {}, [null]),
  fc.constantFrom<unknown>({ payload: 1, schema: {} }, { $date: 'x' }, { 'a.b': {} }, '{"_id":1}'),
  fc.json({ maxDepth: 2 }).map((text): unknown => JSON.parse(text)),
)

type Feed = readonly [name: MessageFormatName, key: unknown, value: unknown]

const feed = fc.constantFrom<Feed>(...FEEDS)

/** A message of a feed with a few of its members replaced, removed, or moved to another name. */
const mutated = fc.tuple(
  feed,
  fc.array(
    fc.record({ at: fc.nat(), by: odd, how: fc.constantFrom('replace', 'remove', 'rename') }),
    {
      maxLength: 3,
    },
  ),
)

test('F1 whatever a few members of a message are, it becomes rows, is ignored or is refused', () => {
  fc.assert(
    fc.property(mutated, ([[name, key, value], mutations]) => {
      const [changedKey, changed] = mutations.reduce(mutate, [key, value])
      expect(faultsOf(name, messageOf(bytesOf(changedKey), bytesOf(changed)))).toEqual([])
    }),
    { numRuns: RUNS.numRuns * 20 },
  )
})

test('F2 whatever bytes a message is, it becomes rows, is ignored or is refused', () => {
  const bytes = fc.oneof(
    fc.constant(null),
    fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array)),
    fc.json({ maxDepth: 3 }).map((text) => Buffer.from(text)),
  )
  fc.assert(
    fc.property(feed, bytes, bytes, ([name], key, value) => {
      expect(faultsOf(name, messageOf(key, value))).toEqual([])
    }),
    { numRuns: RUNS.numRuns * 5 },
  )
})

test('F3 every byte of a message may be broken', () => {
  fc.assert(
    fc.property(feed, fc.nat(), fc.nat({ max: 255 }), ([name, key, value], at, byte) => {
      const broken = bytesOf(value)
      broken?.writeUInt8(byte, at % broken.length)
      expect(faultsOf(name, messageOf(bytesOf(key), broken))).toEqual([])
    }),
    { numRuns: RUNS.numRuns * 5 },
  )
})

test('F4 the messages that are mutated here are rows as they are', () => {
  for (const [name, key, value] of FEEDS) {
    const decoded = decode(name, messageOf(bytesOf(key), bytesOf(value)))
    expect([name, decoded.kind]).toEqual([name, expect.stringMatching(/^images?$/)])
  }
})

function decode(name: MessageFormatName, message: Message): Decoded {
  return messageFormat(name, { unavailableValue: '__debezium_unavailable_value' }).decode(message)
}

/** What is wrong with what a message became; nothing, if all is well. Throws if decoding does. */
function faultsOf(name: MessageFormatName, message: Message): readonly string[] {
  const decoded = decode(name, message)
  expect(decode(name, message)).toEqual(decoded)
  switch (decoded.kind) {
    case 'image':
      return faultsOfImage(decoded)
    case 'images':
      return decoded.images.length === 0 ? ['no images'] : decoded.images.flatMap(faultsOfImage)
    case 'ignored':
      return decoded.reason === '' ? ['no reason'] : []
    case 'refusal':
      return CODES.has(decoded.code) && decoded.message !== '' ? [] : [`refused: ${decoded.code}`]
  }
}

const CODES: ReadonlySet<string> = new Set(['UNDECODABLE', 'ENVELOPE', 'COLUMN_TYPE'])

function faultsOfImage(image: Image): readonly string[] {
  const { shape, hint } = image
  const { values: given } = image
  const values: readonly unknown[] = Array.isArray(given) ? given : valuesOf(image)
  const named = [...(hint?.merge ?? []), ...(hint?.unavailable ?? [])]
  const all: readonly unknown[] = [...values, ...(hint?.sequence ?? []), ...(hint?.oldKey ?? [])]
  return [
    ...(values.length === shape.names.length ? [] : ['a value too many or too few']),
    ...(new Set(shape.names).size === shape.names.length ? [] : ['a column twice']),
    ...(all.includes(undefined) ? ['a value that is none'] : []),
    ...named.filter((column) => !shape.names.includes(column)),
  ]
}

type Mutation = { readonly at: number; readonly by: unknown; readonly how: string }

/** One node of the tree, the key's or the value's, in the way that the mutation says. */
function mutate(tree: readonly unknown[], { at, by, how }: Mutation): readonly unknown[] {
  let left = at % Math.max(countNodes(tree), 1)
  const visit = (node: unknown): unknown => {
    if (left === 0) {
      left -= 1
      return by
    }
    left -= 1
    if (Array.isArray(node)) return node.map(visit)
    if (typeof node !== 'object' || node === null) return node
    const members: [string, unknown][] = []
    for (const [name, member] of Object.entries(node)) {
      const isIt = left === 0
      const changed = visit(member)
      if (isIt && how === 'remove') continue
      members.push([
        isIt && how === 'rename' ? nameOf(by) : name,
        isIt && how === 'rename' ? member : changed,
      ])
    }
    return Object.fromEntries(members)
  }
  return tree.map(visit)
}

/** A member's name made of a value: `String` would throw on an object that has a member `toString`. */
function nameOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function countNodes(node: unknown): number {
  if (typeof node !== 'object' || node === null) return 1
  return Object.values(node).reduce((sum: number, member) => sum + countNodes(member), 1)
}

function messageOf(key: Buffer | null, value: Buffer | null): Message {
  const stream = { name: 'feed', partition: 0 }
  return { stream, offset: 7, key, value, headers: [], timestamp: null }
}

function bytesOf(node: unknown): Buffer | null {
  return node === null || node === undefined ? null : Buffer.from(JSON.stringify(node))
}
