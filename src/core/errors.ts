import type { RefusalCode } from './refusal.ts'

/**
 * Every expected failure, its exit code, and whether trying again can help. Codes are public
 * and never reused. The comment says what happened and what to do.
 */
export const FAULTS = {
  /** The flow file does not parse or contradicts itself. Fix the paths named in the message. */
  SPEC_INVALID: { exit: 2, retry: false },
  /** The command line is not understood. See `tidemark --help`. */
  USAGE: { exit: 2, retry: false },
  /** A batch of the topic is packed in a way that nothing installed can unpack. */
  CODEC_MISSING: { exit: 2, retry: false },
  /** A named file, flow or target does not exist. Check the spelling. */
  NOT_FOUND: { exit: 2, retry: false },
  /** An SQL condition or expression is not one that SQLite accepts here. Fix it in the flow file. */
  EXPRESSION_INVALID: { exit: 2, retry: false },
  /** The target's name belongs to something in the store that Tidemark did not make. Rename one of them. */
  TARGET_OCCUPIED: { exit: 2, retry: false },
  /** The flow's keys, storage kind, or what orders its events differ from those its target was built with. Use another target, or raise `epoch` where the message says so. */
  TARGET_CHANGED: { exit: 2, retry: false },
  /** The changed flow needs values that were not kept. Run with --from-now, or give it another name and target, which builds the table anew. */
  REFRESH_NEEDED: { exit: 2, retry: false },
  /** A database does not let a flow in, or does not accept its query. Mend what the message names. */
  SOURCE_REFUSED: { exit: 2, retry: false },
  /** Flows into one target disagree on something they must share. Make them agree. */
  FLOWS_DISAGREE: { exit: 2, retry: false },
  /** The store was written by a newer Tidemark, or is no store of Tidemark's. */
  STORE_UNKNOWN: { exit: 2, retry: false },
  /** An expectation with `on_violation: fail` was violated. */
  EXPECTATION_FAILED: { exit: 3, retry: false },
  /** Most of what was read was refused. The flow points at something it cannot read; see the quarantine. */
  TOO_MANY_REFUSED: { exit: 3, retry: false },
  /** A file that was read before is no longer what it was. Give replaced files a new name. */
  FILE_CHANGED: { exit: 3, retry: false },
  /** A file cannot be read to its end: cut short, or not what its name says. */
  FILE_BROKEN: { exit: 3, retry: false },
  /** Offsets that were not applied yet are gone from the topic. Build the target anew, or give the flow another name to go on from its `start`. */
  DATA_LOST: { exit: 3, retry: false },
  /** The topic ends before the checkpoint: it was made anew, or cut short. As above. */
  TOPIC_RECREATED_OR_TRUNCATED: { exit: 3, retry: false },
  /** The record before the checkpoint is not the one that was applied: the topic was made anew. As above. */
  TOPIC_RECREATED: { exit: 3, retry: false },
  /** A snapshot's version was looked for and not found. Name it, or mend the pattern, column or manifest. */
  NULL_VERSION: { exit: 3, retry: false },
  /** The version was applied before with other content or another scope. Give the snapshot a version of its own. */
  VERSION_CONFLICT: { exit: 3, retry: false },
  /** The snapshot is older than one applied before, and the flow says `out_of_order: refuse`. */
  OUT_OF_ORDER_SNAPSHOT: { exit: 3, retry: false },
  /** The snapshot is not whole: its declared rows are not there, or some cannot be read. Deliver it again. */
  INCOMPLETE_SNAPSHOT: { exit: 3, retry: false },
  /** Two different rows of one key. Mend the extract, or choose with `duplicate_key`. */
  DUPLICATE_KEY: { exit: 3, retry: false },
  /** A row of the snapshot is outside the scope that it declares. */
  ROW_OUT_OF_SCOPE: { exit: 3, retry: false },
  /** The whole snapshot lacks a column that was written before. Mend it, or run with --force column_missing. */
  COLUMN_MISSING: { exit: 3, retry: false },
  /** The snapshot is empty and would delete rows. Deliver it again, or run with --force empty. */
  EMPTY_SNAPSHOT: { exit: 3, retry: false },
  /** The snapshot would delete more rows than `max_delete_fraction` allows. See `tidemark snapshot plan`, or run with --force deletes. */
  DELETE_THRESHOLD: { exit: 3, retry: false },
  /** The snapshot would change more rows than `max_change_fraction` allows. See `tidemark snapshot plan`, or run with --force changes. */
  CHANGE_THRESHOLD: { exit: 3, retry: false },
  /** Doctor found the store's tables at odds. */
  STORE_INCONSISTENT: { exit: 3, retry: false },
  /** Another process is writing to the store. Wait for it, or stop it. */
  STORE_BUSY: { exit: 4, retry: true },
  /** The checkpoint is not where this run left it: another process wrote meanwhile. Let only one run at a time. */
  CHECKPOINT_MOVED: { exit: 4, retry: true },
  /** The disk is full or the store cannot be written. Make room and run again. */
  STORE_FULL: { exit: 4, retry: true },
  /** A source cannot be read right now. */
  SOURCE_UNAVAILABLE: { exit: 4, retry: true },
  /** A schema that records name cannot be had from the registry now. */
  SCHEMA_UNAVAILABLE: { exit: 4, retry: true },
  /** Another process listens on the address of `--metrics`. Give another, or stop that process. */
  ADDRESS_IN_USE: { exit: 4, retry: true },
  /** The client of a source gave up. Run again; what was committed stays. */
  CLIENT_CRASH: { exit: 4, retry: true },
} as const satisfies Record<string, { exit: 0 | 2 | 3 | 4; retry: boolean }>

/** The stable name of an expected failure: one of the table, or that of the refusal that `on_error: fail` made final. */
export type FaultCode = keyof typeof FAULTS | RefusalCode

/** The exit code of a failure; a refusal made final is a fault of the data. */
export function exitCodeOf(code: FaultCode): 0 | 2 | 3 | 4 {
  return isFault(code) ? FAULTS[code].exit : 3
}

function isFault(code: FaultCode): code is keyof typeof FAULTS {
  return Object.hasOwn(FAULTS, code)
}

/** An expected failure: a stable code, a sentence with value and place, and the values that explain it. */
export class TidemarkError extends Error {
  override readonly name = 'TidemarkError'
  readonly code: FaultCode
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    code: FaultCode,
    message: string,
    details: Readonly<Record<string, unknown>> = {},
    cause?: unknown,
  ) {
    super(`${code}: ${message}`, cause === undefined ? {} : { cause })
    this.code = code
    this.details = details
  }

  /** The message without the code. */
  get plainMessage(): string {
    return this.message.slice(this.code.length + 2)
  }
}

/** A broken invariant of our own. Never caught; ends the process with exit code 1. */
export class BugError extends Error {
  override readonly name = 'BugError'
}
