import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRefusal } from '../../src/core/refusal.ts'
import type { Value } from '../../src/core/value.ts'
import { messageFormat, MESSAGE_FORMAT_NAMES } from '../../src/formats/message-formats.ts'
import { dumpLine } from '../../src/formats/topic-dump.ts'
import type { Message } from '../../src/formats/message.ts'
import { readRows } from '../../src/inspect/rows.ts'
import { Engine } from '../../src/pipeline/engine.ts'
import { parseFlowFile } from '../../src/pipeline/flow-spec.ts'
import type { SourceRecord } from '../../src/ports/source.ts'
import { SchemaRegistry } from '../../src/sources/schema-registry/schema-registry.ts'
import { SqliteExpressions } from '../../src/stores/sqlite/expressions/sqlite-expressions.ts'
import { openSource, openStore, systemClock } from '../../src/wire.ts'
import { isArray, isObject, type Json, type JsonObject } from '../conformance/json.ts'
import { comparable, expected, showsSequence } from './comparable.ts'
import { textOf, type FeedCase, type FeedRecord } from './feed-case.ts'
import { flowOptionsOf, formatOfCase } from './flow-of-case.ts'
import { registryServerOf } from './registry-of-case.ts'

/** What a table and the places of records came to. */
type Outcome = {
  readonly rows: readonly ReadonlyMap<string, Value>[]
  readonly quarantine: readonly Place[]
  readonly ignored: readonly Place[]
  readonly unknown: readonly Place[]
}

/** A place, as cases name it with or without the topic. */
type Place = { readonly topic: string; readonly short: string }

/** Runs a case and says what differs; nothing if it passed. @throws Error where it cannot be run */
export async function runFeedCase(feed: FeedCase): Promise<readonly string[]> {
  if (feed.broker !== null) throw new Error('needs a broker')
  if (feed.expect['append'] !== undefined) return compareAppended(feed, await decoded(feed))

  const differences: string[] = []
  for (const kind of [1, 2] as const) {
    const wanted = feed.expect[`scd${kind}`]
    if (!isArray(wanted) && kind === 2) continue
    const outcome = await applied(feed, kind)
    if (isArray(wanted)) differences.push(...compareRows(`scd${kind}`, outcome.rows, wanted))
    for (const what of ['quarantine', 'ignored', 'unknown'] as const) {
      differences.push(...comparePlaces(`scd${kind} ${what}`, outcome[what], feed.expect[what]))
    }
  }
  return differences
}

/** Feeds the records of a case, dumped to a file, through a flow into a store. */
async function applied(feed: FeedCase, kind: 1 | 2): Promise<Outcome> {
  const base = await mkdtemp(join(tmpdir(), 'tidemark-feed-'))
  await using registry = await registryServerOf(feed)
  try {
    await writeFile(
      join(base, 'topic.ndjson'),
      feed.records.map((each) => `${dumpLine(messageOf(each))}\n`).join(''),
    )
    const file = parseFlowFile(
      {
        store: { sqlite: 'store.db' },
        flows: [
          {
            target: 'target',
            stored_as_scd_type: kind,
            ...flowOptionsOf(feed),
            source: {
              files: 'topic.ndjson',
              dump: true,
              format: formatOfCase(feed),
              ...(registry === null ? {} : { registry: { url: registry.url } }),
            },
          },
        ],
      },
      base,
    )
    const ignored: Place[] = []
    const unknown: Place[] = []
    using store = openStore(file, 'write')
    using expressions = new SqliteExpressions()
    const engine = new Engine(file, {
      store,
      clock: systemClock,
      expressions,
      openSource: (flow) => openSource(flow, base),
      observer: {
        onOutcome: (_, record, { kind: became }) => {
          if (became === 'ignored') ignored.push(placeOf(record))
        },
        onUnknown: (_, values) => {
          unknown.push(...values.map(({ record }) => placeOf(record)))
        },
      },
    })
    await engine.run({
      flows: file.flows,
      mode: 'bounded',
      signal: new AbortController().signal,
      fromNow: false,
      onBatch: () => undefined,
    })
    const facts = store.target('target')
    const quarantine = [...store.quarantine(null)].map(({ stream, partition, number }) => ({
      topic: stream,
      short: `${partition}:${number}`,
    }))
    const rows = facts === null ? [] : [...readRows(store, facts, {})].map(asMap)
    return { rows, quarantine, ignored, unknown }
  } finally {
    await rm(base, { recursive: true })
  }
}

