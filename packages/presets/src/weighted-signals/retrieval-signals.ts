/** Signals from retrieval scores, in addition to those from texts. */
import type { Evidence } from 'hono-rag-gate/core/evidence'
import { definePolicy, type Policy } from 'hono-rag-gate/core/policy'
import { scoredChunks } from './ranking-score.ts'
import type { Signal, Signals } from 'hono-rag-gate/core/signals'
import { idfMass, terms } from 'hono-rag-gate/core/text'
import { bm25DenseAgreement } from './bm25-dense-agreement.ts'
import { documentCount, documentDiversity } from './document-diversity.ts'
import { graphConsulted, graphSupport } from './graph-support.ts'
import { rerankerImpact } from './reranker-impact.ts'
import { scoreGap } from './score-gap.ts'
import { scoreSpread } from './score-spread.ts'
import { topScore } from './top-score.ts'

/**
 * The metrics of the weighted-signals profile. Consensus depends on a threshold, so the scores are recorded and counted
 * when judging.
 */
export interface RetrievalSignals {
  /** The ranking score of every chunk that carries one, highest first. */
  readonly scores: readonly number[]
  /** The best ranking score. */
  readonly topScore: number
  /** Its lead over the second best, 0 and up. */
  readonly scoreGap: number
  /** Standard deviation of the ranking scores, 0 and up. */
  readonly scoreSpread: number
  /** Agreement of BM25 and cosine, 0..1; .5 if undefined. */
  readonly bm25DenseAgreement: number
  /** Whether that agreement is defined. */
  readonly bm25DenseComparable: boolean
  /** How much the reranker changed the order, 0 to 2; see `rerankerImpact`. */
  readonly rerankerImpact: number
  /** Whether a knowledge graph raised the score of any chunk. */
  readonly graphSupport: boolean
  /** Whether a knowledge graph was queried. */
  readonly graphConsulted: boolean
  /** Documents per chunk, 0..1. */
  readonly documentDiversity: number
  /** Number of documents. */
  readonly documentCount: number
  /** Number of distinct sections; all chunks without one count as one section. */
  readonly sectionCount: number
}

/** The recorded signal `retrieval`. */
export const retrieval: Signal<RetrievalSignals> = {
  name: 'retrieval',
  // BM25 scores depend on the engine's own collection, so they are scaled with the lexicon, as in fusion.
  measure: ({ words, evidence, lexicon, language }) =>
    measureRetrieval(evidence, idfMass(lexicon, terms(words, language))),
}

/** Returns the policy with these signals added to its recorded ones. */
export function recordsRetrieval(policy: Policy): Policy {
  const isRecorded = policy.signals.some(({ name }) => name === retrieval.name)
  return isRecorded ? policy : definePolicy({ ...policy, records: [...(policy.records ?? []), retrieval] })
}

/** The recorded retrieval signals; `undefined` if none were recorded. Works for every policy. */
export function retrievalOf(signals: Signals): RetrievalSignals | undefined {
  // The signal of that name has this type.
  return (signals as Signals & { readonly retrieval?: RetrievalSignals }).retrieval
}

/**
 * Computes the signals from the retrieval scores.
 *
 * @param idfMass sum of idf over the question's terms in the collection's lexicon, 0 and up
 */
export function measureRetrieval(evidence: Evidence, idfMass: number): RetrievalSignals {
  const { chunks } = evidence
  const scored = scoredChunks(evidence, idfMass)
  const { agreement, comparable } = bm25DenseAgreement(chunks)
  return Object.freeze({
    scores: scored.map(({ score }) => score),
    topScore: topScore(scored),
    scoreGap: scoreGap(scored),
    scoreSpread: scoreSpread(scored),
    bm25DenseAgreement: agreement,
    bm25DenseComparable: comparable,
    rerankerImpact: rerankerImpact(chunks),
    graphSupport: graphSupport(evidence),
    graphConsulted: graphConsulted(evidence),
    documentDiversity: documentDiversity(chunks),
    documentCount: documentCount(chunks),
    sectionCount: new Set(chunks.map(({ section }) => section ?? '')).size,
  })
}
