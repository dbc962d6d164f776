import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { createD1Alerts } from '../../../packages/console/src/d1/alerts.ts'

test('twenty alerts that cannot be sent do not hold back later ones', async () => {
  let nowMs = Date.UTC(2026, 0, 2)
  const alerts = createD1Alerts({ db: env.DB, clock: { nowMs: () => nowMs++ } })
  const found = [{ kind: 'refusals_high', value: 1, bound: 0, decisions: 60, message: 'many' }] as const
  for (let at = 0; at < 22; at++) await alerts.update(`untold-${at}`, found)
  const first = await alerts.untold()
  expect(first.map(({ tenant }) => tenant)).toEqual(Array.from({ length: 20 }, (_, at) => `untold-${21 - at}`))
  for (const alert of first) await alerts.told(alert)
  expect((await alerts.untold()).map(({ tenant }) => tenant)).toEqual(['untold-1', 'untold-0'])
})
