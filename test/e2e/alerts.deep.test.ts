/** Alerts from the first decision to the webhook and back: a real Worker, its cron trigger, a local receiver, the dashboard. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { policySettings } from '../../src/core/policy/policy.ts'
import { balanced } from '../../src/presets/balanced/index.ts'
import { aDecision, anEvent } from '../fixtures/decision.ts'
import { violations } from './axe.ts'
import { dashboardSite } from './dashboard-site.ts'

interface Told {
  readonly event: string
  readonly tenant: string
  readonly kind: string
  readonly value: number
  readonly bound: number
  readonly message: string
  readonly closed: string | null
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const told: Told[] = []
let status = 500
let receiver: Server

beforeAll(async () => {
  receiver = createServer((request, response) => {
    let body = ''
    request.on('data', (piece: Buffer) => (body += piece.toString()))
    request.on('end', () => {
      told.push(JSON.parse(body) as Told)
      response.writeHead(status).end()
    })
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
})
afterAll(() => new Promise((resolve) => receiver.close(resolve)))

const site = dashboardSite(() => ({
  entry: 'test/e2e/recording-worker.ts',
  vars: {
    // A server that listens on an address and port has both.
    ALERT_WEBHOOK_URL: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/alerts`,
    ALERT_REFUSED_AT_LEAST: '0.02',
  },
}))

interface Made {
  readonly tenant: string
  readonly count: number
  readonly refused?: number
  readonly confidence?: number
  readonly agoMs?: number
  readonly policyId?: string
}

async function record({ tenant, count, refused = 0, confidence = 0.8, agoMs = HOUR_MS, policyId }: Made) {
  const events = Array.from({ length: count }, (_, at) => ({
    event: anEvent(crypto.randomUUID(), {
      decision: aDecision({
        tenant,
        collection: 'manual',
        confidence,
        verdict: at < refused ? 'refuse' : 'pass',
        ...(policyId !== undefined && { policyId }),
      }),
      atMs: Date.now() - agoMs,
    }),
    isolate: crypto.randomUUID(),
    sequence: at + 1,
  }))
  const response = await fetch(`${site.gate.url}/record`, { method: 'POST', body: JSON.stringify(events) })
  expect(response.status).toBe(200)
}

/** The cron trigger, as the runtime fires it. */
async function cron(): Promise<void> {
  expect((await fetch(`${site.gate.url}/cdn-cgi/local/scheduled`)).status).toBe(200)
}

const keyOf = new Map<string, string>()

/** A policy that stands for a calibrated one, chosen for the tenant's collection. */
async function calibrate(tenant: string): Promise<string> {
  const send = async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> => {
    const response = await fetch(`${site.gate.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${keyOf.get(tenant)}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    expect([path, response.ok]).toEqual([path, true])
    return (await response.json()) as Record<string, unknown>
  }
  const documents = (id: string, text: string) =>
    send('POST', '/v1/documents', { collection: 'manual', documents: [{ id, text }] })
  await documents('rocket', '# Rocket\n\nThe launch code of the rocket is 7421.')
  const { collections } = (await send('GET', '/v1/collections')) as { collections?: Record<string, unknown>[] }
  const { embedding_model, dimension, lexicon_id, corpus_version } = collections![0]!
  const pushed = await send('PUT', '/v1/policies/pushed', {
    settings: { ...policySettings(balanced()), name: 'calibrated' },
    pin: { collection: 'manual', embedding_model, dimension, lexicon_id, corpus_version },
    evidence: { confidence_histogram: Array.from({ length: 20 }, (_, at) => (at >= 16 ? 25 : 0)) },
  })
  await send('PUT', '/v1/collections/manual/policy', { policy: pushed['id'] })
  await documents('more', 'Fuel is methane.')
  // What was pushed has an id.
  return pushed['id'] as string
}

/** By tenant: what is wrong, how it is shown, and what mends it. */
const CASES: readonly {
  readonly tenant: string
  readonly happens: (tenant: string) => Promise<void>
  readonly opens: Readonly<Record<string, RegExp>>
  readonly mended: (tenant: string) => Promise<void>
}[] = [
  {
    tenant: 'strict',
    happens: (tenant) => record({ tenant, count: 60, refused: 45 }),
    opens: {
      refusals_high: /More questions are refused than expected.*\s75 %, at most 50 % expected/,
      insufficiency_high:
        /High evidence insufficiency rate detected\sEnough for 25 % of questions, expected for at least 80 %/,
    },
    mended: (tenant) => record({ tenant, count: 400, refused: 20 }),
  },
  {
    tenant: 'lacking',
    happens: (tenant) => record({ tenant, count: 100, refused: 21 }),
    opens: {
      insufficiency_high:
        /High evidence insufficiency rate detected\sEnough for 79 % of questions, expected for at least 80 %/,
    },
    mended: (tenant) => record({ tenant, count: 100, refused: 10 }),
  },
  {
    tenant: 'lax',
    happens: (tenant) => record({ tenant, count: 100, refused: 1 }),
    opens: { refusals_low: /Fewer questions are refused than expected.*\s1\.0 %, at least 2\.0 % expected/ },
    mended: (tenant) => record({ tenant, count: 20, refused: 10 }),
  },
  {
    tenant: 'moved',
    async happens(tenant) {
      await record({ tenant, count: 300, refused: 15, confidence: 0.9, agoMs: 3 * DAY_MS })
      await record({ tenant, count: 100, refused: 5, confidence: 0.3 })
    },
    opens: { confidence_drift: /Confidences have moved: .*\s\d+\.\d\d, at most 0\.25 expected/ },
    mended: (tenant) => record({ tenant, count: 3_000, refused: 150, confidence: 0.9 }),
  },
  {
    tenant: 'calibrated',
    async happens(tenant) {
      const policyId = await calibrate(tenant)
      await record({ tenant, count: 100, refused: 5, confidence: 0.3, policyId })
    },
    opens: {
      calibration_drift: /Confidences have moved since the calibration.*\s\d+\.\d\d, at most 0\.25 expected/,
      calibration_outdated: /A collection has changed since its policy was calibrated.*\s1 collection, since/,
    },
    async mended(tenant) {
      await fetch(`${site.gate.url}/v1/collections/manual/policy`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${keyOf.get(tenant)}`, 'content-type': 'application/json' },
        body: JSON.stringify({ policy: null }),
      })
    },
  },
  {
    tenant: 'calm',
    happens: (tenant) => record({ tenant, count: 100, refused: 10 }),
    opens: {},
    mended: async () => {},
  },
]