/** The rows that the decoder alone gives. */
async function decoded(feed: FeedCase): Promise<Outcome> {
  const name = MESSAGE_FORMAT_NAMES.find((each) => each === formatOfCase(feed))
  if (name === undefined) throw new Error(`no format ${formatOfCase(feed)}`)
  await using registry = await registryServerOf(feed)
  const format = messageFormat(name, {
    unavailableValue: '__debezium_unavailable_value',
    ...(registry === null ? {} : { schemas: new SchemaRegistry({ url: registry.url }) }),
  })
  const messages = feed.records.map(messageOf)
  await format.prepare?.(messages)
  const rows: ReadonlyMap<string, Value>[] = []
  const quarantine: Place[] = []
  const ignored: Place[] = []
  for (const message of messages) {
    const image = format.decode(message)
    const place = {
      topic: message.stream.name,
      short: `${message.stream.partition}:${message.offset}`,
    }
    if (isRefusal(image)) quarantine.push(place)
    else if (image.kind === 'ignored') ignored.push(place)
    else
      for (const { shape, values } of image.kind === 'images' ? image.images : [image]) {
        rows.push(new Map(shape.names.map((column, i) => [column, values[i] ?? null])))
      }
  }
  return { rows, quarantine, ignored, unknown: [] }
}

function compareAppended({ expect }: FeedCase, outcome: Outcome): string[] {
  const wanted = isArray(expect['append']) ? expect['append'] : []
  const ours = outcome.rows.map(drawn)
  const theirs = wanted.map((row) => drawnExpected(isObject(row) ? row : {}))
  const rows =
    JSON.stringify(ours) === JSON.stringify(theirs) ? [] : [unlike('append', ours, theirs)]
  return [...rows, ...comparePlaces('append quarantine', outcome.quarantine, expect['quarantine'])]
}

function compareRows(
  what: string,
  rows: readonly ReadonlyMap<string, Value>[],
  wanted: readonly Json[],
): string[] {
  const open = [...rows]
  const missing = wanted.filter((row) => {
    const at = open.findIndex((candidate) => isObject(row) && isRow(candidate, row))
    if (at >= 0) open.splice(at, 1)
    return at < 0
  })
  if (open.length === 0 && missing.length === 0) return []
  return [
    unlike(
      what,
      open.map(drawn),
      missing.map((row) => drawnExpected(isObject(row) ? row : {})),
    ),
  ]
}

/** Whether a row has these values and no others; a column that the case does not name is null. */
function isRow(row: ReadonlyMap<string, Value>, wanted: JsonObject): boolean {
  const named = Object.entries(wanted).every(([name, value]) => {
    const bound = BOUNDS.get(name)
    if (bound !== undefined) return isBound(row.get(bound) ?? null, value)
    return row.has(name) && comparable(row.get(name) ?? null) === expected(value)
  })
  const others = [...row].filter(([name]) => !Object.hasOwn(wanted, name) && !name.startsWith('__'))
  return named && others.every(([, value]) => value === null)
}

const BOUNDS: ReadonlyMap<string, string> = new Map([
  ['_from', '__START_AT'],
  ['_to', '__END_AT'],
])

function isBound(value: Value, shown: Json): boolean {
  return shown === null || value === null ? shown === value : showsSequence(value, shown)
}

function comparePlaces(what: string, places: readonly Place[], wanted: Json | undefined): string[] {
  if (!isArray(wanted)) return []
  const theirs = wanted.map((each) => textOf(isObject(each) ? each['at'] : each)).sort()
  const ours = places
    .map(({ topic, short }) =>
      theirs.some((at) => at === `${topic}:${short}`) ? `${topic}:${short}` : short,
    )
    .sort()
  return JSON.stringify(ours) === JSON.stringify(theirs) ? [] : [unlike(what, ours, theirs)]
}

function unlike(what: string, ours: readonly string[], theirs: readonly string[]): string {
  return `${what}: got ${ours.join('; ') || 'nothing'}, and not ${theirs.join('; ') || 'nothing'}`
}

function drawn(row: ReadonlyMap<string, Value>): string {
  return [...row]
    .map(([name, value]) => `${name}=${comparable(value)}`)
    .sort()
    .join(' ')
}

function drawnExpected(row: JsonObject): string {
  return Object.entries(row)
    .map(([name, value]) => `${name}=${expected(value)}`)
    .sort()
    .join(' ')
}

function asMap({
  names,
  values,
}: {
  names: readonly string[]
  values: readonly Value[]
}): ReadonlyMap<string, Value> {
  return new Map(names.map((name, i) => [name, values[i] ?? null]))
}

function placeOf({ stream, number }: SourceRecord): Place {
  return { topic: stream.name, short: `${stream.partition}:${number}` }
}

function messageOf({ topic, partition, offset, key, value, headers }: FeedRecord): Message {
  return { stream: { name: topic, partition }, offset, key, value, headers, timestamp: null }
}
