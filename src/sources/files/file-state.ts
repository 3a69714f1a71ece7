import { BugError } from '../../core/errors.ts'
import type { OpenEnd } from '../../formats/framing.ts'
import type { Digest } from './digest.ts'

/**
 * What a checkpoint remembers of a file: how far it was read, and enough to notice that it
 * is no longer what it was.
 */
export type FileState = {
  /** Bytes read, counted unpacked. */
  readonly offset: number
  /** What the framing has to know at that place. */
  readonly framing: string
  /** The start of the file, as far as it had been read. */
  readonly head: Digest
  /** The bytes before the offset. */
  readonly block: Digest
  /** What the file lacked at its end when it was read to there. */
  readonly openEnd: OpenEnd | null
  /** The packed file, once all of it was unpacked: if it is the same there is nothing to unpack again. */
  readonly packed: { readonly size: number; readonly block: Digest } | null
}

/** The state as the text of a checkpoint. */
export function encodeState(state: FileState): string {
  return JSON.stringify(state)
}

/** The state from the text of a checkpoint, which is ours. */
export function decodeState(text: string): FileState {
  const state: unknown = JSON.parse(text)
  if (!isState(state)) throw new BugError(`no state of a file: ${text}`)
  return state
}

function isState(state: unknown): state is FileState {
  return (
    typeof state === 'object' &&
    state !== null &&
    'offset' in state &&
    'head' in state &&
    'block' in state
  )
}
