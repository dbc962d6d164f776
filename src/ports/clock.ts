/** A source of time, replaceable in tests. */
export interface Clock {
  /** Milliseconds since 1970. On Workers it advances only after I/O. */
  nowMs(): number
}
