/** The job that finds alerts and sends them to a webhook. */
import { pinDifferences } from 'hono-rag-gate/core/policy'
import { memberAt, type Tenant } from 'hono-rag-gate/core/lib'
import {
  type AlertFinding,
  type CalibratedCollection,
  type CountedDecisions,
  findAlerts,
  findCalibrationAlerts,
  findRoomAlerts,
} from '../alerts/alert-rules.ts'
import { sentAlert } from '../api/get-alerts.ts'
import { DAY_MS, HOUR_MS } from '../durations.ts'
import type { HasRoom } from '../d1/job-records.ts'
import type { AlertKind } from 'hono-rag-gate/d1/schema'
import type { Alert } from '../d1/alerts.ts'
import type { StatisticsSummary } from '../d1/statistics.ts'
import type { ConsoleParts } from '../parts.ts'

/** Length of the watched period, and of the reference period before it. */
const LATEST_MS = DAY_MS
const EARLIER_MS = 14 * DAY_MS
const WEBHOOK_TIMEOUT_MS = 5_000

/** Maximum number of tenants per run; if each has an alert, this may exceed the statements of an invocation. */
const TENANTS_AT_ONCE = 1_000
/** Number of tenants per statement and queue message; rows of a tenant with many collections may have megabytes. */
const TENANTS_TOGETHER = 25
/** Number of statements in an invocation after which no further tenant is watched, to leave some for the webhook. */
const MOST_STATEMENTS = 850

/** The next tenant, '' for the first, and how many decisions were counted when the round began. */
interface AlertCursor {
  readonly after?: string
  readonly since?: number
}

/**
 * Checks the latest day of the tenants whose turn it is, and sends changes to the webhook; rejected ones are sent
 * again. Rounds include tenants with decisions in that day or an open alert, and start when more was counted.
 *
 * @throws the first failure, after checking every tenant and calling the webhook
 */
export async function watchAlerts(parts: ConsoleParts, hasRoom: HasRoom = () => true): Promise<void> {
  const { counting, summaries, alerts, alertSettings, clock, jobRecords } = parts
  const { operatorTenant, spread, webhookUrl: url, webhookSecret: secret } = alertSettings
  await counting.countMany(clock.nowMs())
  const { after = '', since = -1 } = (await jobRecords.cursor<AlertCursor>('alerts')) ?? {}
  const [open, summedUp] = [await alerts.open(), await counting.summedUp()]
  const isDue = after !== '' || open.size > 0 || summedUp !== since
  const tenants = isDue
    ? await summaries.tenantsAfter(after, spread ? -1 : TENANTS_AT_ONCE, ...latestDay(clock.nowMs()))
    : []
  // Lost events belong to no tenant.
  const operators = after === '' && operatorTenant !== undefined ? [operatorTenant] : []
  const others = tenants.filter((tenant) => !operators.includes(tenant))
  const failures: unknown[] = []
  await watchEach(parts, operators, open, failures)
  let next = ''
  if (spread !== undefined && others.length > TENANTS_TOGETHER) {
    for (let turn = 0; others.length > 0; turn++) await spread(others.splice(0, TENANTS_TOGETHER), turn)
  } else {
    const watched = await watchEach(parts, others, open, failures, hasRoom)
    if (watched < others.length || tenants.length === TENANTS_AT_ONCE) next = others[watched - 1] ?? after
  }
  // After a failure the next round starts even if nothing more was counted.
  const begun = failures.length > 0 ? -1 : after === '' ? summedUp : since
  if (next !== after || begun !== since) await jobRecords.keepCursor('alerts', { after: next, since: begun })
  if (url !== undefined) {
    for (const alert of await alerts.untold())
      if (await tell(url, secret, alert, clock.nowMs())) await alerts.told(alert)
  }
  if (failures.length > 0) throw failures[0]
}

/**
 * Checks the latest day of these tenants: for the consumer of the queue that `alerts.spread` fills.
 *
 * @throws the first failure, after checking each
 */
