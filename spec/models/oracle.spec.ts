import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  canonical,
  canonicalRow,
  field,
  isArray,
  readJson,
  tableText,
  type Json,
  type JsonObject,
} from '../../property-tests/models/json.ts'
import {
  asOf,
  oracle,
  withoutSystemColumns,
  type Outcome,
} from '../../property-tests/models/oracle.ts'
import type { Delivery, FlowOptions } from '../../property-tests/models/scenario.ts'

type Case = {
  readonly name: string
  readonly flow: FlowOptions
  readonly batches: readonly (readonly JsonObject[])[]
  readonly expect: {
    readonly rows: readonly JsonObject[]
    readonly refused?: string
    readonly at_batch?: number
  }
  readonly checkpoints?: readonly {
    readonly after_batch: number
    readonly rows: readonly JsonObject[]
  }[]
  readonly as_of?: readonly {
    readonly key: Json
    readonly valid: Json
    readonly system: Json
    readonly expect: JsonObject | null
  }[]
  readonly permutable?: boolean
}

describe.each(['scd1', 'scd2', 'partial-updates', 'bitemporal', 'refusals'])('%s', (file) => {
  test.each(casesOf(file))('$name', (sample) => {
    const batches = deliver(sample)
    const outcome = oracle({ flows: [sample.flow], deliveries: batches })
    expect(tableText(outcome.rows)).toEqual(tableText(sample.expect.rows))
    expect(failure(outcome)).toEqual(expectedFailure(sample))

    for (const { after_batch: count, rows } of sample.checkpoints ?? []) {
      const until = oracle({ flows: [sample.flow], deliveries: batches.slice(0, count) })
      expect(tableText(until.rows)).toEqual(tableText(rows))
    }
    for (const question of sample.as_of ?? []) {
      expect({ ...question, expect: visible(outcome, sample.flow, question) }).toEqual({
        ...question,
        expect: question.expect && canonicalRow(question.expect),
      })
    }
    for (const deliveries of sample.permutable === true ? rearranged(batches.flat()) : []) {
      const again = oracle({ flows: [sample.flow], deliveries })
      expect(tableText(again.rows)).toEqual(tableText(sample.expect.rows))
    }
  })
})

test('all 168 cases of change events are here', () => {
  const files = ['scd1', 'scd2', 'partial-updates', 'bitemporal', 'refusals']
  expect(files.flatMap(casesOf)).toHaveLength(168)
})

function casesOf(file: string): readonly Case[] {
  const url = new URL(`../conformance/cases/${file}.json`, import.meta.url)
  return readJson(readFileSync(url, 'utf8')) as unknown as Case[]
}

function deliver({ batches }: Case): Delivery[][] {
  let number = 0
  return batches.map((batch) =>
    batch.map((record) => ({ position: { name: 'feed.ndjson', number: (number += 1) }, record })),
  )
}

/** All at once, backwards one by one, and by twos from the middle, the first half twice. */
function rearranged(deliveries: readonly Delivery[]): Delivery[][][] {
  const half = Math.ceil(deliveries.length / 2)
  const turned = [...deliveries.slice(half), ...deliveries, ...deliveries.slice(0, half)]
  const twos = turned.flatMap((_, i) => (i % 2 === 0 ? [turned.slice(i, i + 2)] : []))
  return [[[...deliveries]], deliveries.toReversed().map((delivery) => [delivery]), twos]
}

function failure({ failed, quarantine }: Outcome): { code: string; batch: number } | null {
  return failed ?? quarantine.map(({ code }) => ({ code, batch: NaN }))[0] ?? null
}

function expectedFailure({ name, expect: { refused, at_batch: batch } }: Case) {
  if (name === 'own/columns-that-sqlite-cannot-tell-apart') {
    return { code: 'COLUMN_NAME_CLASH', batch: NaN }
  }
  return refused === undefined ? null : { code: refused, batch }
}

/** The values of a key at an instant, without its keys and sequence, which a case does not repeat. */
function visible(
  { rows }: Outcome,
  flow: FlowOptions,
  { key, valid, system }: { readonly key: Json; readonly valid: Json; readonly system: Json },
): string | null {
  const wanted = canonical(isArray(key) ? key : [key])
  const own = rows.filter(
    (row) => canonical(flow.keys.map((column) => field(row, column))) === wanted,
  )
  const found = asOf(own, flow, { valid, system }).map((row) => {
    const values = Object.entries(withoutSystemColumns(row))
    const told = [...flow.keys, flow.sequence_by]
    return canonicalRow(Object.fromEntries(values.filter(([column]) => !told.includes(column))))
  })
  expect(found.length).toBeLessThanOrEqual(1)
  return found[0] ?? null
}
