import { createHmac } from 'node:crypto'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { AlertFinding } from '../../../packages/console/src/alerts/alert-rules.ts'
import type { Alert } from '../../../packages/console/src/d1/alerts.ts'
import type { StatisticsSummary } from '../../../packages/console/src/d1/statistics.ts'
import { signatureHeaders, watchAlerts, watchTenants } from '../../../packages/console/src/jobs/watch-alerts.ts'
import type { AlertOptions } from '../../../packages/console/src/options.ts'
import type { ConsoleParts } from '../../../packages/console/src/parts.ts'
import type { AlertKind } from '../../../d1/schema.ts'
import type { PolicyPin } from '../../../src/core/policy/policy-pin.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const TEXT = 'a secret of a receiver, 0123456789'

test.each([
  ["in the standard's form", `whsec_${btoa(TEXT)}`],
  ['of any form', TEXT],
])('a webhook is signed with a secret %s, as the libraries of Standard Webhooks read it', async (_, secret) => {
  const headers = await signatureHeaders(secret, 'alert_opened_1', '{"event":"alert_opened"}', 1_700_000_000_999)
  const mac = createHmac('sha256', TEXT).update('alert_opened_1.1700000000.{"event":"alert_opened"}').digest('base64')
  expect(headers).toEqual({
    'webhook-id': 'alert_opened_1',
    'webhook-timestamp': '1700000000',
    'webhook-signature': `v1,${mac}`,
  })
})

describe('the webhook', () => {
  const NOW_MS = Date.UTC(2026, 0, 2, 3, 4, 5)
  const anAlert = (id: string, closedMs: number | null): Alert => ({
    id,
    tenant: 'acme',
    kind: 'refusals_high',
    openedMs: NOW_MS - 60_000,
    closedMs,
    value: 0.75,
    bound: 0.5,
    decisions: 60,
    message: 'More questions are refused',
    untold: 1,
  })

  /** A console without tenants, whose changed alerts are these. @returns the ids of those that were told */
  async function tell(alerts: readonly Alert[], alertSettings: AlertOptions): Promise<readonly string[]> {
    const told: string[] = []
    const parts: { readonly [Part in keyof ConsoleParts]?: Partial<ConsoleParts[Part]> } = {
      clock: { nowMs: () => NOW_MS },
      counting: { countMany: async () => true, summedUp: async () => 0 },
      jobRecords: { cursor: async () => undefined, keepCursor: async () => undefined },
      summaries: { tenantsAfter: async () => [] },
      alerts: {
        open: async () => new Map(),
        untold: async () => alerts,
        told: async ({ id }) => void told.push(id),
      },
      alertSettings,
    }
    // Only the parts in use.
    await watchAlerts(parts as ConsoleParts)
    return told
  }

  test('gets an event for each alert that opened or closed, unsigned without a secret', async () => {
    const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response('thanks'))
    const alerts = [anAlert('a', null), anAlert('b', NOW_MS)]
    expect(await tell(alerts, { webhookUrl: 'https://hooks.test/' })).toEqual(['a', 'b'])
    const sent = fetched.mock.calls.map(([url, init]) => [url, JSON.parse(init?.body as string)] as const)
    const about = {
      tenant: 'acme',
      kind: 'refusals_high',
      opened: '2026-01-02T03:03:05.000Z',
      value: 0.75,
      bound: 0.5,
      decisions: 60,
      message: 'More questions are refused',
    }
    expect(sent).toEqual([
      ['https://hooks.test/', { event: 'alert_opened', id: 'a', closed: null, ...about }],
      ['https://hooks.test/', { event: 'alert_closed', id: 'b', closed: '2026-01-02T03:04:05.000Z', ...about }],
    ])
    const { method, headers, redirect, signal } = fetched.mock.calls[0]![1]!
    expect([method, headers, redirect]).toEqual(['POST', { 'content-type': 'application/json' }, 'manual'])
    expect(signal).toBeInstanceOf(AbortSignal)
  })

  test('gets the same id in each attempt, with the time of that attempt', async () => {
    const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response(null, { status: 204 }))
    const settings = { webhookUrl: 'https://hooks.test/', webhookSecret: TEXT }
    for (const closedMs of [null, NOW_MS]) await tell([anAlert('a', closedMs)], settings)
    const ids = fetched.mock.calls.map(([, init]) => new Headers(init?.headers).get('webhook-id'))
    expect(ids).toEqual(['alert_opened_a', 'alert_closed_a'])
    const [, init] = fetched.mock.calls[0]!
    const expected = await signatureHeaders(TEXT, 'alert_opened_a', init!.body as string, NOW_MS)
    expect(init!.headers).toEqual({ 'content-type': 'application/json', ...expected })
  })

  test.each([
    ['302', () => Promise.resolve(Response.redirect('https://elsewhere.test/'))],
    ['500', () => Promise.resolve(new Response('no', { status: 500 }))],
    ['nothing', () => Promise.reject(new TypeError('fetch failed'))],
  ])('that answers %s is told again, and others are told meanwhile', async (answered, answer) => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    vi.spyOn(globalThis, 'fetch').mockImplementationOnce(answer).mockResolvedValueOnce(new Response())
    const alerts = [anAlert('a', null), anAlert('b', null)]
    expect(await tell(alerts, { webhookUrl: 'https://hooks.test/' })).toEqual(['b'])
    expect(logged.mock.calls).toEqual([[`[rag-gate] the webhook answered ${answered}`]])
  })

  test('is called by no console without its address', async () => {
    const fetched = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('unexpected'))
    expect(await tell([anAlert('a', null)], {})).toEqual([])
    expect(fetched).not.toHaveBeenCalled()
  })
})

