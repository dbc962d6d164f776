import { createHmac } from 'node:crypto'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Alert } from '../../../packages/console/src/d1/alerts.ts'
import { signatureHeaders, watchAlerts } from '../../../packages/console/src/jobs/watch-alerts.ts'
import type { AlertOptions } from '../../../packages/console/src/options.ts'
import type { ConsoleParts } from '../../../packages/console/src/parts.ts'

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
