/** How many vectors an index read and wrote in a day, for plans that limit them. */
import { withinPlan, type PlanLimits } from '../plan-limits.ts'
import { numberOf, type IndexStorage, type SqlStore } from '../store/schema.ts'

/** Counts by day of UTC; yesterday's count is dropped. */
export class DailyUse {
  readonly #sql: SqlStore
  readonly #nowMs: () => number

  constructor(storage: IndexStorage, nowMs: () => number) {
    this.#sql = storage.sql
    this.#nowMs = nowMs
  }

  /**
   * Counts what a request asks for against a plan; what no plan limits is not counted at all.
   *
   * @param amount vectors written or read by id, or queries; 1 and up
   * @throws `ProtocolError` 429 when that is more than the day's limit leaves; then nothing is counted
   */
  count(what: 'queries' | 'updates', amount: number, limits: PlanLimits): void {
    const limit = what === 'queries' ? limits.dailyQueries : limits.dailyUpdates
    if (limit === Infinity) return
    const day = new Date(this.#nowMs()).toISOString().slice(0, 10)
    this.#sql.exec('DELETE FROM daily_use WHERE day <> ?', day)
    const [known] = this.#sql.exec(`SELECT ${what} AS used FROM daily_use WHERE day = ?`, day).toArray()
    withinPlan(`${what} on ${day}`, (known === undefined ? 0 : numberOf(known, 'used')) + amount, limit, 429)
    const query = `INSERT INTO daily_use (day, ${what}) VALUES (?1, ?2) ON CONFLICT (day) DO UPDATE SET ${what} = ${what} + ?2`
    this.#sql.exec(query, day, amount)
  }
}
