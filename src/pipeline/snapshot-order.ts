import { jsonText, plainText } from '../core/display.ts'
import { TidemarkError } from '../core/errors.ts'
import { encodeSequence, sequenceTypeOf } from '../core/sequence.ts'
import { convert, NOT_CONVERTIBLE } from '../core/types.ts'
import type { Value } from '../core/value.ts'
import type { SourceSnapshot } from '../ports/source.ts'
import type { SnapshotsSourceSpec } from './flow-spec-type.ts'
import { versionOf } from './snapshot-task.ts'

/** A snapshot and its version, null where it has none that can be used. */
export type Versioned = { readonly offer: SourceSnapshot; readonly version: Value }

/**
 * Snapshots by version, those before `from_version` left out; those without a usable version come
 * first, as they were offered.
 *
 * @throws TidemarkError `SPEC_INVALID` where a version does not compare with `from_version`
 */
export function inOrder(
  offers: readonly SourceSnapshot[],
  source: SnapshotsSourceSpec,
  micros: bigint,
): readonly Versioned[] {
  const placed = offers.map((offer) => {
    const version = versionOf(offer, source, micros)
    return { offer, version, place: placeOf(version) }
  })
  return placed
    .filter(({ version }) => !isBefore(version, source))
    .toSorted((a, b) => {
      if (a.place === b.place) return 0
      return a.place < b.place ? -1 : 1
    })
}

function placeOf(version: Value): string {
  const type = sequenceTypeOf(version)
  const sequence = type === null ? '' : (encodeSequence(version, type) ?? '')
  return type === null ? '' : `${type.parts.join()} ${sequence}`
}

/** Whether a snapshot is one that the flow does not want. */
function isBefore(
  version: Value,
  { from_version, version: { type } }: SnapshotsSourceSpec,
): boolean {
  if (from_version === null || version === null) return false
  const written = typeof version === 'string' ? plainText(from_version) : from_version
  const from = type === null ? written : convert(from_version, type)
  const order = from === NOT_CONVERTIBLE ? null : sequenceTypeOf(version)
  const bound = order === null || from === NOT_CONVERTIBLE ? null : encodeSequence(from, order)
  const sequence = order === null ? null : encodeSequence(version, order)
  if (bound !== null && sequence !== null) return sequence < bound
  throw new TidemarkError(
    'SPEC_INVALID',
    `from_version ${jsonText(from_version)} does not compare with the version ${jsonText(version)}`,
  )
}
