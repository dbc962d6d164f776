/** How many requests an index answered in a day, for plans that limit them. */
import { withinPlan, type PlanLimits } from '../plan-limits.ts'
import { numberOf, type IndexStorage, type SqlStore } from '../store/schema.ts'

/** Counts requests by day of UTC; yesterday's count is dropped. */
export class DailyUse {
  readonly #sql: SqlStore
  readonly #nowMs: () => number

  constructor(storage: IndexStorage, nowMs: () => number) {
    this.#sql = storage.sql
    this.#nowMs = nowMs
  }

  /**
   * Counts a request against a plan; what no plan limits is not counted at all.
   *
   * @throws `ProtocolError` 429 when the day's limit is used up
   */
  count(what: 'queries' | 'updates', limits: PlanLimits): void {
    const limit = what === 'queries' ? limits.dailyQueries : limits.dailyUpdates
    if (limit === Infinity) return
    const day = new Date(this.#nowMs()).toISOString().slice(0, 10)
    this.#sql.exec('DELETE FROM daily_use WHERE day <> ?', day)
    const query = `INSERT INTO daily_use (day, ${what}) VALUES (?, 1)
      ON CONFLICT (day) DO UPDATE SET ${what} = ${what} + 1 RETURNING ${what} AS used`
    const [row] = this.#sql.exec(query, day).toArray()
    withinPlan(`${what} on ${day}`, numberOf(row, 'used'), limit, 429)
  }
}