export async function watchTenants(parts: ConsoleParts, tenants: readonly Tenant[]): Promise<void> {
  const failures: unknown[] = []
  await watchEach(parts, tenants, await parts.alerts.open(), failures)
  if (failures.length > 0) throw failures[0]
}

function latestDay(nowMs: number): readonly [fromMs: number, toMs: number] {
  const toMs = Math.ceil(nowMs / HOUR_MS) * HOUR_MS
  return [toMs - LATEST_MS, toMs]
}

/** Checks tenants while there is room, but at least one. @returns the number checked */
async function watchEach(
  parts: ConsoleParts,
  tenants: readonly Tenant[],
  open: ReadonlyMap<Tenant, ReadonlySet<AlertKind>>,
  failures: unknown[],
  hasRoom?: HasRoom,
  together = TENANTS_TOGETHER,
): Promise<number> {
  for (let first = 0; first < tenants.length; first += together) {
    const some = tenants.slice(first, first + together)
    try {
      const figures = await figuresOf(parts, some)
      for (const [at, tenant] of some.entries()) {
        if (first + at > 0 && hasRoom?.(MOST_STATEMENTS) === false) return first + at
        await watchTenant(parts, tenant, figures, open.get(tenant)).catch((thrown: unknown) => failures.push(thrown))
      }
    } catch (thrown) {
      const answers = await parts.counting.summedUp().catch(() => undefined)
      if (some.length === 1 || answers === undefined) failures.push(thrown)
      else {
        // One of them causes the failure; halving isolates it, and the others are checked.
        const watched = await watchEach(parts, some, open, failures, hasRoom, Math.ceil(some.length / 2))
        if (watched < some.length) return first + watched
      }
    }
  }
  return tenants.length
}

/** Figures for checking tenants. */
interface Figures {
  readonly latest: ReadonlyMap<Tenant, StatisticsSummary>
  readonly earlier: ReadonlyMap<Tenant, StatisticsSummary>
  /** Tenants with a calibrated policy. */
  readonly pinned: ReadonlySet<Tenant>
}

async function figuresOf({ summaries, policies, clock }: ConsoleParts, tenants: readonly Tenant[]): Promise<Figures> {
  const [fromMs, toMs] = latestDay(clock.nowMs())
  // Whole days, which have fewer rows.
  const earlierToMs = Math.floor(fromMs / DAY_MS) * DAY_MS
  const days = { fromMs: earlierToMs - EARLIER_MS, toMs: earlierToMs, interval: 'day' } as const
  // One after the other, so that the rows of one are in memory.
  const latest = await summaries.summaries(tenants, { fromMs, toMs })
  const earlier = await summaries.summaries(tenants, days)
  return { latest, earlier, pinned: await policies.pinnedAmong(tenants) }
}

async function watchTenant(
  parts: ConsoleParts,
  tenant: string,
  figures: Figures,
  open: ReadonlySet<AlertKind> = new Set(),
): Promise<void> {
  const { alerts, alertSettings, clock } = parts
  const { bounds } = alertSettings
  const [fromMs, toMs] = latestDay(clock.nowMs())
  const lost = tenant === alertSettings.operatorTenant ? await lostIn(parts, fromMs, toMs) : []
  // There is one per tenant.
  const [latest, earlier] = [figures.latest.get(tenant)!, figures.earlier.get(tenant)!]
  const collections = figures.pinned.has(tenant) ? await calibrated(parts, tenant, fromMs, toMs) : []
  const calibrations = findCalibrationAlerts(collections, bounds, open)
  const room = await alertSettings.roomOf?.(tenant).catch((thrown: unknown) => {
    // An unknown state must not close an alert.
    if (open.has('index_nearly_full')) throw thrown
    return undefined
  })
  const found = [
    ...lost,
    ...findAlerts(counted(latest), counted(earlier), bounds, open),
    ...calibrations,
    ...findRoomAlerts(room, latest.decisions, open),
  ]
  if (found.length > 0 || open.size > 0) await alerts.update(tenant, found)
}

