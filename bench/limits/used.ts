/** What was used since it was last asked for. */
export interface Used {
  /** Calls of D1: a batch is one. */
  d1Calls: number
  /** Statements in them. */
  d1Statements: number
  rowsRead: number
  rowsWritten: number
  /** Looks into the Cache API, and writes. */
  cacheCalls: number
}