const EXPECTED = CASES.flatMap(({ tenant, opens }) => Object.keys(opens).map((kind) => `${tenant} ${kind}`)).sort()
const named = (some: readonly Told[], event: string): string[] =>
  some
    .filter((each) => each.event === event)
    .map(({ tenant, kind }) => `${tenant} ${kind}`)
    .sort()

describe('alerts', () => {
  it('of every kind open, and are sent until the receiver accepts them, and not again', async () => {
    for (const { tenant, happens } of CASES) {
      const { token } = await site.api('/v1/keys', 'POST', { tenant, name: 'boss', scopes: ['ask', 'ingest', 'admin'] })
      keyOf.set(tenant, token as string)
      await happens(tenant)
    }
    await cron()
    expect(named(told, 'alert_opened')).toEqual(EXPECTED)
    for (const { value, bound, message, closed } of told) {
      expect([typeof value, typeof bound, closed]).toEqual(['number', 'number', null])
      expect(message).not.toBe('')
    }
    told.length = 0
    status = 204
    await cron()
    expect(named(told, 'alert_opened')).toEqual(EXPECTED)
    told.length = 0
    for (let run = 0; run < 5; run++) await cron()
    expect(told).toEqual([])
  })

  it.each(CASES)('of $tenant are shown only to the tenants they concern', async ({ tenant, opens }) => {
    const { page, complaints } = await site.visit({ token: keyOf.get(tenant) ?? '' })
    const banners = await page.locator('.alert').allInnerTexts()
    const shown = banners.map((text) => text.replaceAll(/\s+/g, ' '))
    expect(shown).toHaveLength(Object.keys(opens).length)
    for (const words of Object.values(opens)) expect(shown).toContainEqual(expect.stringMatching(words))
    expect(await violations(page)).toEqual([])
    expect(complaints).toEqual([])
  })

  it('close once when the figures are back in range, with one message', async () => {
    for (const { tenant, mended } of CASES) await mended(tenant)
    for (let run = 0; run < 3; run++) await cron()
    expect(named(told, 'alert_closed')).toEqual(EXPECTED)
    expect(named(told, 'alert_opened')).toEqual([])
    const { page } = await site.visit({ token: keyOf.get('strict') ?? '' })
    expect(await page.locator('.alert').count()).toBe(0)
    const past = page.getByRole('table', { name: 'Alerts' }).locator('tbody tr')
    expect(await past.count()).toBe(2)
    expect(await past.first().innerText()).not.toContain('open')
  })
})
