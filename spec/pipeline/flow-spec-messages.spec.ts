import { expect, test } from 'vitest'
import { TidemarkError } from '../../src/core/errors.ts'
import { describeFlow, parseFlowFile } from '../../src/pipeline/flow-spec.ts'
import type { FlowFile, FlowSpec } from '../../src/pipeline/flow-spec-type.ts'

const CLUSTER = { brokers: 'localhost:9092', topics: 'crm.public.users' }

function flowsOf(...flows: readonly Readonly<Record<string, unknown>>[]): readonly FlowSpec[] {
  return parseFlowFile({ store: { sqlite: 'w.db' }, flows }, '/').flows
}

function faultOf(...flows: readonly Readonly<Record<string, unknown>>[]): string {
  try {
    flowsOf(...flows)
  } catch (error) {
    if (error instanceof TidemarkError) return error.message
    throw error
  }
  return 'nothing wrong'
}

test('a format that knows the keys, the order and the time fills them in', () => {
  const [flow] = flowsOf({
    target: 'users',
    stored_as_scd_type: 2,
    source: { kafka: CLUSTER, format: 'debezium-mongodb' },
  })
  expect([flow?.keys, flow?.sequence_by.parts[0]?.column, flow?.time_by]).toEqual([
    [],
    '_sequence',
    '_time',
  ])
})

test('what a flow says itself holds', () => {
  const [flow] = flowsOf({
    target: 'users',
    keys: ['id'],
    sequence_by: 'ts',
    source: { kafka: CLUSTER, format: 'maxwell-json' },
  })
  expect([flow?.keys, flow?.sequence_by.parts[0]?.column, flow?.time_by]).toEqual([
    ['id'],
    'ts',
    null,
  ])
})

test('rows of a topic say neither what orders them nor what their key is', () => {
  expect(faultOf({ target: 'users', source: { kafka: CLUSTER, format: 'json' } })).toBe(
    'SPEC_INVALID: 2 problems\n  flows[0].keys: is required\n  flows[0].sequence_by: is required',
  )
})

test('a file may hold messages: bare values, or a topic that was dumped', () => {
  const source = { files: 'topic.ndjson', format: 'canal-json', dump: true }
  const [flow] = flowsOf({ target: 'users', source })
  expect([flow?.source.kind, flow?.keys]).toEqual(['files', []])
})

test('flows into one target are of one order at one epoch, however their records are encoded', () => {
  const flow = (name: string, format: string, epoch = 0, more = {}) => ({
    name,
    target: 'users',
    keys: 'id',
    source: { kafka: CLUSTER, format, epoch, registry: { url: 'http://registry:8081' } },
    ...more,
  })
  const whose =
    'flows into one target agree on whose order is that of an epoch (give one of them a higher `epoch`, or all `sequence_by`)'
  expect(faultOf(flow('a', 'debezium-json'), flow('b', 'maxwell-json'))).toBe(
    `FLOWS_DISAGREE: flows[1].source: ${whose}, but flow "b" has that of Maxwell at 0, and flow "a" has that of Debezium at 0`,
  )
  const later = [flow('b', 'maxwell-json', 1), flow('c', 'canal-json', 1)]
  expect(faultOf(flow('a', 'debezium-json'), ...later)).toBe(
    `FLOWS_DISAGREE: flows[2].source: ${whose}, but flow "c" has that of Canal at 1, and flow "b" has that of Maxwell at 1`,
  )
  expect(
    [
      [flow('a', 'debezium-json'), flow('b', 'debezium-avro'), flow('c', 'debezium-json-flat')],
      [flow('a', 'debezium-json'), flow('b', 'maxwell-json', 1)],
      [
        flow('a', 'debezium-json', 0, { sequence_by: 'at' }),
        flow('b', 'maxwell-json', 0, { sequence_by: 'at' }),
      ],
    ].map((flows) => faultOf(...flows)),
  ).toEqual(['nothing wrong', 'nothing wrong', 'nothing wrong'])
})

