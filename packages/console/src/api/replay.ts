/** `POST /v1/replay`: judges recorded decisions by another policy. */
import type { ConsoleContext } from './context.ts'
import { measuredRate, type NOT_REPLAYABLE, replayDecision, whereReaderFails } from '@hono-rag-gate/calibration'
import type { Verdict } from 'hono-rag-gate/core/gates'
import type { Policy } from 'hono-rag-gate/core/policy'
import { readJsonObject } from 'hono-rag-gate/middleware'
import { requireAdmin } from './require-admin.ts'
import { ConsoleError } from '../errors.ts'
import type { ConsoleParts } from '../parts.ts'
import { checkMembers } from './check-members.ts'
import { DAY_MS } from '../durations.ts'
import { readFilter, readPeriod, readTenant } from './parameters.ts'
import { json } from './wire.ts'

const LIMITS = { maxBytes: 10_000, timeoutMs: 10_000 }
const LONGEST_MS = 366 * DAY_MS
/** Number of decisions judged by one request. */
const SAMPLE = 1_000
/** Number of changed decisions to list. */
const NAMED = 50

/**
 * Judges the latest recorded decisions again by another policy, given as a name or the id of a pushed one. Answers from
 * the cache are left out. Findings of text rules are reused; if a record lacks a signal, it is not replayable.
 */
export async function postReplay(c: ConsoleContext): Promise<Response> {
  const { parts, principal } = await requireAdmin(c, ['from', 'to', 'collection'])
  const { policy: asked, ...others } = await readJsonObject(c.req, LIMITS)
  checkMembers(others, 'policy')
  const tenant = readTenant(c, principal)
  const policy = await policyAsked(parts, tenant, asked)
  const { collection } = readFilter(c)
  const period = readPeriod(c, LONGEST_MS, 31 * DAY_MS)
  await parts.flush()
  const recorded = await parts.recorded.sample({
    tenant,
    ...period,
    limit: SAMPLE,
    ...(collection === undefined ? {} : { filter: { collection } }),
  })
  const [before, after] = [noVerdicts(), noVerdicts()]
  const changed: { id: string; from: Verdict; to: Verdict; confidence: number }[] = []
  const reasons: Partial<Record<keyof typeof NOT_REPLAYABLE, number>> = {}
  let judged = 0
  const unread = { failed: 0, spared: 0, off: 0 }
  for (const replayed of recorded.map((decision) => replayDecision(policy, decision))) {
    if (replayed.kind === 'not-replayable') {
      reasons[replayed.why] = (reasons[replayed.why] ?? 0) + 1
      continue
    }
    const { id, was, is, confidence, unread: why } = replayed
    if (why !== undefined) unread[why]++
    judged++
    before[was]++
    after[is]++
    if (is !== was) changed.push({ id, from: was, to: is, confidence })
  }
  const { low, high } = measuredRate(after.refuse, judged)
  return json(c, {
    policy: asked,
    policy_id: policy.id,
    decisions: recorded.length,
    judged,
    not_replayable: { count: recorded.length - judged, reasons },
    before,
    after,
    would_refuse: { rate: judged === 0 ? null : after.refuse / judged, low, high },
    /** Answers that would have been refused, minus refusals that would have been answered. */
    calls_avoided: after.refuse - before.refuse,
    unread: { where_reader_failed: whereReaderFails(policy), ...unread },
    changed: { count: changed.length, decisions: changed.slice(0, NAMED) },
  })
}

/** @throws `policy_unknown` if it is neither a name nor the id of the tenant's policy */
async function policyAsked({ policyOf, policyNames }: ConsoleParts, tenant: string, asked: unknown): Promise<Policy> {
  const policy = typeof asked === 'string' ? await policyOf(tenant, asked) : undefined
  if (policy !== undefined) return policy
  throw new ConsoleError(
    'policy_unknown',
    `policy must be the id of a pushed policy${policyNames.length === 0 ? '' : ` or one of ${policyNames.join(', ')}`}`,
    { param: 'policy' },
  )
}

function noVerdicts(): Record<Verdict, number> {
  return { pass: 0, advise: 0, refuse: 0 }
}
