/** The job that finds alerts and tells a webhook of them. */
import { pinDifferences } from 'hono-rag-gate/core/policy'
import { isRecord } from 'hono-rag-gate/core/lib'
import {
  type AlertFinding,
  type CalibratedCollection,
  type CountedDecisions,
  findAlerts,
  findCalibrationAlerts,
  findRoomAlerts,
} from '../alerts/alert-rules.ts'
import { sentAlert } from '../api/get-alerts.ts'
import { DAY_MS, HOUR_MS } from '../api/parameters.ts'
import type { AlertKind } from 'hono-rag-gate/d1/schema'
import type { Alert } from '../d1/alerts.ts'
import type { StatisticsSummary } from '../d1/statistics.ts'
import type { ConsoleParts } from '../parts.ts'

/** The day that is looked at, and the two weeks before it. */
const LATEST_MS = DAY_MS
const EARLIER_MS = 14 * DAY_MS
const WEBHOOK_TIMEOUT_MS = 5_000

/** Tenants of one run: with some four statements each they stay under D1's limit of 1,000 for an invocation. */
const TENANTS_AT_ONCE = 100

/**
 * Looks at the latest day of the tenants whose turn it is, and tells the webhook what has changed; what it does not take it
 * is told again. A tenant without decisions since, and without an open alert, costs three rows read.
 *
 * @throws the first failure, once each of the tenants was looked at and the webhook told
 */
export async function watchAlerts(parts: ConsoleParts): Promise<void> {
  const { counting, summaries, alerts, alertSettings, clock, jobRecords } = parts
  await counting.countMany(clock.nowMs())
  const toMs = Math.ceil(clock.nowMs() / HOUR_MS) * HOUR_MS
  const fromMs = toMs - LATEST_MS
  let failure: unknown
  const after = (await jobRecords.cursor<string>('alerts')) ?? ''
  const known = await summaries.tenantsAfter(after, TENANTS_AT_ONCE, fromMs, toMs)
  const last = known.at(-1)?.tenant ?? ''
  const open = await alerts.open(after, last)
  const { operatorTenant } = alertSettings
  for (const { tenant, active } of known) {
    const opened = open.get(tenant)
    const lost = tenant === operatorTenant ? await lostIn(parts, fromMs, toMs) : []
    if (!active && opened === undefined && lost.length === 0) continue
    await watchTenant(parts, tenant, opened, lost, fromMs, toMs).catch((thrown: unknown) => {
      failure ??= thrown
    })
  }
  const next = known.length < TENANTS_AT_ONCE ? '' : last
  if (next !== after) await jobRecords.keepCursor('alerts', next)
  const { webhookUrl: url, webhookSecret: secret } = alertSettings
  if (url !== undefined) {
    for (const alert of await alerts.untold())
      if (await tell(url, secret, alert, clock.nowMs())) await alerts.told(alert)
  }
  if (failure !== undefined) throw failure
}

async function watchTenant(
  parts: ConsoleParts,
  tenant: string,
  open: ReadonlySet<AlertKind> = new Set(),
  lost: readonly AlertFinding[],
  fromMs: number,
  toMs: number,
): Promise<void> {
  const { summaries, alerts, alertSettings } = parts
  const { bounds } = alertSettings
  // Whole days, of which there are fewer rows.
  const earlierToMs = Math.floor(fromMs / DAY_MS) * DAY_MS
  const [latest, earlier] = await Promise.all([
    summaries.summary({ tenant, fromMs, toMs, uncounted: 'leave' }),
    summaries.summary({
      tenant,
      fromMs: earlierToMs - EARLIER_MS,
      toMs: earlierToMs,
      interval: 'day',
      uncounted: 'leave',
    }),
  ])
  const calibrations = findCalibrationAlerts(await calibrated(parts, tenant, fromMs, toMs), bounds, open)
  const room = await alertSettings.roomOf?.(tenant).catch((thrown: unknown) => {
    // What is not known closes no alert.
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

/** Decisions that were given up in a period, whichever tenant's. */
async function lostIn({ summaries }: ConsoleParts, fromMs: number, toMs: number): Promise<readonly AlertFinding[]> {
  const { dropped, rejected, recorded } = await summaries.recording(fromMs, toMs)
  const value = dropped + rejected
  if (value === 0) return []
  const message = 'Decisions were not recorded: the database did not take them'
  return [{ kind: 'decisions_lost', value, bound: 0, decisions: recorded, message }]
}

/** The collections of a tenant that are judged by a calibrated policy, with their latest decisions under it. */
async function calibrated(
  { policies, summaries, alertSettings: { collectionsOf } }: ConsoleParts,
  tenant: string,
  fromMs: number,
  toMs: number,
): Promise<readonly CalibratedCollection[]> {
  if (collectionsOf === undefined) return []
  const pinned = (await policies.listPushed(tenant)).filter(({ pin }) => pin !== null)
  if (pinned.length === 0) return []
  const found = (await collectionsOf(tenant)).map(async ({ pin, policyId }) => {
    const policy = pinned.find(({ id }) => id === policyId)
    if (policy === undefined || policy.pin === null) return []
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

/** Evidence is what the tenant sent: a histogram is counts of twentieths, or nothing. */
function histogramIn(evidence: unknown): readonly number[] {
  const bins = isRecord(evidence) ? evidence['confidence_histogram'] : undefined
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

/** @returns whether the webhook took it */
async function tell(url: string, secret: string | undefined, alert: Alert, nowMs: number): Promise<boolean> {
  const event = `alert_${alert.closedMs === null ? 'opened' : 'closed'}`
  const body = JSON.stringify({ event, ...sentAlert(alert) })
  // The same id however often it is told.
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
    // It cannot be reached, or takes too long.
  }
  console.error(`[rag-gate] the webhook answered ${answered}`)
  return false
}

/** HMAC-SHA-256 over id, time and body. @param secret `whsec_` and base64, or any text @see https://www.standardwebhooks.com */
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
