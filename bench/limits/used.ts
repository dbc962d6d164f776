/** Usage since the last query. */
export interface Used {
  /** Calls of D1; a batch counts as one. */
  d1Calls: number
  /** Statements in them. */
  d1Statements: number
  rowsRead: number
  rowsWritten: number
  /** Reads and writes of the Cache API. */
  cacheCalls: number
}
