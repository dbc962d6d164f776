/** `POST /v1/replay`: what another policy would have decided. */
import type { Context } from 'hono'
import { measuredRate } from '../../../src/core/calibration/measured-rate.ts'
import type { Verdict } from '../../../src/core/gates/finding.ts'
import { judge, judgesAnswers } from '../../../src/core/policy/judge.ts'
import { RagGateError } from '../../../src/errors.ts'
import { readJsonObject } from '../../../src/middleware/read-body.ts'
import { requireScope } from '../access.ts'
import type { GateBindings } from '../bindings.ts'
import { compositionFor } from '../compose.ts'
import { checkNames, DAY_MS, readFilter, readPeriod, readTenant } from './parameters.ts'
import { json } from './wire.ts'
import { POLICY_NAMES, policyNamed } from '../policies/policy-named.ts'

const LIMITS = { maxBytes: 10_000, timeoutMs: 10_000 }
const LONGEST_MS = 366 * DAY_MS
/** Decisions judged again by one request. */
const SAMPLE = 1_000
/** Changed decisions that are named. */
const NAMED = 50

/**
 * Judges the latest recorded decisions again under another policy, from their signals alone. What was cut or repeats an
 * answer from the cache is left out. Findings of custom rules, and of answers, are not judged again.
 */
export async function postReplay(c: Context<{ Bindings: GateBindings }>): Promise<Response> {
  const composition = compositionFor(c.env)
  const principal = await requireScope(composition, c.req.raw, 'admin')
  checkNames(c, ['from', 'to', 'collection'])
  const { policy: name, ...others } = await readJsonObject(c.req, LIMITS)
  if (Object.keys(others).length > 0) throw new RagGateError('unknown_field', 'The body may have only policy')
  if (typeof name !== 'string' || !POLICY_NAMES.includes(name)) {
    throw new RagGateError('policy_unknown', `policy must be one of ${POLICY_NAMES.join(', ')}`, { param: 'policy' })
  }
  const policy = policyNamed(name)
  const tenant = readTenant(c, principal)
  const { collection } = readFilter(c)
  const period = readPeriod(c, LONGEST_MS, 31 * DAY_MS)
  await composition.log.flush()
  const recorded = await composition.statistics.recorded.sample({
    tenant,
    ...period,
    limit: SAMPLE,
    ...(collection === undefined ? {} : { filter: { collection } }),
  })
  const [before, after] = [noVerdicts(), noVerdicts()]
  const changed: { id: string; from: Verdict; to: Verdict }[] = []
  for (const { id, verdict, signals } of recorded) {
    const to = judge(policy, signals).verdict
    before[verdict]++
    after[to]++
    if (to !== verdict) changed.push({ id, from: verdict, to })
  }
  const { low, high } = measuredRate(after.refuse, recorded.length)
  return json(c, {
    policy: name,
    policy_id: policy.id,
    judged: recorded.length,
    before,
    after,
    would_refuse: { rate: recorded.length === 0 ? null : after.refuse / recorded.length, low, high },
    /** Answers that would have been refused, less refusals that would have been answered. */
    calls_avoided: after.refuse - before.refuse,
    changed: { count: changed.length, decisions: changed.slice(0, NAMED) },
    answers_not_judged_again: judgesAnswers(policy),
  })
}

function noVerdicts(): Record<Verdict, number> {
  return { pass: 0, advise: 0, refuse: 0 }
}
