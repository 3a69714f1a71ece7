import type { Value } from '../../core/value.ts'
import type { Hint, Image, Shape } from '../../ports/source.ts'
import { logOf, originOf, timeOf } from './source-position.ts'
import type { SourceFields } from './source-position.ts'

/** The columns of an image: unavailable values are null, and named. */
export type Cells = {
  readonly shape: Shape
  readonly values: readonly Value[]
  readonly unavailable: readonly string[]
}

/** What a record says of its row. */
export type Change = {
  readonly op: Exclude<Hint['op'], 'tombstone'>
  readonly isSnapshot: boolean
  readonly keys: readonly string[]
  readonly oldKey: readonly Value[] | null
  readonly newKey: readonly Value[] | null
  readonly before: ReadonlyMap<string, Value>
  readonly sequence: readonly Value[] | null
  readonly source: SourceFields
  readonly fields: ReadonlyMap<string, Value>
}

/** The shared empty list of names. */
export const NO_NAMES: readonly string[] = []
/** The shared empty row before a change. */
export const NO_VALUES: ReadonlyMap<string, Value> = new Map()

/** The image of a change. Every member is spelled out, for it is made once per record. */
export function changeImage({ shape, values, unavailable }: Cells, change: Change): Image {
  const hint: Hint = {
    op: change.op,
    rank: change.isSnapshot ? -1 : 0,
    sequence: change.sequence,
    log: logOf(change.source),
    time: timeOf(change.source),
    keys: change.keys,
    unavailable,
    isPartial: false,
    merge: NO_NAMES,
    oldKey: change.oldKey,
    newKey: change.newKey,
    keyValues: null,
    before: change.before,
    origin: originOf(change.source),
    fields: change.fields,
  }
  return { kind: 'image', shape, values, hint }
}
