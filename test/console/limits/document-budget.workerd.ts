import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import {
  createD1DocumentBudget,
  type D1DocumentBudgetOptions,
} from '../../../packages/console/src/limits/document-budget.ts'

const LATE = Date.UTC(2026, 4, 20, 23)
const clock = { atMs: LATE, nowMs: () => clock.atMs }
const budgetOf = (given: Partial<D1DocumentBudgetOptions>) => createD1DocumentBudget({ db: env.DB, clock, ...given })

test('a document budget restarts with the day, and concurrent calls do not exceed it', async () => {
  const budget = budgetOf({ documentsPerDay: 5 })
  const spend = (documents: number) => budget.spend({ tenant: 't', id: 'k' }, { documents })
  const both = await Promise.allSettled([spend(3), spend(3)])
  expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  await expect(spend(3)).rejects.toMatchObject({
    code: 'budget_spent',
    message: 'What may be ingested is spent for now',
    retryAfterSeconds: 3600,
  })
  clock.atMs += 3_600_000
  await expect(spend(5)).resolves.toBeUndefined()
  await expect(spend(1)).rejects.toMatchObject({ retryAfterSeconds: 24 * 3600 })
  // A clock that is set back begins no other day.
  clock.atMs = LATE
  await expect(spend(1)).rejects.toMatchObject({ code: 'budget_spent' })
})

test('the first call of a principal may not exceed the budget either, and each has its own', async () => {
  const budget = budgetOf({ documentsPerDay: 5 })
  const spend = (tenant: string, id: string, documents: number) => budget.spend({ tenant, id }, { documents })
  await expect(spend('first', 'k', 6)).rejects.toMatchObject({ code: 'budget_spent' })
  for (const [tenant, id] of [
    ['first', 'k'],
    ['first', 'other'],
    ['second', 'k'],
  ] as const) {
    await expect(spend(tenant, id, 5)).resolves.toBeUndefined()
    await expect(spend(tenant, id, 1)).rejects.toMatchObject({ code: 'budget_spent' })
  }
})

test('work is limited beside documents, or alone, and is spent once the limit is reached', async () => {
  const worker = { tenant: 'work', id: 'k' }
  const alone = budgetOf({ stepsPerDay: 100 })
  await alone.spend(worker, { documents: 1_000_000, steps: 99 })
  await alone.spend(worker, { steps: 1 })
  await expect(alone.spend(worker, { steps: 1 })).rejects.toMatchObject({ code: 'budget_spent' })
  await expect(alone.spend(worker, { documents: 1 })).rejects.toMatchObject({ code: 'budget_spent' })
  await expect(budgetOf({ stepsPerDay: 101 }).spend(worker, { documents: 1 })).resolves.toBeUndefined()
  await expect(budgetOf({ documentsPerDay: 5 }).spend(worker, { documents: 1 })).rejects.toMatchObject({
    code: 'budget_spent',
  })
})

test('nothing is ingested when the count is unavailable', async () => {
  const prepare = () => ({ bind: () => ({ first: () => Promise.reject(new Error('D1 is away')) }) })
  const budget = createD1DocumentBudget({ db: { prepare } as unknown as D1Database, documentsPerDay: 5 })
  await expect(budget.spend({ tenant: 't', id: 'k' }, { documents: 1 })).rejects.toMatchObject({
    code: 'store_unavailable',
  })
})

test('days are those of the platform by default', async () => {
  const budget = createD1DocumentBudget({ db: env.DB, documentsPerDay: 5 })
  await budget.spend({ tenant: 'today', id: 'k' }, { documents: 5 })
  const day = await env.DB.prepare(`SELECT day_ms FROM ingestion_budgets WHERE tenant = 'today'`).first<number>(
    'day_ms',
  )
  expect(Math.abs(Date.now() - day!)).toBeLessThan(2 * 86_400_000)
  expect(day! % 86_400_000).toBe(0)
})
