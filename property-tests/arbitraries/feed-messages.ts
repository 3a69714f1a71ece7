import type { MessageFormatName } from '../../src/formats/message-formats.ts'

const SOURCE = {
  name: 'f',
  ts_ms: 1558965508000,
  ord: 3,
  db: 'd',
  collection: 'c',
  snapshot: 'false',
}

const CLOCK = '1701102311425045162.0000000010'

/** A message of every kind that the decoders tell apart, by its format: key and value, as JSON has them. */
export const FEEDS: readonly (readonly [name: MessageFormatName, key: unknown, value: unknown])[] =
  [
    [
      'maxwell-json',
      { database: 'd', table: 't', 'pk.id': 2 },
      {
        database: 'd',
        table: 't',
        type: 'update',
        ts: 1477053217,
        xid: 5,
        xoffset: 1,
        position: 'master.000006:800911',
        primary_key_columns: ['id'],
        data: { id: 2, v: 'b' },
        old: { id: 1 },
      },
    ],
    ['maxwell-json', ['d', 't', [{ id: 1 }]], null],
    [
      'canal-json',
      null,
      {
        type: 'UPDATE',
        database: 'd',
        table: 't',
        isDdl: false,
        pkNames: ['id'],
        es: 1683006724000,
        mysqlType: { id: 'int', b: 'blob', d: 'date', j: 'json', t: 'time', n: 'decimal(9,2)' },
        sqlType: { id: 4, b: 2004, d: 91, j: 12, t: 92, n: 3 },
        data: [{ id: '2', b: 'ÿ', d: '2024-01-02', j: '{}', t: '10:00:00', n: '1.10' }],
        old: [{ id: '1' }],
        _tidb: { commitTs: 467257 },
      },
    ],
    [
      'canal-json',
      null,
      { type: 'TRUNCATE', database: 'd', table: 't', isDdl: true, data: null, pkNames: null },
    ],
    ['cockroachdb-json', [1], { after: { id: 1 }, before: null, key: [1], updated: CLOCK }],
    [
      'cockroachdb-json',
      { id: 1 },
      {
        schema: { type: 'struct' },
        payload: {
          after: { id: 2 },
          before: { id: 1 },
          key: { id: 2 },
          op: 'u',
          source: { ts_hlc: CLOCK, primary_keys: ['id'], table_name: 't' },
        },
      },
    ],
    ['cockroachdb-json', [5], { after: null, updated: CLOCK }],
    [
      'aws-dms-json',
      null,
      {
        data: { id: 2, BI_id: 1 },
        'before-image': { id: 1 },
        metadata: {
          timestamp: '2024-10-27T12:39:03.210671Z',
          'record-type': 'data',
          operation: 'update',
          'schema-name': 's',
          'table-name': 't',
        },
      },
    ],
    [
      'ogg-json',
      null,
      {
        table: 'S.T',
        op_type: 'U',
        pos: '00143',
        op_ts: '2020-05-13 15:40:06.000000',
        primary_keys: ['id'],
        before: { id: 1, id_isMissing: false },
        after: { id: 2, v: null, v_isMissing: true },
      },
    ],
    [
      'qlik-json',
      null,
      {
        magic: 'atMSG',
        message: {
          data: { id: 2 },
          beforeData: { id: 1 },
          headers: {
            operation: 'UPDATE',
            changeSequence: '2',
            timestamp: '2023-11-01T10:15:00.000',
          },
        },
      },
    ],
    [
      'delta-cdf',
      { id: 1 },
      { id: 1, _change_type: 'delete', _commit_version: 4, _commit_timestamp: 1700000000000 },
    ],
    [
      'airbyte',
      null,
      {
        _airbyte_stream: 's',
        _airbyte_data: { id: 1, _ab_cdc_lsn: 5, _ab_cdc_deleted_at: '2024-01-02T03:04:05Z' },
      },
    ],
    [
      'airbyte',
      null,
      { type: 'RECORD', record: { data: { id: 1, _ab_cdc_log_file: 'b.1', _ab_cdc_log_pos: 2 } } },
    ],
    [
      'debezium-mongodb',
      { id: '{"$oid": "5c"}' },
      {
        op: 'u',
        after: null,
        updateDescription: {
          updatedFields: '{"a.b": {"$numberLong": "1"}, "c": {"$date": 5}}',
          removedFields: ['d'],
          truncatedArrays: null,
        },
        source: SOURCE,
      },
    ],
    [
      'debezium-mongodb',
      { id: '1' },
      { op: 'd', before: '{"_id": 1}', after: null, source: SOURCE },
    ],
    [
      'mongodb-json',
      null,
      {
        _id: { _data: '8263' },
        operationType: 'update',
        ns: { db: 'd', coll: 'c' },
        documentKey: { _id: { $oid: '5c' } },
        clusterTime: { $timestamp: { t: 1700000000, i: 3 } },
        wallTime: { $date: '2023-11-14T22:13:20Z' },
        updateDescription: {
          updatedFields: { 'a.b': 1, c: { $binary: { base64: 'AQID', subType: '00' } } },
          removedFields: ['d'],
          disambiguatedPaths: { 'a.b': ['a', 'b'] },
        },
      },
    ],
  ]
