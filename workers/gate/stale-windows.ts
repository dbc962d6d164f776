/** How long past its lifetime an answer may be sent, from the variables of the deployment. */
import type { AnswerCacheOptions } from '../../src/cache/options.ts'
import { RagGateError } from '../../src/errors.ts'
import { app } from './app.ts'
import type { GateBindings } from './bindings.ts'

/** Where a retriever or a model fails, an answer of the hour before is worth more than an error. */
const STALE_IF_ERROR_SECONDS = 3600
const LONGEST_SECONDS = 30 * 86_400

type StaleWindows = Pick<AnswerCacheOptions, 'staleIfErrorSeconds' | 'staleWhileRevalidateSeconds' | 'revalidate'>

/** @throws `config_invalid` for what is no whole number of seconds, or more than 30 days */
export function staleWindowsOf(env: GateBindings): StaleWindows {
  const staleIfErrorSeconds = secondsIn(env, 'STALE_IF_ERROR_SECONDS') ?? STALE_IF_ERROR_SECONDS
  // Off unless it is asked for: a lifetime says for how long an answer can be trusted, and here nothing failed.
  const staleWhileRevalidateSeconds = secondsIn(env, 'STALE_WHILE_REVALIDATE_SECONDS') ?? 0
  if (staleWhileRevalidateSeconds === 0) return { staleIfErrorSeconds }
  return {
    staleIfErrorSeconds,
    staleWhileRevalidateSeconds,
    revalidate: (request, c) => app.fetch(request, env, c.executionCtx),
  }
}

function secondsIn(
  env: GateBindings,
  name: 'STALE_IF_ERROR_SECONDS' | 'STALE_WHILE_REVALIDATE_SECONDS',
): number | undefined {
  const value = env[name]
  if (value === undefined) return undefined
  const seconds = /^\d{1,7}$/.test(value) ? Number(value) : Number.NaN
  if (seconds <= LONGEST_SECONDS) return seconds
  const range = 'a whole number of seconds from 0 to 2592000, such as 3600'
  throw new RagGateError('config_invalid', `${name} must be ${range}`, { param: name })
}
