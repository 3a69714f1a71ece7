/** Tells the time. Only the outermost layer has a real one; everything else is given it. */
export interface Clock {
  /** Microseconds since 1970, UTC. May stall or step back: system time never does (semantics 6). */
  micros(): bigint
}
