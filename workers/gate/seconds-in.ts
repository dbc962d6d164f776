/** A variable of the deployment that is a number of seconds. */
import { RagGateError } from 'hono-rag-gate/errors'
import type { GateBindings } from './bindings.ts'

/**
 * A whole number of seconds; `undefined` where the variable is not set.
 *
 * @throws `config_invalid` for anything else, and out of its range
 */
export function secondsIn(
  env: GateBindings,
  name: 'LLM_TIMEOUT_SECONDS' | 'STALE_IF_ERROR_SECONDS' | 'STREAM_IDLE_SECONDS',
  { from, to, such }: { readonly from: number; readonly to: number; readonly such: number },
): number | undefined {
  const value = env[name]
  if (value === undefined) return undefined
  const seconds = /^\d{1,7}$/.test(value) ? Number(value) : Number.NaN
  if (seconds >= from && seconds <= to) return seconds
  const range = `a whole number of seconds from ${from} to ${to}, such as ${such}`
  throw new RagGateError('config_invalid', `${name} must be ${range}`, { param: name })
}
