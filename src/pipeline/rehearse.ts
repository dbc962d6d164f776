/** A decision that is made before the first question comes, so that what decides is compiled by then. */
import type { Ranking } from '../core/evidence/chunk.ts'
import type { Policy } from '../core/policy/policy.ts'
import { EMPTY_LEXICON } from '../core/text/lexicon.ts'
import { normaliseQuestion } from '../core/text/normalise.ts'
import { createTermReader } from '../core/text/terms.ts'
import { plainCollection } from '../ports/collections.ts'
import { readAsked } from './asked-question.ts'
import { judgeEvidence } from './assess-evidence.ts'
import { fuseReturned, type Search } from './retrieve.ts'

const QUESTION = 'How long are strong answers kept, and what happens to a question that nothing supports?'
const TEXT = `## Answers

Strong answers are kept for 6 to 24 hours. A question that no passage supports is refused, e.g. (see below):

- one about another product.`
const PASSAGES = 3
const RETRIEVAL = { candidates: PASSAGES, fusion: 'convex', fusionWeights: {}, rrfK: 60 } as const

/** Whether it was done: what is compiled is so for the whole isolate, whoever asked for it. */
let rehearsed = false

/**
 * Decides once in an isolate over passages of its own: a first decision takes many times as long as later ones, since no
 * function of it is compiled. Where it is called while a Worker starts, no request waits for that. It waits for nothing
 * itself, and draws no random number, which a Worker must not do while it starts.
 *
 * @param policy without code of the application's own
 */
export function rehearse(policy: Policy): void {
  if (rehearsed) return
  rehearsed = true
  const passages = Array.from({ length: PASSAGES }, (_, at) => ({
    id: String(at),
    documentId: String(at),
    title: 'Answers',
    text: `${TEXT}\n\n${at}`,
  }))
  const rankings: readonly Ranking[] = [
    { kind: 'cosine', entries: passages.map((passage, at) => ({ passage, score: 0.9 - at / 20 })) },
    { kind: 'bm25', entries: passages.map((passage, at) => ({ passage, score: 20 - at })) },
  ]
  const collection = plainCollection({ tenant: 'default', id: 'docs' })
  const search: Search = { collection, lexicon: EMPTY_LEXICON, filter: undefined, searchMode: 'hybrid' }
  const asked = readAsked(normaliseQuestion(QUESTION))
  const evidence = fuseReturned(rankings, RETRIEVAL, search, asked.parts.bare)
  const measures = { asked, policy, lexicon: EMPTY_LEXICON }
  judgeEvidence(createTermReader(), { context: { maxCharacters: 12_000 }, rules: [] }, measures, evidence, 'off')
}