test('a cluster is reached as it is told', () => {
  const [flow] = flowsOf({
    target: 'users',
    keys: 'id',
    sequence_by: '_offset',
    source: {
      format: 'json',
      kafka: {
        brokers: ['a:9092', '[::1]:9092'],
        topic_pattern: '^crm\\.',
        tls: { ca: 'ca.pem' },
        sasl: { mechanism: 'scram-sha-512', username: 'u', password: 'p' },
        start: { timestamp: '2026-01-01T00:00:00Z' },
      },
    },
  })
  expect(flow?.source.kind === 'kafka' ? flow.source.kafka : null).toEqual({
    brokers: ['a:9092', '[::1]:9092'],
    topics: null,
    topic_pattern: '^crm\\.',
    client_id: 'tidemark',
    group_id: null,
    start: { from: 'timestamp', timestamp: '2026-01-01T00:00:00Z' },
    isolation: 'read_committed',
    tls: { ca: 'ca.pem', cert: null, key: null, verify: true },
    sasl: { mechanism: 'scram-sha-512', username: 'u', password: 'p' },
    metadata_max_age: 30_000,
  })
})

test('a plan shows no secret, and where one comes from', () => {
  const [flow] = flowsOf({
    target: 'users',
    source: {
      format: 'debezium-avro',
      kafka: { ...CLUSTER, sasl: { mechanism: 'plain', username: 'u', password: 'hush' } },
      registry: { url: 'http://u:hush@registry:8081', token: 'hush' },
    },
  })
  if (flow === undefined) throw new Error('no flow')
  expect(JSON.stringify(describeFlow(flow))).not.toContain('hush')
  expect(describeFlow(flow)['source']).toMatchObject({
    kafka: { sasl: { mechanism: 'plain', username: 'u', password: '***' } },
    registry: { url: 'http://u:***@registry:8081/', token: '***', password: null },
  })
})

test('a target is completed by its topic, a flow for each', () => {
  const flows = flowsOf({
    name: 'crm',
    target: '{schema}_{table}',
    source: {
      format: 'maxwell-json',
      kafka: { brokers: 'localhost:9092', topics: ['srv.inv.users', 'srv.inv.orders'] },
    },
    keys: 'id',
  })
  expect(flows.map(({ name, target }) => [name, target])).toEqual([
    ['crm/srv.inv.users', 'inv_users'],
    ['crm/srv.inv.orders', 'inv_orders'],
  ])
})

test('topics that a pattern finds complete a target as those of a list do, once they are known', () => {
  const file = patternFile({ name: 'crm', target: 'crm_{table}' })
  expect(namesOf(file)).toEqual([['crm', 'crm_{table}']])
  const found = [
    { topic: 'srv.users', isNew: false },
    { topic: 'srv.orders', isNew: true },
  ]
  expect(namesOf(file.withTopics?.(new Map([['crm', found]])))).toEqual([
    ['crm/srv.users', 'crm_users'],
    ['crm/srv.orders', 'crm_orders'],
  ])
})

test('a topic that came after the first look at its pattern begins at its oldest record', () => {
  const file = patternFile({ target: 'crm_{table}' }, { start: 'latest' })
  const found = [
    { topic: 'srv.users', isNew: false },
    { topic: 'srv.orders', isNew: true },
  ]
  const { flows } = file.withTopics?.(new Map([['crm_{table}', found]])) ?? { flows: [] }
  const starts = flows.map(({ name, source }) => [
    name,
    source.kind === 'kafka' ? source.kafka.start : null,
  ])
  expect(starts).toEqual([
    ['crm_users', { from: 'latest' }],
    ['crm_orders', { from: 'earliest' }],
  ])
})

