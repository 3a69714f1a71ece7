import type { ColumnMetaData, PageHeader } from 'hyparquet'
import { crc32 } from 'node:zlib'

/** Reads the header at an offset, which moves behind it. */
type ReadHeader = (reader: { view: DataView; offset: number }) => PageHeader

/**
 * Checks the pages of a column before they are decoded, which a header gone wrong would send astray or
 * make fill the memory: they follow each other to the end, have as many values as the column, are no
 * larger than it says, and have the checksum that they came with.
 *
 * @throws Error what is wrong
 */
export function checkPages(chunk: ArrayBuffer, column: ColumnMetaData, header: ReadHeader): void {
  const name = column.path_in_schema.join('.')
  const fault = (what: string): Error => new Error(`column "${name}" has ${what}`)
  const reader = { view: new DataView(chunk), offset: 0 }
  const total = Number(column.num_values)
  let values = 0
  let size = 0
  // A byte at the end is no page: the library reads to there.
  while (reader.offset < chunk.byteLength - 1 && values < total) {
    const page = header(reader)
    const end = reader.offset + page.compressed_page_size
    const isWithin = page.compressed_page_size >= 0 && end <= chunk.byteLength
    size += page.uncompressed_page_size
    if (!isWithin || page.uncompressed_page_size < 0) throw fault('a page that is larger than it')
    if (size > Number(column.total_uncompressed_size)) throw fault('pages that are larger than it')
    const held = heldValues(page)
    if (!(held >= 0 && held <= total)) throw fault(`a page of ${held} values, and ${total} values`)
    if (page.type !== 'DICTIONARY_PAGE') values += held
    const bytes = new Uint8Array(chunk, reader.offset, page.compressed_page_size)
    if (page.crc !== undefined && crc32(bytes) !== page.crc >>> 0) {
      throw fault('a page that is not what its checksum says')
    }
    reader.offset = end
  }
  if (values !== total) throw fault(`${values} values where it says ${total}`)
}

function heldValues(page: PageHeader): number {
  const { data_page_header, data_page_header_v2, dictionary_page_header } = page
  const { num_values } = data_page_header ?? data_page_header_v2 ?? dictionary_page_header ?? {}
  const held = num_values ?? 0
  if (data_page_header_v2 === undefined) return held
  const { num_nulls, definition_levels_byte_length, repetition_levels_byte_length } =
    data_page_header_v2
  const lengths = [num_nulls, definition_levels_byte_length, repetition_levels_byte_length]
  const levels = definition_levels_byte_length + repetition_levels_byte_length
  const fits = num_nulls <= held && levels <= page.compressed_page_size
  return fits && lengths.every((each) => each >= 0) ? held : -1
}

/** Where the pages of a column are in its file. */
export function pagesOf(column: ColumnMetaData): { start: number; end: number } {
  const { dictionary_page_offset, data_page_offset, total_compressed_size } = column
  const start = Number(dictionary_page_offset ?? 0) || Number(data_page_offset)
  return { start, end: start + Number(total_compressed_size) }
}
