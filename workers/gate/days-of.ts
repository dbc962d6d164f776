import { RagGateError } from 'hono-rag-gate/errors'
import type { GateBindings } from './bindings.ts'

/** A number of days among the bindings; `undefined` where it is not set. @throws `config_invalid` for anything else */
export function daysOf(
  env: GateBindings,
  name: 'DECISION_RETENTION_DAYS' | 'AUDIT_RETENTION_DAYS' | 'STORE_QUESTIONS_DAYS',
): number | undefined {
  const value = env[name]
  if (value === undefined || value === '') return undefined
  if (/^\d{1,4}$/.test(value)) return Number(value)
  throw new RagGateError('config_invalid', `${name} must be a number of days`, { param: name })
}
