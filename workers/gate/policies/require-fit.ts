import type { Policy, PresetNeed } from 'hono-rag-gate/core/policy'
import type { Given } from '../engines.ts'
import { WorkerError } from '../errors.ts'

const WORDS: Readonly<Record<PresetNeed, string>> = {
  reranker: 'a reranker (set RERANKER)',
  words: 'scores of words',
  meaning: 'cosines of meaning (Vectorize or Upstash Vector)',
}

/**
 * Whether a policy can work here, one that has a name and one that was pushed.
 *
 * @param given what this deployment has of what policies may need
 * @throws `policy_unfit` for one that would refuse, or call unusable, what it should answer
 */
export function requireFit({ name, preset, gates }: Policy, given: readonly Given[]): void {
  const needed = preset?.needsOneOf ?? []
  if (needed.length > 0 && !needed.some((need) => given.includes(need))) {
    throw unfit(name, needed.map((need) => WORDS[need]).join(' or '))
  }
  if (gates.some(({ gate }) => gate.stage === 'post-generation') && !given.includes('model')) {
    throw unfit(name, 'a model (set LLM_BASE_URL, LLM_API_KEY and LLM_MODEL): it judges answers')
  }
  if (gates.some(({ gate }) => gate.needs === 'generation-confidence')) {
    throw unfit(name, 'generation confidence (no generator here gives any)')
  }
}

function unfit(name: string, needed: string): WorkerError {
  return new WorkerError('policy_unfit', `${name} cannot work here: it needs ${needed}`, { param: 'policy' })
}
