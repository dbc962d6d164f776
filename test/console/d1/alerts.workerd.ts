import { env } from 'cloudflare:workers'
import { afterEach, expect, test } from 'vitest'
import type { AlertFinding } from '../../../packages/console/src/alerts/alert-rules.ts'
import { createD1Alerts } from '../../../packages/console/src/d1/alerts.ts'
import { EVERY_TENANT } from '../../../packages/console/src/d1/statistics/wanted.ts'

const START_MS = Date.UTC(2026, 0, 2)
const clock = { atMs: START_MS, nowMs: () => clock.atMs }
const alerts = createD1Alerts({ db: env.DB, clock })
const found = (kind: AlertFinding['kind'], given: Partial<AlertFinding> = {}): AlertFinding => ({
  kind,
  value: 0.75,
  bound: 0.5,
  decisions: 60,
  message: 'many',
  ...given,
})

afterEach(async () => {
  clock.atMs = START_MS
  await env.DB.prepare('DELETE FROM alerts').run()
})

test('an alert opens once, follows its figure without being told again, and closes at the end of its kind', async () => {
  await alerts.update('acme', [found('refusals_high'), found('latency_high')])
  for (const alert of await alerts.untold()) await alerts.told(alert)
  for (const given of [{ value: 0.8 }, { bound: 0.6 }, { decisions: 61 }]) {
    clock.atMs += 1_000
    await alerts.update('acme', [found('refusals_high', given), found('latency_high')])
    const listed = await alerts.list('acme', 10)
    expect(listed).toHaveLength(2)
    expect(listed.find(({ kind }) => kind === 'refusals_high')).toMatchObject({
      ...found('refusals_high', given),
      openedMs: START_MS,
      closedMs: null,
    })
  }
  expect(await alerts.untold()).toEqual([])
  clock.atMs += 1_000
  await alerts.update('acme', [found('latency_high')])
  expect(await alerts.untold()).toMatchObject([{ kind: 'refusals_high', closedMs: clock.atMs }])
  expect(await alerts.open()).toEqual(new Map([['acme', new Set(['latency_high'])]]))
  // Another of the kind is another alert.
  await alerts.update('acme', [found('latency_high'), found('refusals_high')])
  expect(await alerts.list('acme', 10)).toHaveLength(3)
})

test('an alert is reported again if it closed while its opening was reported', async () => {
  await alerts.update('acme', [found('refusals_high')])
  const [opened] = await alerts.untold()
  await alerts.update('acme', [])
  await alerts.told(opened!)
  const [closed] = await alerts.untold()
  expect(closed).toMatchObject({ id: opened!.id, closedMs: START_MS })
  await alerts.told(closed!)
  expect(await alerts.untold()).toEqual([])
})

test('alerts of a tenant are its own, open ones first, then the latest; of all tenants only open ones', async () => {
  await alerts.update('acme', [found('refusals_high')])
  clock.atMs += 1
  await alerts.update('globex', [found('latency_high')])
  clock.atMs += 1
  await alerts.update('acme', [found('refusals_high'), found('failures_high')])
  clock.atMs += 1
  await alerts.update('acme', [found('refusals_high')])
  const kinds = async (...asked: Parameters<typeof alerts.list>) =>
    (await alerts.list(...asked)).map(({ kind }) => kind)
  expect(await kinds('acme', 10)).toEqual(['refusals_high', 'failures_high'])
  expect(await kinds('acme', 1)).toEqual(['refusals_high'])
  expect(await kinds(EVERY_TENANT, 10)).toEqual(['latency_high', 'refusals_high'])
  expect(await kinds('none', 10)).toEqual([])
  expect(await alerts.open()).toEqual(
    new Map([
      ['acme', new Set(['refusals_high'])],
      ['globex', new Set(['latency_high'])],
    ]),
  )
})

test('alerts that cannot be sent hold back neither later nor earlier ones', async () => {
  for (let at = 0; at < 22; at++) {
    clock.atMs++
    await alerts.update(`untold-${at}`, [found('refusals_high')])
  }
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
