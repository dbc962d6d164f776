import type { Policy } from '../../../src/core/policy/policy.ts'
import type { PresetNeed } from '../../../src/core/policy/preset.ts'

const WORDS: Readonly<Record<PresetNeed, string>> = {
  reranker: 'a reranker (set RERANKER)',
  'cosines-of-meaning': 'cosines of meaning (Vectorize or Upstash Vector: the embedded index knows words alone)',
  attribution: 'what attributes an answer to passages (no generator of this Worker reports that)',
}

/**
 * Why a policy would refuse, or call unusable, what it should answer here; `undefined` where it works.
 *
 * @param given what this deployment has of what policies may need
 */
export function unfitHere({ preset }: Pick<Policy, 'preset'>, given: readonly PresetNeed[]): string | undefined {
  const needed = preset?.needsOneOf ?? []
  if (needed.length === 0 || needed.some((need) => given.includes(need))) return undefined
  return `it needs ${needed.map((need) => WORDS[need]).join(' or ')}`
}
