import type { Stamp, Stream } from '../../core/change.ts'
import type { PackedRegister, PackedVersions } from '../../core/packed-registers.ts'
import type { Sequence } from '../../core/sequence.ts'
import { storedJson } from '../../core/stored-json.ts'
import { optionalSequence, sequenceOf } from './stamp-codec.ts'

/**
 * Spells out who wrote which column, as JSON that is short and quick to read:
 *
 *     [3,null,null,[1,1,4,2],["a217",1,17,"a15",1,5]]
 *
 * How many cells a stamp takes; the base; the deletion, as number and truncate or not; the columns,
 * ordinal and version by turns; the stamps: sequence, stream and number, where they are not plain
 * rank, system time and part too; what was told, if anything.
 */
export function spellWriters(versions: PackedVersions): string {
  const { stamps, deleted, truncate, base, columns, told } = versions
  const isPlain = stamps.every(isPlainStamp)
  let text = `[${isPlain ? PLAIN_CELLS : ALL_CELLS},${base}`
  text += deleted === null ? ',null,[' : `,[${deleted},${truncate}],[`
  let comma = ''
  for (const [ordinal, version] of columns) {
    const spelled = typeof version === 'number' ? version : JSON.stringify(version)
    text += `${comma}${ordinal},${spelled}`
    comma = ','
  }
  text += '],['
  comma = ''
  for (const { sequence, rank, system, stream, number, part } of stamps) {
    text += `${comma}${quoted(sequence)},${stream.id},${number}`
    if (!isPlain) text += `,${rank},${system === null ? 'null' : quoted(system)},${part}`
    comma = ','
  }
  return told === undefined ? `${text}]]` : `${text}],${JSON.stringify(told)}]`
}

/** Reads them back, those too that were spelled as an object of named parts. */
export function readWriters(text: string, streamOf: (id: number) => Stream): PackedVersions {
  if (text.startsWith('{')) return readNamed(text, streamOf)
  const [size, base, deletion, flat, cells, told] = storedJson<WritersJson>(text)
  const stamps: Stamp[] = []
  for (let i = 0; i < cells.length; i += size) {
    stamps.push({
      sequence: sequenceOf(cells[i]),
      rank: size === PLAIN_CELLS ? 0 : Number(cells[i + 3]),
      system: size === PLAIN_CELLS ? null : optionalSequence(cells[i + 4]),
      stream: streamOf(Number(cells[i + 1])),
      number: Number(cells[i + 2]),
      part: size === PLAIN_CELLS ? 0 : Number(cells[i + 5]),
    })
  }
  const columns: [number, PackedRegister][] = []
  for (let i = 0; i < flat.length; i += 2) columns.push([Number(flat[i]), flat[i + 1] ?? 0])
  const [deleted, truncate] = deletion ?? [null, false]
  const versions = { stamps, deleted, truncate, base, columns }
  return told === undefined ? versions : { ...versions, told }
}

type WritersJson = readonly [
  size: number,
  base: number | null,
  deletion: readonly [number, boolean] | null,
  columns: readonly PackedRegister[],
  stamps: readonly (string | number | null)[],
  told?: PackedVersions['told'],
]

const PLAIN_CELLS = 3
const ALL_CELLS = 6

function readNamed(text: string, streamOf: (id: number) => Stream): PackedVersions {
  const stored = storedJson<NamedJson>(text)
  const stamps = stored.stamps.map(([sequence, rank, system, stream, number, part]): Stamp => {
    return { sequence, rank, system, stream: streamOf(stream), number, part }
  })
  return { ...stored, stamps }
}

type NamedJson = Omit<PackedVersions, 'stamps'> & {
  readonly stamps: readonly (readonly [
    sequence: Sequence,
    rank: number,
    system: Sequence | null,
    stream: number,
    number: number,
    part: number,
  ])[]
}

function isPlainStamp({ rank, system, part }: Stamp): boolean {
  return rank === 0 && system === null && part === 0
}

/** Nearly no sequence needs an escape. */
function quoted(sequence: Sequence): string {
  return NEEDS_ESCAPE.test(sequence) ? JSON.stringify(sequence) : `"${sequence}"`
}

const NEEDS_ESCAPE = /[^ !#-[\]-~]/
