/** Bounds of the alerts, from the variables of the deployment. */
import type { AlertBounds } from '@hono-rag-gate/console'
import { RagGateError } from 'hono-rag-gate/errors'
import type { GateBindings } from '../bindings.ts'

const NAMES = {
  ALERT_REFUSED_AT_MOST: 'refusedAtMost',
  ALERT_REFUSED_AT_LEAST: 'refusedAtLeast',
  ALERT_PASSED_AT_LEAST: 'passedAtLeast',
  ALERT_DRIFT_AT_MOST: 'driftAtMost',
} as const satisfies Partial<Record<keyof GateBindings, keyof AlertBounds>>

/** @throws `config_invalid` for what is no number, and for a share above 1 */
export function alertBoundsOf(env: GateBindings): AlertBounds {
  // The names are those of the object itself.
  const given = (Object.keys(NAMES) as (keyof typeof NAMES)[]).filter((name) => env[name] !== undefined)
  return Object.fromEntries(given.map((name) => [NAMES[name], boundOf(env[name] ?? '', name)]))
}

function boundOf(value: string, name: keyof typeof NAMES): number {
  const bound = /^\d(\.\d{1,6})?$/.test(value) ? Number(value) : Number.NaN
  if (name === 'ALERT_DRIFT_AT_MOST' ? bound >= 0 : bound <= 1) return bound
  const range = name === 'ALERT_DRIFT_AT_MOST' ? 'a number, such as 0.25' : 'a share from 0 to 1, such as 0.05'
  throw new RagGateError('config_invalid', `${name} must be ${range}`, { param: name })
}