/** Decisions of all tenants that were dropped in a period. */
async function lostIn({ summaries }: ConsoleParts, fromMs: number, toMs: number): Promise<readonly AlertFinding[]> {
  const { dropped, rejected, recorded } = await summaries.recording(fromMs, toMs)
  const value = dropped + rejected
  if (value === 0) return []
  const message = 'Decisions were not recorded'
  return [{ kind: 'decisions_lost', value, bound: 0, decisions: recorded, message }]
}

/** A tenant's collections with a calibrated policy, and their latest decisions under it. */
async function calibrated(
  { policies, summaries, alertSettings: { collectionsOf } }: ConsoleParts,
  tenant: string,
  fromMs: number,
  toMs: number,
): Promise<readonly CalibratedCollection[]> {
  if (collectionsOf === undefined) return []
  const collections = await collectionsOf(tenant)
  const ids = new Set(collections.flatMap(({ policyId }) => policyId ?? []))
  const pushed = await Promise.all([...ids].map((id) => policies.pushed(tenant, id)))
  const found = collections.map(async ({ pin, policyId }) => {
    const policy = pushed.find((each) => each?.id === policyId)
    if (!policy?.pin) return []
    const filter = { policyId: policy.id, collection: pin.collection }
    const summary = await summaries.summary({ tenant, fromMs, toMs, filter, uncounted: 'leave' })
    return [
      {
        differences: pinDifferences(policy.pin, pin),
        calibrated: histogramIn(policy.evidence),
        latest: counted(summary).confidenceBins,
      },
    ]
  })
  return (await Promise.all(found)).flat()
}

/** The histogram in evidence, which is untrusted input from the tenant; empty if it is not valid. */
function histogramIn(evidence: unknown): readonly number[] {
  const bins = memberAt(evidence, 'confidence_histogram')
  const isCount = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 0
  return Array.isArray(bins) && bins.length === 20 && bins.every(isCount) ? bins : []
}

function counted({ decisions, byVerdict, failed, latency, confidenceHistogram }: StatisticsSummary): CountedDecisions {
  return {
    decisions,
    refused: byVerdict.refuse,
    failed,
    p95Ms: latency.all.p95,
    confidenceBins: confidenceHistogram.map(({ pass, advise, refuse }) => pass + advise + refuse),
  }
}

/** @returns whether the webhook accepted it */
async function tell(url: string, secret: string | undefined, alert: Alert, nowMs: number): Promise<boolean> {
  const event = `alert_${alert.closedMs === null ? 'opened' : 'closed'}`
  const body = JSON.stringify({ event, ...sentAlert(alert) })
  // The same id in each attempt.
  const id = `${event}_${alert.id}`
  let answered: number | 'nothing' = 'nothing'
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(secret !== undefined && (await signatureHeaders(secret, id, body, nowMs))),
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(WEBHOOK_TIMEOUT_MS),
    })
    await response.body?.cancel()
    if (response.ok) return true
    answered = response.status
  } catch {
    // Unreachable, or timed out.
  }
  console.error(`[rag-gate] the webhook answered ${answered}`)
  return false
}

/** HMAC-SHA-256 over id, time and body. @param secret as in https://www.standardwebhooks.com, or any text */
export async function signatureHeaders(
  secret: string,
  id: string,
  body: string,
  nowMs: number,
): Promise<Readonly<Record<string, string>>> {
  const encoder = new TextEncoder()
  const timestamp = String(Math.floor(nowMs / 1000))
  const bytes = secret.startsWith('whsec_')
    ? Uint8Array.from(atob(secret.slice(6)), (byte) => byte.charCodeAt(0))
    : encoder.encode(secret)
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  const mac = await crypto.subtle.sign('HMAC', key, encoder.encode(`${id}.${timestamp}.${body}`))
  const signature = btoa(String.fromCharCode(...new Uint8Array(mac)))
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
}