describe('a round of alerts', () => {
  const NOW_MS = Date.UTC(2026, 0, 20, 3, 4)
  const HOUR_MS = 3_600_000
  const DAY_MS = 24 * HOUR_MS

  /** Sixty decisions, of which so many were refused, all with the same confidence. */
  const aSummary = (refuse: number, decisions = 60, bin = 10): StatisticsSummary =>
    ({
      decisions,
      failed: 0,
      byVerdict: { pass: decisions - refuse, advise: 0, refuse },
      latency: { all: { p95: 5 } },
      confidenceHistogram: Array.from({ length: 20 }, (_, at) => ({
        pass: at === bin ? decisions - refuse : 0,
        advise: 0,
        refuse: at === bin ? refuse : 0,
      })),
    }) as unknown as StatisticsSummary

  interface Given {
    readonly tenants?: readonly string[]
    readonly cursor?: object
    readonly open?: Readonly<Record<string, AlertKind>>
    readonly settings?: AlertOptions
    readonly latest?: StatisticsSummary
    readonly earlier?: StatisticsSummary
    readonly pushed?: readonly object[]
    readonly lost?: { readonly dropped: number; readonly rejected: number }
    /** Tenants whose alerts cannot be stored. */
    readonly failing?: readonly string[]
    /** Tenants whose figures cannot be read. */
    readonly unreadable?: readonly string[]
    /** Whether the database does not answer. */
    readonly isAway?: boolean
    /** @default 7 */
    readonly summedUp?: number
  }

  /** A console over these tenants. */
  function aConsole(given: Given) {
    const { latest = aSummary(60), earlier = aSummary(0, 0), failing = [], pushed = [] } = given
    const updated: [tenant: string, found: readonly AlertFinding[]][] = []
    const kept: unknown[] = []
    const tenantsAfter = vi.fn<ConsoleParts['summaries']['tenantsAfter']>(async (after) =>
      (given.tenants ?? []).filter((tenant) => tenant > after),
    )
    const summaries = vi.fn<ConsoleParts['summaries']['summaries']>(async (tenants, { interval }) => {
      const some = tenants.find((tenant) => given.unreadable?.includes(tenant))
      if (some !== undefined) throw new Error(`The figures of ${some} cannot be read`)
      return new Map(tenants.map((tenant) => [tenant, interval === 'day' ? earlier : latest] as const))
    })
    const summary = vi.fn<ConsoleParts['summaries']['summary']>(async () => latest)
    const { dropped = 0, rejected = 0 } = given.lost ?? {}
    let asked = 0
    const summedUp = async () => {
      // The first time, at the beginning of the round, it answered.
      if (given.isAway && ++asked > 1) throw new Error('D1 is away')
      return given.summedUp ?? 7
    }
    const parts: { readonly [Part in keyof ConsoleParts]?: Partial<ConsoleParts[Part]> } = {
      clock: { nowMs: () => NOW_MS },
      counting: { countMany: async () => true, summedUp },
      jobRecords: {
        cursor: async <Cursor>(name: string) => (name === 'alerts' ? given.cursor : undefined) as Cursor | undefined,
        keepCursor: async (name, cursor) => void kept.push(name, cursor),
      },
      summaries: {
        tenantsAfter,
        summaries,
        summary,
        recording: async () => ({ isolates: 1, recorded: 95, dropped, rejected, missing: 0 }),
      },
      policies: {
        pinnedAmong: async (tenants) => new Set(pushed.length > 0 ? tenants : []),
        pushed: async (_tenant, asked) => pushed.find((each) => 'id' in each && each.id === asked) as never,
      },
      alerts: {
        open: async () => new Map(Object.entries(given.open ?? {}).map(([tenant, kind]) => [tenant, new Set([kind])])),
        untold: async () => [],
        update: async (tenant, found) => {
          if (failing.includes(tenant)) throw new Error(`D1 is away for ${tenant}`)
          updated.push([tenant, found])
        },
      },
      alertSettings: given.settings ?? {},
    }
    // Only the parts in use.
    return { parts: parts as ConsoleParts, updated, kept, tenantsAfter, summaries, summary }
  }

  test('without room for all tenants goes on in the next run, and the operator is watched once', async () => {
    const settings = { operatorTenant: 'ops' }
    const tenants = ['acme', 'globex', 'initech', 'ops']
    const first = aConsole({ tenants, settings })
    const names = (of: typeof first) => of.updated.map(([tenant]) => tenant)
    await watchAlerts(first.parts, (most) => most === 850 && first.updated.length < 3)
    expect([names(first), first.kept]).toEqual([
      ['ops', 'acme', 'globex'],
      ['alerts', { after: 'globex', since: 7 }],
    ])
    // What was counted meanwhile is for the next round.
    const second = aConsole({ tenants, settings, cursor: { after: 'globex', since: 7 }, summedUp: 8 })
    await watchAlerts(second.parts)
    expect(second.tenantsAfter.mock.calls[0]![0]).toBe('globex')
    // Behind the cursor it is a tenant like any other.
    expect([names(second), second.kept]).toEqual([
      ['initech', 'ops'],
      ['alerts', { after: '', since: 7 }],
    ])
    const third = aConsole({ tenants, settings, cursor: { after: '', since: 7 } })
    await watchAlerts(third.parts)
    expect([names(third), third.kept, third.tenantsAfter.mock.calls]).toEqual([['ops'], [], []])
    // An open alert may be over by now, and more may be counted.
    for (const due of [{ open: { acme: 'refusals_high' } as const }, { cursor: { after: '', since: 6 } }]) {
      const again = aConsole({ tenants, cursor: { after: '', since: 7 }, ...due })
      await watchAlerts(again.parts)
      expect(names(again)).toEqual(['acme', 'globex', 'initech', 'ops'])
    }
  })

  test('watches the operator once, wherever it is among the tenants', async () => {
    const { parts, updated } = aConsole({ tenants: ['acme', 'globex'], settings: { operatorTenant: 'acme' } })
    await watchAlerts(parts)
    expect(updated.map(([tenant]) => tenant)).toEqual(['acme', 'globex'])
  })

  test('begins without a cursor, and keeps none that says the same', async () => {
    const first = aConsole({ tenants: ['acme'], summedUp: 1 })
    await watchAlerts(first.parts)
    expect([first.updated.length, first.kept]).toEqual([1, ['alerts', { after: '', since: 1 }]])
    const open = aConsole({ tenants: ['acme'], cursor: { after: '', since: 7 }, open: { acme: 'refusals_high' } })
    await watchAlerts(open.parts)
    expect([open.updated.length, open.kept]).toEqual([1, []])
  })

  test('reads a thousand tenants, and goes on behind the last of them', async () => {
    const thousand = Array.from({ length: 1_000 }, (_, at) => `tenant-${1_000 + at}`)
    const day = [Date.UTC(2026, 0, 19, 4), Date.UTC(2026, 0, 20, 4)]
    const { parts, kept, summaries, tenantsAfter } = aConsole({ tenants: thousand })
    await watchAlerts(parts)
    expect(kept).toEqual(['alerts', { after: 'tenant-1999', since: 7 }])
    expect(tenantsAfter.mock.calls).toEqual([['', 1_000, ...day]])
    expect(summaries.mock.calls.map(([tenants]) => tenants.length)).toEqual(Array.from({ length: 80 }, () => 25))
    const fewer = aConsole({ tenants: thousand.slice(1) })
    await watchAlerts(fewer.parts)
    expect(fewer.kept).toEqual(['alerts', { after: '', since: 7 }])
  })

  test.each([
    [25, []],
    [26, [25, 1]],
    [75, [25, 25, 25]],
  ])('of %i tenants is spread, if it can be, in messages of %j', async (count, messages) => {
    const tenants = Array.from({ length: count }, (_, at) => `tenant-${100 + at}`)
    const spread = vi.fn<NonNullable<AlertOptions['spread']>>(async () => undefined)
    const { parts, updated, kept, tenantsAfter } = aConsole({ tenants, settings: { spread } })
    await watchAlerts(parts)
    expect(tenantsAfter.mock.calls[0]![1]).toBe(-1)
    expect(spread.mock.calls.map(([some, turn]) => [some.length, turn])).toEqual(messages.map((some, at) => [some, at]))
    expect([...spread.mock.calls.flatMap(([some]) => some), ...updated.map(([tenant]) => tenant)]).toEqual(tenants)
    expect(kept).toEqual(['alerts', { after: '', since: 7 }])
  })

  test('without figures of one tenant watches all others, reading few of them twice', async () => {
    const tenants = Array.from({ length: 30 }, (_, at) => `tenant-${10 + at}`)
    const { parts, updated, summaries } = aConsole({ tenants, unreadable: ['tenant-17'] })
    await expect(watchAlerts(parts)).rejects.toThrow('The figures of tenant-17 cannot be read')
    expect(updated.map(([tenant]) => tenant)).toEqual(tenants.filter((tenant) => tenant !== 'tenant-17'))
    const sizes = summaries.mock.calls.flatMap(([some, { interval }]) => (interval === 'day' ? [] : [some.length]))
    expect(sizes).toEqual([25, 13, 7, 6, 3, 2, 1, 1, 1, 3, 12, 5])
  })

  test('without room while looking for a tenant without figures goes on there', async () => {
    const tenants = Array.from({ length: 60 }, (_, at) => `tenant-${10 + at}`)
    const { parts, updated, kept } = aConsole({ tenants, unreadable: ['tenant-69'] })
    await watchAlerts(parts, () => updated.length < 40)
    expect([updated.length, kept]).toEqual([40, ['alerts', { after: 'tenant-49', since: 7 }]])
    const early = aConsole({ tenants, unreadable: ['tenant-40'] })
    await watchAlerts(early.parts, () => early.updated.length < 28)
    expect([early.updated.length, early.kept]).toEqual([28, ['alerts', { after: 'tenant-37', since: 7 }]])
  })

  test('of a database that does not answer asks for no tenant by itself', async () => {
    const tenants = Array.from({ length: 30 }, (_, at) => `tenant-${10 + at}`)
    const { parts, updated, summaries } = aConsole({ tenants, unreadable: tenants, isAway: true })
    await expect(watchAlerts(parts)).rejects.toThrow('tenant-10')
    expect([updated.length, summaries.mock.calls.length]).toEqual([0, 2])
  })

  test('stores nothing for a tenant without findings and open alerts', async () => {
    const { parts, updated } = aConsole({
      tenants: ['acme', 'globex'],
      latest: aSummary(0),
      open: { globex: 'refusals_high' },
    })
    await watchAlerts(parts)
    expect(updated).toEqual([['globex', []]])
  })

  test('checks at least one tenant, however little room there is', async () => {
    const { parts, updated, kept } = aConsole({ tenants: ['acme', 'globex'] })
    await watchAlerts(parts, () => false)
    expect([updated.length, kept]).toEqual([1, ['alerts', { after: 'acme', since: 7 }]])
  })

  test('that failed for a tenant is due again, and fails with the first error', async () => {
    const { parts, updated, kept } = aConsole({
      tenants: ['acme', 'globex', 'initech'],
      failing: ['acme', 'initech'],
      cursor: { after: '', since: 6 },
    })
    await expect(watchAlerts(parts)).rejects.toThrow('D1 is away for acme')
    expect([updated.map(([tenant]) => tenant), kept]).toEqual([['globex'], ['alerts', { after: '', since: -1 }]])
    const consumed = aConsole({ failing: ['acme'] })
    await expect(watchTenants(consumed.parts, ['acme', 'globex'])).rejects.toThrow('D1 is away for acme')
    expect(consumed.updated.map(([tenant]) => tenant)).toEqual(['globex'])
    await watchTenants(aConsole({}).parts, ['acme', 'globex'])
  })

  test('compares the latest 24 hours with two weeks of whole days before', async () => {
    const { parts, summaries } = aConsole({ tenants: ['acme'] })
    await watchAlerts(parts)
    const toMs = Date.UTC(2026, 0, 20, 4)
    const earlierToMs = Date.UTC(2026, 0, 19)
    expect(summaries.mock.calls).toEqual([
      [['acme'], { fromMs: toMs - DAY_MS, toMs }],
      [['acme'], { fromMs: earlierToMs - 14 * DAY_MS, toMs: earlierToMs, interval: 'day' }],
    ])
    // Cautious answers are in both.
    const advised = Array.from({ length: 20 }, (_, at) => ({ pass: 0, advise: at === 1 ? 60 : 0, refuse: 0 }))
    const latest = { ...aSummary(0), confidenceHistogram: advised }
    const moved = aConsole({ tenants: ['acme'], latest, earlier: aSummary(0, 900, 18) })
    await watchAlerts(moved.parts)
    expect(moved.updated[0]![1].map(({ kind }) => kind)).toEqual(['confidence_drift'])
  })

  test.each([
    [{ dropped: 2, rejected: 3 }, 5],
    [{ dropped: 0, rejected: 0 }, undefined],
  ])('tells the operator of the lost decisions %j', async (lost, value) => {
    const settings = { operatorTenant: 'ops' }
    const { parts, updated } = aConsole({ tenants: ['acme'], settings, lost, latest: aSummary(0) })
    await watchAlerts(parts)
    const finding = { kind: 'decisions_lost', value, bound: 0, decisions: 95, message: 'Decisions were not recorded' }
    expect(updated).toEqual(value === undefined ? [] : [['ops', [finding]]])
  })

  test('that does not know the room of an index closes no alert of it', async () => {
    const roomOf = () => Promise.reject(new Error('The index is away'))
    const closed = aConsole({ tenants: ['acme'], settings: { roomOf } })
    await watchAlerts(closed.parts)
    expect(closed.updated).toHaveLength(1)
    const open = aConsole({ tenants: ['acme'], settings: { roomOf }, open: { acme: 'index_nearly_full' } })
    await expect(watchAlerts(open.parts)).rejects.toThrow('The index is away')
    expect(open.updated).toEqual([])
  })

  const pin = { collection: 'manual', embedding_model: 'words', dimension: 0, lexicon_id: 'l', corpus_version: 3 }
  const calibrated = (confidence_histogram: unknown) => ({ id: 'p@1', pin, evidence: { confidence_histogram } })
  const high = Array.from({ length: 20 }, (_, at) => (at === 18 ? 100 : 0))

  test.each<[string, readonly object[], string | null, object, readonly string[]]>([
    ['of the calibration', [calibrated(high)], 'p@1', pin, ['calibration_drift']],
    ['of another policy', [calibrated(high)], 'other@1', pin, []],
    [
      'of an uncalibrated policy',
      [
        { ...calibrated(high), pin: null },
        { id: 'x', pin },
      ],
      'p@1',
      pin,
      [],
    ],
    [
      'of another lexicon',
      [calibrated(high)],
      'p@1',
      { ...pin, lexicon_id: 'm' },
      ['calibration_outdated', 'calibration_drift'],
    ],
    ['of 19 parts', [calibrated(high.slice(1))], 'p@1', pin, []],
    ['of negative counts', [calibrated([-1, ...high.slice(1)])], 'p@1', pin, []],
    ['of parts of counts', [calibrated([0.5, ...high.slice(1)])], 'p@1', pin, []],
    ['of texts', [calibrated(high.map(String))], 'p@1', pin, []],
    ['of no list', [calibrated({ length: 20 })], 'p@1', pin, []],
    ['of nothing', [calibrated(undefined)], 'p@1', pin, []],
  ])('compares a collection with the figures %s', async (_, pushed, policyId, standing, kinds) => {
    const collectionsOf = async () => [{ pin: standing as PolicyPin, policyId }]
    const given = { tenants: ['acme'], pushed, latest: aSummary(0, 60, 1), settings: { collectionsOf } }
    const { parts, updated, summary } = aConsole(given)
    await watchAlerts(parts)
    expect(updated.flatMap(([, found]) => found.map(({ kind }) => kind))).toEqual(kinds)
    const filter = { policyId: 'p@1', collection: 'manual' }
    for (const [period] of summary.mock.calls) {
      expect(period).toMatchObject({ tenant: 'acme', filter, uncounted: 'leave' })
    }
    // Each collection with its own policy.
    const two = aConsole({
      ...given,
      pushed: [{ ...calibrated(high), id: 'first@1' }, ...pushed],
      settings: {
        collectionsOf: async () => [{ pin: standing as PolicyPin, policyId: 'first@1' }, ...(await collectionsOf())],
      },
    })
    await watchAlerts(two.parts)
    const asked = two.summary.mock.calls.map(([period]) => period.filter?.policyId)
    expect(asked).toEqual(['first@1', ...summary.mock.calls.map(([period]) => period.filter?.policyId)])
    // Without the state of the collections none is compared.
    const unknown = aConsole({ ...given, settings: {} })
    await watchAlerts(unknown.parts)
    expect(unknown.updated).toEqual([])
  })
})
