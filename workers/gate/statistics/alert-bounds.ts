/** Bounds of the alerts, from the deployment's variables. */
import type { AlertBounds } from '@hono-rag-gate/console'
import type { GateBindings } from '../bindings.ts'
import { numberIn } from '../settings.ts'

const NAMES = {
  ALERT_REFUSED_AT_MOST: 'refusedAtMost',
  ALERT_REFUSED_AT_LEAST: 'refusedAtLeast',
  ALERT_PASSED_AT_LEAST: 'passedAtLeast',
  ALERT_DRIFT_AT_MOST: 'driftAtMost',
  ALERT_FAILED_AT_MOST: 'failedAtMost',
  ALERT_LATENCY_AT_MOST_MS: 'p95AtMostMs',
} as const satisfies Partial<Record<keyof GateBindings, keyof AlertBounds>>

/** The variables were validated before. */
export function alertBoundsOf(env: GateBindings): AlertBounds {
  // The keys are those of the object itself.
  const given = (Object.keys(NAMES) as (keyof typeof NAMES)[]).filter((name) => env[name] !== undefined)
  return Object.fromEntries(given.map((name) => [NAMES[name], numberIn(env, name)]))
}
