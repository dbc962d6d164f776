/** The job that finds alerts and tells a webhook of them. */
import { pinDifferences } from 'hono-rag-gate/core/policy'
import { isRecord } from 'hono-rag-gate/core/lib'
import {
  type CalibratedCollection,
  type CountedDecisions,
  findAlerts,
  findCalibrationAlerts,
} from '../alerts/alert-rules.ts'
import { sentAlert } from '../api/get-alerts.ts'
import { DAY_MS, HOUR_MS } from '../api/parameters.ts'
import type { Alert } from '../d1/alerts.ts'
import type { StatisticsSummary } from '../d1/statistics.ts'
import type { ConsoleParts } from '../parts.ts'

/** The day that is looked at, and the two weeks before it. */
const LATEST_MS = DAY_MS
const EARLIER_MS = 14 * DAY_MS
const WEBHOOK_TIMEOUT_MS = 5_000

/**
 * Looks at every tenant's latest day, and tells the webhook what has changed; what it does not take it is told again.
 *
 * @throws the first failure, once every tenant was looked at and the webhook told
 */
export async function watchAlerts(parts: ConsoleParts): Promise<void> {
  const { summaries, alerts, alertSettings, clock } = parts
  const toMs = Math.ceil(clock.nowMs() / HOUR_MS) * HOUR_MS
  const fromMs = toMs - LATEST_MS
  const failures: unknown[] = []
  for (const tenant of await summaries.tenants(fromMs - EARLIER_MS, toMs)) {
    await watchTenant(parts, tenant, fromMs, toMs).catch((thrown: unknown) => failures.push(thrown))
  }
  const { webhookUrl: url } = alertSettings
  if (url !== undefined) {
    for (const alert of await alerts.untold()) if (await tell(url, alert)) await alerts.told(alert)
  }
  if (failures.length > 0) throw failures[0]
}

async function watchTenant(parts: ConsoleParts, tenant: string, fromMs: number, toMs: number): Promise<void> {
  const { summaries, alerts, alertSettings } = parts
  const { bounds } = alertSettings
  const [latest, earlier, open] = await Promise.all([
    summaries.summary({ tenant, fromMs, toMs }),
    summaries.summary({ tenant, fromMs: fromMs - EARLIER_MS, toMs: fromMs, interval: 'hour' }),
    alerts.open(tenant),
  ])
  const calibrations = findCalibrationAlerts(await calibrated(parts, tenant, fromMs, toMs), bounds, open)
  await alerts.update(tenant, [...findAlerts(counted(latest), counted(earlier), bounds, open), ...calibrations])
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
    const summary = await summaries.summary({ tenant, fromMs, toMs, filter })
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
  const isCount = (value: unknown): value is number =>
    typeof value === 'number' && Number.isInteger(value) && value >= 0
  return Array.isArray(bins) && bins.length === 20 && bins.every(isCount) ? bins : []
}

function counted({ decisions, byVerdict, confidenceHistogram }: StatisticsSummary): CountedDecisions {
  return {
    decisions,
    refused: byVerdict.refuse,
    confidenceBins: confidenceHistogram.map(({ pass, advise, refuse }) => pass + advise + refuse),
  }
}

/** @returns whether the webhook took it */
async function tell(url: string, alert: Alert): Promise<boolean> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        event: alert.closedMs === null ? 'alert_opened' : 'alert_closed',
        tenant: alert.tenant,
        ...sentAlert(alert),
      }),
      redirect: 'manual',
      signal: AbortSignal.timeout(WEBHOOK_TIMEOUT_MS),
    })
    await response.body?.cancel()
    if (!response.ok) console.error(`[rag-gate] the webhook for alerts answered ${response.status}`)
    return response.ok
  } catch {
    console.error('[rag-gate] the webhook for alerts cannot be reached')
    return false
  }
}
