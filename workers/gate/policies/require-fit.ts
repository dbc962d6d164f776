import { embedsWords } from 'hono-rag-gate/core/evidence'
import type { Policy, PresetNeed } from 'hono-rag-gate/core/policy'
import type { Composition } from '../compose.ts'
import type { Given } from '../engines.ts'
import { WorkerError } from '../errors.ts'

const WORDS: Readonly<Record<PresetNeed, string>> = {
  reranker: 'a reranker (set RERANKER)',
  words: 'scores of words alone (the index of words in D1)',
  meaning: 'cosines of meaning (Vectorize or Upstash Vector with a neural model)',
}

/**
 * Checks whether a named or pushed policy can work in this deployment.
 *
 * @throws `policy_unfit` for one that would refuse, or call unusable, what it should answer; the index's errors, if its
 *   embedding model matters
 */
export async function requireFit(
  { name, preset, gates }: Policy,
  { given, gate: { retriever } }: Pick<Composition, 'given' | 'gate'>,
): Promise<void> {
  const needed = preset?.needsOneOf ?? []
  const meets = (has: readonly Given[]): boolean => needed.length === 0 || needed.some((need) => has.includes(need))
  const unmet = (): WorkerError => unfit(name, needed.map((need) => WORDS[need]).join(' or '))
  if (!meets(given)) throw unmet()
  if (gates.some(({ gate }) => gate.stage === 'post-generation') && !given.includes('model')) {
    throw unfit(name, 'a model (LLM_BASE_URL, LLM_API_KEY, LLM_MODEL)')
  }
  if (gates.some(({ gate }) => gate.needs === 'generation-confidence')) {
    throw unfit(name, 'generation confidence')
  }
  if (meets(given.filter((one) => one !== 'meaning'))) return
  const embedding = await retriever.embeddingNow?.(AbortSignal.timeout(5000))
  if (embedsWords(embedding?.model ?? '')) throw unmet()
}

function unfit(name: string, needed: string): WorkerError {
  return new WorkerError('policy_unfit', `${name} cannot work here: it needs ${needed}`, { param: 'policy' })
}
