/** The end of every exchange: headers, the answer's way into the cache, and the decision's way into the log. */
import type { Context } from 'hono'
import type { DecisionEvent } from '../ports/decision-log.ts'
import { ragGateHeader, cacheStatusHeader, serverTimingHeader } from './headers.ts'
import { newId } from '../pipeline/new-id.ts'
import type { CacheOutcome } from './headers.ts'
import type { Timings, Decision, CacheState } from '../core/policy/decision.ts'
import type { Storing } from './store-answer.ts'
import type { RagGateEnv, AnswerReport } from './gate-context.ts'
import type { GateResult } from '../pipeline/gate-question.ts'
import type { QuestionRequest } from '../pipeline/question-settings.ts'
import type { MessagesByCode } from '../core/reports/refusal.ts'
import type { ResolvedDependencies } from './dependencies.ts'
import type { RouteSettings } from './check-options.ts'

/** One request on its way. */
export interface Exchange {
  readonly settings: RouteSettings
  readonly dependencies: ResolvedDependencies
  readonly messages?: MessagesByCode
  readonly asked: QuestionRequest
  readonly startedMs: number
  /** Path under which the gate is mounted. */
  readonly route: string
}

/** A question that was judged, not served from the cache. */
export type Judged = Extract<GateResult, { kind: 'judged' }>

type GateContext<Bindings extends object> = Context<RagGateEnv<Bindings>>

/** What storing this answer needs to know; `undefined` where it must not be kept. */
export function storingOf(
  { settings, dependencies }: Exchange,
  { key, policy, decision }: Judged,
  reported: () => AnswerReport,
): Storing | undefined {
  const { cache, clock } = dependencies
  if (cache === undefined || key === undefined) return undefined
  // Another tier decided than the policy means to: the next question has the reranker asked again.
  if (decision.reranker === 'failed' || decision.reranker === 'timeout') return undefined
  // Nor is an answer kept that a further round might have changed.
  if (decision.expansion?.expanded === false) return undefined
  const { varyHeaders, maxStoredBytes, staleIfErrorSeconds } = settings
  return { cache, clock, key, policy, decision, reported, varyHeaders, maxStoredBytes, staleIfErrorSeconds }
}

/** Time spent before the verdict. */
export function retrievalTimings({ retrievalMs, rerankMs }: Judged): Timings {
  return { retrievalMs, ...(rerankMs === undefined ? {} : { rerankMs }) }
}

/** How the cache took part in an answer that was not its own. */
export function forwarded({ cache, stale }: Judged): CacheOutcome {
  return { kind: 'forwarded', why: cache === 'bypass' ? 'bypass' : stale ? 'stale' : 'miss' }
}

/** What is known when a response is ready. */
export interface Outcome {
  readonly decision: Decision
  readonly cache: CacheOutcome
  readonly timings: Timings
  readonly report: AnswerReport
}

/** Writes the gate's headers, and records the decision once the response is on its way. */
export function finish<Bindings extends object>(
  c: GateContext<Bindings>,
  { settings, dependencies, asked, startedMs, route }: Exchange,
  response: Response,
  { decision, cache, timings, report }: Outcome,
): void {
  const state: CacheState = cache.kind !== 'forwarded' ? cache.kind : cache.why === 'bypass' ? 'bypass' : 'miss'
  const nowMs = dependencies.clock.nowMs()
  const spent = { ...timings, totalMs: nowMs - startedMs }
  const eventId = state === 'hit' || state === 'stale' ? newId(dependencies.clock) : decision.id
  response.headers.set('rag-gate', ragGateHeader(decision, eventId, settings.mode))
  response.headers.set('cache-status', cacheStatusHeader(cache, asked.audience))
  response.headers.set('server-timing', serverTimingHeader(spent))
  if (!response.headers.has('cache-control')) response.headers.set('cache-control', 'private, no-store')
  const event: DecisionEvent = {
    id: eventId,
    decision,
    atMs: nowMs,
    mode: settings.mode,
    route,
    cache: state,
    status: response.status,
    timings: spent,
    principalId: asked.principal.id,
    ...(report.model === undefined ? {} : { model: report.model }),
    ...(report.usage === undefined ? {} : { usage: report.usage }),
  }
  later(c, () => dependencies.record(event, asked.question))
}

/**
 * Work that the response does not wait for, and that cannot harm it, also when it throws at once. Where the platform has
 * no `waitUntil`, it runs on its own.
 */
export function later<Bindings extends object>(c: GateContext<Bindings>, work: () => Promise<void> | undefined): void {
  const report = (thrown: unknown): void => console.error('[rag-gate] after the response:', thrown)
  let settled: Promise<void> | undefined
  try {
    settled = work()?.catch(report)
  } catch (thrown) {
    report(thrown)
  }
  if (settled === undefined) return
  try {
    c.executionCtx.waitUntil(settled)
  } catch {
    // Hono throws where there is no execution context (Node, tests): the promise runs on its own, and never rejects.
  }
}