test('found topics that give one target are refused as those of a list are', () => {
  const topics = ['a.users', 'b.users']
  const found = topics.map((topic) => ({ topic, isNew: false }))
  const file = patternFile({ target: 'crm_{table}' })
  const listed = { brokers: 'localhost:9092', topics }
  const source = { format: 'maxwell-json', kafka: listed }
  const fault = faultOf({ target: 'crm_{table}', keys: 'id', source })
  expect(fault).toContain('is what several of its topics come to; give the flow a name')
  expect(() => file.withTopics?.(new Map([['crm_{table}', found]]))).toThrow(fault)
})

test('a part that no topic has does not complete a target', () => {
  const kafka = { brokers: 'localhost:9092', topics: ['srv.inv.users', 'srv.inv.orders'] }
  const fault = (target: string) =>
    faultOf({ target, source: { format: 'maxwell-json', kafka }, keys: 'id' })
  const known = 'only {topic}, {table}, {schema}, {database}'
  expect(fault('{tabel}_x')).toBe(
    `SPEC_INVALID: flows[0].target: a topic has no {tabel} to complete the name with, ${known}; did you mean "{table}"?`,
  )
  expect(fault('{schema}_{region}')).toBe(
    `SPEC_INVALID: flows[0].target: a topic has no {region} to complete the name with, ${known}`,
  )
})

test.each([
  ['debezium_json', 'debezium-json'],
  ['parqet', 'parquet'],
])('the format "%s" is answered with the nearest known one', (format, near) => {
  const fault = faultOf({
    target: 't',
    source: { files: 'x', format },
    keys: 'id',
    sequence_by: 's',
  })
  expect(fault).toMatch(
    /^SPEC_INVALID: flows\[0\]\.source\.format: must be one of ndjson, json, csv, parquet, /,
  )
  expect(fault.split(', not ')[1]).toBe(`"${format}"; did you mean "${near}"?`)
})

test('flows into one target agree on whether the format orders their events', () => {
  const source = { kafka: CLUSTER, format: 'qlik-json' }
  expect(() =>
    flowsOf(
      { name: 'a', target: 'users', keys: 'id', source },
      { name: 'b', target: 'users', keys: 'id', sequence_by: 'n', source },
    ),
  ).toThrow('flows into one target agree on what orders their events')
})

function patternFile(flow: object, cluster: object = {}): FlowFile {
  const kafka = { brokers: 'localhost:9092', topic_pattern: '^srv', ...cluster }
  const source = { format: 'maxwell-json', kafka }
  const flows = [{ keys: 'id', ...flow, source }]
  return parseFlowFile({ store: { sqlite: 'w.db' }, flows }, '/')
}

function namesOf(file: FlowFile | undefined): readonly (readonly string[])[] {
  return file?.flows.map(({ name, target }) => [name, target]) ?? []
}

test('what is no cluster is told with its place', () => {
  const source = { format: 'json', kafka: { brokers: 'nowhere', topics: 'a b', start: 'middle' } }
  expect(faultOf({ target: 'users', keys: 'id', sequence_by: '_offset', source })).toBe(
    [
      'SPEC_INVALID: 3 problems',
      '  flows[0].source.kafka.brokers: must be a broker as host:port, not "nowhere"',
      '  flows[0].source.kafka.topics: must be the name of a topic: letters, digits, dots, - and _, not "a b"',
      '  flows[0].source.kafka.start: must be earliest, latest, { timestamp } or { offsets }, not "middle"',
    ].join('\n'),
  )
})

test('what stands where a secret belongs is not told, even where it cannot be one', () => {
  const sasl = { mechanism: 'plain', username: 'u', password: 12_345 }
  const registry = { url: 'http//u:12345@registry', password: ['12345'], token: 12_345 }
  const source = { format: 'debezium-avro', kafka: { ...CLUSTER, sasl }, registry }
  expect(faultOf({ target: 'users', source })).toBe(
    [
      'SPEC_INVALID: 4 problems',
      '  flows[0].source.kafka.sasl.password: must be text',
      '  flows[0].source.registry.url: must be the URL of a schema registry',
      '  flows[0].source.registry.password: must be a password',
      '  flows[0].source.registry.token: must be a token',
    ].join('\n'),
  )
})
