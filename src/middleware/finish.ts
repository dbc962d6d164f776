/** The end of every exchange: headers, the answer's way into the cache, and the decision's way into the log. */
import type { Context } from 'hono'
import { errorForLog } from '../errors.ts'
import type { CachedAnswer } from '../ports/answer-cache.ts'
import type { Landing, Lead } from '../ports/coalescer.ts'
import type { DecisionEvent } from '../ports/decision-log.ts'
import { ragGateHeader, cacheStatusHeader, serverTimingHeader } from './headers.ts'
import { newId } from '../pipeline/new-id.ts'
import type { CacheOutcome } from './headers.ts'
import type { Timings, Decision, CacheState } from '../core/policy/decision.ts'
import type { Policy } from '../core/policy/policy.ts'
import type { TokenUsage } from '../core/reports/savings.ts'
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
  readonly request: QuestionRequest
  readonly startedMs: number
  /** Path under which the gate is mounted. */
  readonly route: string
  /** Why the cache has no part, when it has none. */
  readonly cacheBypass?: 'credentials' | 'request'
  /** Names of headers, in lower case, that middleware around the gate had set for this caller before. */
  readonly outerHeaders: ReadonlySet<string>
}

/** A question that was judged, not served from the cache. */
export type Judged = Extract<GateResult, { kind: 'judged' }>

type GateContext<Bindings extends object> = Context<RagGateEnv<Bindings>>

/** What storing this answer needs to know; `undefined` where it must not be kept. */
export function storingOf(
  { settings, dependencies, request, startedMs, outerHeaders }: Exchange,
  { key, evidenceKey, anyQuestionKey, policy, decision, purgeEpoch }: Judged,
  reported: () => AnswerReport,
): Storing | undefined {
  const { cache } = dependencies
  if (cache === undefined || key === undefined || !isUnimpaired(decision)) return undefined
  const { varyHeaders, maxStoredBytes, staleIfErrorSeconds, staleWhileRevalidateSeconds } = settings
  return {
    cache,
    key,
    ...(evidenceKey === undefined ? {} : { evidenceKey }),
    ...(anyQuestionKey === undefined ? {} : { anyQuestion: { key: anyQuestionKey, question: request.question } }),
    policy,
    decision,
    reported,
    varyHeaders,
    omitHeaders: new Set([...settings.omitHeaders, ...outerHeaders]),
    maxStoredBytes,
    staleIfErrorSeconds,
    staleWhileRevalidateSeconds,
    requestedAtMs: startedMs,
    principalId: request.principal.id,
    purgeEpoch,
  }
}

/** Whether reranker and expansion did their part: where one failed, the next question may get another answer. */
export function isUnimpaired({ reranker, expansion }: Decision): boolean {
  return reranker !== 'failed' && reranker !== 'timeout' && expansion?.expanded !== false
}

/** Time spent before the verdict. */
export function retrievalTimings({ retrievalMs, rerankMs }: Pick<Judged, 'retrievalMs' | 'rerankMs'>): Timings {
  return { retrievalMs, ...(rerankMs === undefined ? {} : { rerankMs }) }
}

/** How the cache took part in an answer that was not its own. */
export function forwarded({ cacheBypass }: Exchange, { cache, stale, alone }: Judged): CacheOutcome {
  if (cache !== 'bypass') {
    return { kind: 'forwarded', why: stale ? 'stale' : 'miss', ...(alone === undefined ? {} : { collapsed: false }) }
  }
  if (cacheBypass === 'request') return { kind: 'forwarded', why: 'request' }
  return { kind: 'forwarded', why: 'bypass', ...(cacheBypass === undefined ? {} : { detail: cacheBypass }) }
}

/**
 * Whether a caller may know how the cache took part. Where callers share answers, a hit tells one what another asked; and
 * where a hit is not told, neither may a miss be.
 */
function mayKnow({ dependencies, request }: Exchange, cache: CacheOutcome): boolean {
  if (!dependencies.sharesAnswers || request.audience === 'operator') return true
  return cache.kind === 'forwarded' ? cache.why === 'bypass' : cache.principalId === request.principal.id
}

