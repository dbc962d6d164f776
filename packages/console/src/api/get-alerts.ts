/** `GET /alerts`. */
import type { Alert } from '../d1/alerts.ts'
import { jobStates } from '../jobs/job-states.ts'
import type { ConsoleContext } from './context.ts'
import { readTenants } from './parameters.ts'
import { readLimit } from './read-limit.ts'
import { requireAdmin } from './require-admin.ts'
import { json, onTheWire } from './wire.ts'

/**
 * Alerts, open ones first, then the latest; for an operator with `*` the open ones of all tenants. Includes the states
 * of jobs, because without jobs there are no alerts.
 */
export async function getAlerts(c: ConsoleContext): Promise<Response> {
  const { parts, principal } = await requireAdmin(c, ['limit'])
  const alerts = await parts.alerts.list(readTenants(c, principal), readLimit(c, 50))
  return json(c, {
    alerts: alerts.map(sentAlert),
    jobs: await jobStates(parts),
  })
}

/** An alert in wire form. */
export function sentAlert({ untold: _told, ...alert }: Alert): object {
  // The wire form of an object is an object.
  return onTheWire(alert) as object
}
