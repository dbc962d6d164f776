/** Time, so that what depends on it can be tested. */
export interface Clock {
  /** Milliseconds since 1970. On Workers it advances only after I/O. */
  nowMs(): number
}
