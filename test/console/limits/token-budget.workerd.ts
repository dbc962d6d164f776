import { env } from 'cloudflare:workers'
import { expect, test, vi } from 'vitest'
import { createD1Counting } from '../../../packages/console/src/d1/counting.ts'
import { createD1TokenBudget } from '../../../packages/console/src/limits/token-budget.ts'
import { createD1DecisionStore } from '../../../src/adapters/d1/decision-store.ts'
import { aDecision, anEvent } from '../../fixtures/decision.ts'

const NOON = Date.UTC(2026, 4, 20, 12)
const DAY_MS = 86_400_000
let sequence = 0

const spend = async (tenant: string, atMs: number, inputTokens: number, outputTokens = 0): Promise<void> => {
  const usage = { inputTokens, outputTokens }
  const event = anEvent(`spent-${++sequence}`, { decision: aDecision({ tenant }), atMs, usage })
  await createD1DecisionStore({ db: env.DB }).write([{ event, isolate: 'budgets', sequence }])
}
const budgetAt = (nowMs: number, perDay?: number, perMonth?: number) =>
  createD1TokenBudget({ db: env.DB, clock: { nowMs: () => nowMs }, perDay, perMonth })

test('a token budget by day and by month includes usage that is not yet counted', async () => {
  await spend('budget', NOON - 3 * DAY_MS, 500, 100)
  await createD1Counting({ db: env.DB }).count()
  await spend('budget', NOON - 3_600_000, 90, 10)
  await spend('other', NOON, 5000)
  const spent = async (perDay?: number, perMonth?: number) => budgetAt(NOON, perDay, perMonth).require('budget')
  await expect(spent(101, 701)).resolves.toBeUndefined()
  await expect(spent(100)).rejects.toMatchObject({
    code: 'budget_spent',
    message: 'The tokens of this tenant are spent for now',
    retryAfterSeconds: 12 * 3600,
  })
  await expect(spent(undefined, 700)).rejects.toMatchObject({ retryAfterSeconds: (11 * 24 + 12) * 3600 })
  // The longer wait counts.
  await expect(spent(100, 700)).rejects.toMatchObject({ retryAfterSeconds: (11 * 24 + 12) * 3600 })
  await expect(budgetAt(NOON, 1, 1).require('unspent')).resolves.toBeUndefined()
})

test('a day and a month begin at midnight in UTC', async () => {
  const [midnight, month] = [Date.UTC(2026, 11, 31), Date.UTC(2026, 11)]
  await spend('midnight', midnight - 1, 10)
  await spend('midnight', month - 1, 1000)
  await createD1Counting({ db: env.DB }).count()
  await expect(budgetAt(midnight, 1).require('midnight')).resolves.toBeUndefined()
  await expect(budgetAt(midnight, undefined, 11).require('midnight')).resolves.toBeUndefined()
  await expect(budgetAt(midnight, undefined, 10).require('midnight')).rejects.toMatchObject({
    retryAfterSeconds: 24 * 3600,
  })
  await spend('midnight', midnight, 10)
  await expect(budgetAt(midnight + 500, 10).require('midnight')).rejects.toMatchObject({
    retryAfterSeconds: 24 * 3600,
  })
})

test('a count is read at most every thirty seconds for each tenant, also after the clock was set back', async () => {
  const prepare = vi.fn<(sql: string) => D1PreparedStatement>((sql) => env.DB.prepare(sql))
  let nowMs = NOON
  const db = { prepare } as unknown as D1Database
  const budget = createD1TokenBudget({ db, perDay: 10, clock: { nowMs: () => nowMs } })
  for (const [laterMs, tenant, reads] of [
    [0, 'read', 1],
    [0, 'read-too', 2],
    [30_000, 'read', 2],
    [1, 'read', 3],
    [-30_001, 'read', 4],
  ] as const) {
    nowMs += laterMs
    await budget.require(tenant)
    expect(prepare).toHaveBeenCalledTimes(reads)
  }
})

test('a budget that was spent is whole again from the first moment of the next day', async () => {
  let nowMs = NOON + DAY_MS / 2 - 1_000
  await spend('renewed', NOON, 100)
  const budget = createD1TokenBudget({ db: env.DB, perDay: 100, clock: { nowMs: () => nowMs } })
  await expect(budget.require('renewed')).rejects.toMatchObject({ retryAfterSeconds: 1 })
  nowMs += 1_000
  await expect(budget.require('renewed')).resolves.toBeUndefined()
})

test('no model is called when the token budget cannot be read', async () => {
  const prepare = () => ({ bind: () => ({ first: () => Promise.reject(new Error('D1 is away')) }) })
  const budget = createD1TokenBudget({ db: { prepare } as unknown as D1Database, perDay: 1 })
  await expect(budget.require('default')).rejects.toMatchObject({ code: 'store_unavailable' })
})

test('days are those of the platform by default', async () => {
  await spend('today', Date.now(), 10)
  const budget = createD1TokenBudget({ db: env.DB, perMonth: 10 })
  await expect(budget.require('today')).rejects.toMatchObject({ code: 'budget_spent' })
})
