import { jsonText, openTidemark, parseFlows } from '../src/index.ts'

const file = parseFlows(
  {
    store: { memory: true }, // or { sqlite: 'stock.db' }
    flows: [
      {
        target: 'stock',
        source: { events: true },
        keys: ['sku'],
        sequence_by: { column: 'rev', type: 'integer' },
        except_column_list: ['rev'],
        stored_as_scd_type: 2,
      },
    ],
  },
  '.', // the directory that relative paths count from
)

using tidemark = openTidemark(file)
tidemark.apply('stock', [
  { sku: 'A', rev: 1, left: 10 },
  { sku: 'A', rev: 3, left: 7 },
])
const { accepted, late } = tidemark.apply('stock', [{ sku: 'A', rev: 2, left: 9 }])
console.log({ accepted, late })

const { columns, systemColumns } = tidemark.target('stock')
console.log([...columns, ...systemColumns].join(' '))
for (const { values } of tidemark.rows('stock')) console.log(values.map(jsonText).join(' '))
