import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { createD1Alerts } from '../../../packages/console/src/d1/alerts.ts'

test('alerts that cannot be sent hold back neither later nor earlier ones', async () => {
  let nowMs = Date.UTC(2026, 0, 2)
  const alerts = createD1Alerts({ db: env.DB, clock: { nowMs: () => nowMs++ } })
  const found = [{ kind: 'refusals_high', value: 1, bound: 0, decisions: 60, message: 'many' }] as const
  for (let at = 0; at < 22; at++) await alerts.update(`untold-${at}`, found)
  const untold = async (): Promise<readonly string[]> => (await alerts.untold()).map(({ tenant }) => tenant)
  const latest = Array.from({ length: 10 }, (_, at) => `untold-${21 - at}`)
  const seen = new Set<string>()
  for (let turn = 0; turn < 100; turn++) {
    const tenants = await untold()
    expect(tenants.slice(0, 10)).toEqual(latest)
    expect(new Set(tenants).size).toBe(20)
    for (const tenant of tenants) seen.add(tenant)
  }
  // Chosen at random each time, two of the others are left out.
  expect(seen.size).toBe(22)
  for (const alert of await alerts.untold()) await alerts.told(alert)
  expect(await untold()).toHaveLength(2)
})
