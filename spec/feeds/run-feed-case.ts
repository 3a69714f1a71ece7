import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TidemarkError } from '../../src/core/errors.ts'
import { isRefusal } from '../../src/core/refusal.ts'
import type { Value } from '../../src/core/value.ts'
import { messageFormat, MESSAGE_FORMAT_NAMES } from '../../src/formats/message-formats.ts'
import type { Message } from '../../src/formats/message.ts'
import { dumpLine } from '../../src/formats/topic-dump.ts'
import { SchemaRegistry } from '../../src/sources/schema-registry/schema-registry.ts'
import { isArray, isObject, type Json, type JsonObject } from '../conformance/json.ts'
import { brokerOf } from '../kafka/feed-case-broker.ts'
import { CaseRun, type Outcome, type Place } from './case-run.ts'
import { comparable, expected, showsSequence } from './comparable.ts'
import { textOf, type FeedCase, type FeedRecord } from './feed-case.ts'
import { flowOptionsOf, formatOfCase } from './flow-of-case.ts'
import { registryServerOf } from './registry-of-case.ts'
import {
  compareCheckpoints,
  compareFault,
  compareSituation,
  listed,
  situationOf,
} from './situation.ts'

/** Runs a case and says what differs; nothing if it passed. @throws Error where it cannot be run */
export async function runFeedCase(feed: FeedCase): Promise<readonly string[]> {
  if (feed.broker !== null) return compareSituation(feed, await situationOf(feed))
  if (feed.expect['error'] !== undefined) return stopped(feed)
  if (feed.expect['append'] !== undefined) return compareAppended(feed, await decoded(feed))

  const differences: string[] = []
  for (const kind of [1, 2] as const) {
    const wanted = feed.expect[`scd${kind}`]
    if (!isArray(wanted) && kind === 2) continue
    for (const way of WAYS) {
      const outcome = await applied(feed, kind, way)
      const what = `scd${kind} from ${way.what}`
      if (isArray(wanted)) differences.push(...compareRows(what, outcome.rows, wanted))
      for (const places of ['quarantine', 'ignored', 'unknown'] as const) {
        differences.push(
          ...comparePlaces(`${what}, ${places}`, outcome[places], feed.expect[places]),
        )
      }
      if (way.what === 'a broker') {
        differences.push(...compareCheckpoints(outcome.checkpoints, feed.expect['checkpoint']))
      }
    }
  }
  return differences
}

/** How the records of a case can reach a flow. */
type Way = {
  readonly what: 'a dump' | 'a broker'
  readonly run: <T>(
    feed: FeedCase,
    work: (source: object, base: string) => Promise<T>,
  ) => Promise<T>
}

const FROM_A_DUMP: Way = {
  what: 'a dump',
  run: (feed, work) =>
    inDirectory(async (base) => {
      const lines = feed.records.map((each) => `${dumpLine(messageOf(each))}\n`)
      await writeFile(join(base, 'topic.ndjson'), lines.join(''))
      return work({ files: 'topic.ndjson', dump: true, format: formatOfCase(feed) }, base)
    }),
}

const FROM_A_BROKER: Way = {
  what: 'a broker',
  run: (feed, work) =>
    inDirectory(async (base) => {
      await using broker = await brokerOf(feed)
      const topics = [...new Set(feed.records.map(({ topic }) => topic))]
      const kafka = { brokers: [broker.address], topics }
      return await work({ kafka, format: formatOfCase(feed) }, base)
    }),
}

const WAYS = [FROM_A_DUMP, FROM_A_BROKER]

async function inDirectory<T>(work: (base: string) => Promise<T>): Promise<T> {
  const base = await mkdtemp(join(tmpdir(), 'tidemark-feed-'))
  try {
    return await work(base)
  } finally {
    await rm(base, { recursive: true })
  }
}

/** Feeds the records of a case through a flow into a store. */
function applied(feed: FeedCase, kind: 1 | 2, way: Way): Promise<Outcome> {
  return way.run(feed, async (source, base) => {
    await using registry = await registryServerOf(feed)
    const options = registry === null ? {} : { registry: { url: registry.url } }
    await using run = new CaseRun(
      {
        target: 'target',
        stored_as_scd_type: kind,
        ...flowOptionsOf(feed),
        source: { ...source, ...options },
      },
      base,
    )
    await run.bounded()
    return run.outcome()
  })
}

/** What stops the run where something that it needs is not to be had, and that it stays where it was. */
function stopped(feed: FeedCase): Promise<string[]> {
  return FROM_A_BROKER.run(feed, async (source, base) => {
    // Nobody listens there.
    const registry = { url: 'http://127.0.0.1:9' }
    const flow = { target: 'target', keys: ['id'], sequence_by: '_offset', ...flowOptionsOf(feed) }
    await using run = new CaseRun({ ...flow, source: { ...source, registry } }, base)
    const fault = await run.bounded().then(
      () => null,
      (error: unknown) => {
        if (error instanceof TidemarkError) return { code: error.code, text: error.message }
        throw error
      },
    )
    const { rows, checkpoints } = run.outcome()
    return [
      ...compareFault(fault, feed.expect['error']),
      ...compareRows('rows', rows, []),
      ...compareCheckpoints(checkpoints, feed.expect['checkpoint']),
    ]
  })
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
        rows.push(new Map(shape.names.map((column, i) => [column, values.at(i) ?? null])))
      }
  }
  return { rows, quarantine, ignored, unknown: [], checkpoints: {} }
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
  return `${what}: got ${listed(ours)}, and not ${listed(theirs)}`
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

function messageOf({ topic, partition, offset, key, value, headers }: FeedRecord): Message {
  return { stream: { name: topic, partition }, offset, key, value, headers, timestamp: null }
}