/** What is known when a response is ready. */
export interface Outcome {
  readonly decision: Decision
  /** The policy that decided. */
  readonly policy: Policy
  readonly cache: CacheOutcome
  readonly timings: Timings
  readonly report: AnswerReport
  /** Rounds of retrieval on the way of this question. */
  readonly retrievals: number
  /** Tokens of the model call that made an answer sent again, where they are known. */
  readonly savedUsage?: TokenUsage
}

/** Writes the gate's headers, and records the decision once the response is on its way. */
export function finish<Bindings extends object>(
  c: GateContext<Bindings>,
  exchange: Exchange,
  response: Response,
  { decision, policy, cache, timings, report, retrievals, savedUsage }: Outcome,
): void {
  const { settings, dependencies, request, startedMs, route } = exchange
  const state = cacheStateOf(cache)
  const nowMs = dependencies.clock.nowMs()
  const spent = { ...timings, totalMs: nowMs - startedMs }
  const eventId = cache.kind === 'forwarded' ? decision.id : newId(dependencies.clock)
  const told = mayKnow(exchange, cache)
  response.headers.set('rag-gate', ragGateHeader(decision, eventId, settings.mode))
  if (told) response.headers.set('cache-status', cacheStatusHeader(cache, request.audience))
  if (told && cache.kind !== 'forwarded') response.headers.set('age', String(cache.ageSeconds))
  // Phases that did not run are phases that a stored answer saved.
  response.headers.set('server-timing', serverTimingHeader(told ? spent : { totalMs: spent.totalMs }))
  if (!response.headers.has('cache-control')) response.headers.set('cache-control', 'private, no-store')
  const saved = dependencies.savings?.({
    decision,
    mode: settings.mode,
    cache: state,
    retrievals,
    ...(savedUsage && { usage: savedUsage }),
  })
  const audit = policy.preset?.auditEvents?.(decision, nowMs) ?? []
  const event: DecisionEvent = {
    id: eventId,
    decision,
    atMs: nowMs,
    mode: settings.mode,
    route,
    cache: state,
    status: response.status,
    timings: spent,
    principalId: request.principal.id,
    ...(report.model === undefined ? {} : { model: report.model }),
    ...(report.usage === undefined ? {} : { usage: report.usage }),
    ...(saved === undefined ? {} : { saved }),
    ...(audit.length === 0 ? {} : { audit }),
  }
  const warning = cache.kind === 'forwarded' ? policy.preset?.warning?.(decision) : undefined
  if (warning !== undefined) later(c, async () => settings.onWarning(warning))
  later(c, () => dependencies.record(event, request.question))
}

function cacheStateOf(cache: CacheOutcome): CacheState {
  // Neither the retriever nor the model was asked for it.
  if (cache.kind === 'collapsed') return 'hit'
  if (cache.kind === 'refreshed') return 'stale'
  // Retrieved and judged, and no model asked.
  if (cache.kind === 'similar') return 'evidence-hit'
  if (cache.kind !== 'forwarded') return cache.kind
  return cache.why === 'bypass' || cache.why === 'request' ? 'bypass' : 'miss'
}

/**
 * Keeps an answer once the response is on its way, and tells those who wait for it what became of it.
 *
 * @param otherwise what they are told where nothing was stored
 */
export function keep<Bindings extends object>(
  c: GateContext<Bindings>,
  lead: Lead | undefined,
  store: () => Promise<CachedAnswer | undefined> | undefined,
  otherwise: Exclude<Landing, CachedAnswer> = 'not-stored',
): void {
  later(c, () => {
    // Called at once: a response can be copied before it is sent only.
    const storing = store()
    if (storing === undefined) return lead?.land(otherwise)
    return storing.then(
      (answer) => lead?.land(answer ?? otherwise),
      async (thrown: unknown) => {
        await lead?.land('failed')
        throw thrown
      },
    )
  })
}

/**
 * Work that the response does not wait for, and that cannot harm it, also when it throws at once. Where the platform has
 * no `waitUntil`, it runs on its own.
 */
export function later<Bindings extends object>(c: GateContext<Bindings>, work: () => Promise<void> | undefined): void {
  const report = (thrown: unknown): void => console.error(`[rag-gate] after the response: ${errorForLog(thrown)}`)
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
