/** How long past its lifetime an answer may be sent, from the variables of the deployment. */
import type { AnswerCacheOptions } from 'hono-rag-gate/cache'
import { app } from './app.ts'
import type { GateBindings } from './bindings.ts'
import { secondsIn } from './seconds-in.ts'

/** Where a retriever or a model fails, an answer of the hour before is worth more than an error. */
const STALE_IF_ERROR_SECONDS = 3600
const WINDOW = { from: 0, to: 30 * 86_400, such: 3600 }

type StaleWindows = Pick<AnswerCacheOptions, 'staleIfErrorSeconds' | 'staleWhileRevalidateSeconds' | 'revalidate'>

/** @throws `config_invalid` for what is no whole number of seconds, or more than 30 days */
export function staleWindowsOf(env: GateBindings): StaleWindows {
  const staleIfErrorSeconds = secondsIn(env, 'STALE_IF_ERROR_SECONDS', WINDOW) ?? STALE_IF_ERROR_SECONDS
  // Off unless it is asked for: a lifetime says for how long an answer can be trusted, and here nothing failed.
  const staleWhileRevalidateSeconds = secondsIn(env, 'STALE_WHILE_REVALIDATE_SECONDS', WINDOW) ?? 0
  if (staleWhileRevalidateSeconds === 0) return { staleIfErrorSeconds }
  return {
    staleIfErrorSeconds,
    staleWhileRevalidateSeconds,
    revalidate: (request, c) => app.fetch(request, env, c.executionCtx),
  }
}
