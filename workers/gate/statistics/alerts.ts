/** `GET /v1/alerts`, and the job that finds alerts and tells a webhook of them. */
import type { Context } from 'hono'
import {
  type Alert,
  type CalibratedCollection,
  type CountedDecisions,
  findAlerts,
  findCalibrationAlerts,
  type StatisticsSummary,
} from '@hono-rag-gate/console'
import { pinDifferences } from 'hono-rag-gate/core/policy'
import { isRecord } from 'hono-rag-gate/core/lib'
import { requireScope } from '../access.ts'
import type { GateBindings } from '../bindings.ts'
import { compositionFor } from '../compose.ts'
import { standing } from '../policies/pins.ts'
import { readLimit } from '../read-limit.ts'
import { checkNames, DAY_MS, HOUR_MS, readTenant } from './parameters.ts'
import { json, onTheWire } from './wire.ts'

/** The day that is looked at, and the two weeks before it. */
const LATEST_MS = DAY_MS
const EARLIER_MS = 14 * DAY_MS
const WEBHOOK_TIMEOUT_MS = 5_000

/** Alerts, open ones first, then the latest. */
export async function getAlerts(c: Context<{ Bindings: GateBindings }>): Promise<Response> {
  const composition = compositionFor(c.env)
  const principal = await requireScope(composition, c.req.raw, 'admin')
  checkNames(c, ['limit'])
  const alerts = await composition.statistics.alerts.list(readTenant(c, principal), readLimit(c, 50))
  return json(c, { alerts: alerts.map(shown) })
}

function shown({ untold: _told, tenant: _tenant, ...alert }: Alert): unknown {
  return onTheWire(alert)
}

/**
 * Looks at every tenant's latest day, and tells the webhook what has changed; what it does not take it is told again.
 *
 * @throws the first failure, once every tenant was looked at and the webhook told
 */
export async function watch(env: GateBindings): Promise<void> {
  const { summaries, alerts } = compositionFor(env).statistics
  const toMs = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS
  const fromMs = toMs - LATEST_MS
  const failures: unknown[] = []
  for (const tenant of await summaries.tenants(fromMs - EARLIER_MS, toMs)) {
    await watchTenant(env, tenant, fromMs, toMs).catch((thrown: unknown) => failures.push(thrown))
  }
  const { ALERT_WEBHOOK_URL: url } = env
  if (url !== undefined) {
    for (const alert of await alerts.untold()) if (await tell(url, alert)) await alerts.told(alert)
  }
  if (failures.length > 0) throw failures[0]
}

async function watchTenant(env: GateBindings, tenant: string, fromMs: number, toMs: number): Promise<void> {
  const { alertBounds, statistics } = compositionFor(env)
  const { summaries, alerts } = statistics
  const [latest, earlier, open] = await Promise.all([
    summaries.summary({ tenant, fromMs, toMs }),
    summaries.summary({ tenant, fromMs: fromMs - EARLIER_MS, toMs: fromMs, interval: 'hour' }),
    alerts.open(tenant),
  ])
  const calibrations = findCalibrationAlerts(await calibrated(env, tenant, fromMs, toMs), alertBounds, open)
  await alerts.update(tenant, [...findAlerts(counted(latest), counted(earlier), alertBounds, open), ...calibrations])
}

/** The collections of a tenant that are judged by a calibrated policy, with their latest decisions under it. */
async function calibrated(
  env: GateBindings,
  tenant: string,
  fromMs: number,
  toMs: number,
): Promise<readonly CalibratedCollection[]> {
  const { policies, ingest, statistics, reader } = compositionFor(env)
  const pinned = (await policies.listPushed(tenant)).filter(({ pin }) => pin !== null)
  if (pinned.length === 0) return []
  const found = (await ingest.collections.list(tenant)).map(async (collection) => {
    const policy = pinned.find(({ id }) => id === collection.policyId)
    if (policy === undefined || policy.pin === null) return []
    const filter = { policyId: policy.id, collection: collection.id }
    const summary = await statistics.summaries.summary({ tenant, fromMs, toMs, filter })
    return [
      {
        differences: pinDifferences(policy.pin, standing(collection, reader)),
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
        // The wire form of an object is an object.
        ...(shown(alert) as object),
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
