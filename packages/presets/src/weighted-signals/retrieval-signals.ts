/** What the retrieval scores say about the evidence, beside what its texts say. */
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
 * The metrics of the weighted-signals profile. Consensus depends on a threshold, so the scores are kept and it is counted when
 * it is judged.
 */
export interface RetrievalSignals {
  /** The ranking score of every chunk that carries one, highest first. */
  readonly scores: readonly number[]
  /** The best ranking score. */
  readonly topScore: number
  /** Its lead over the second, 0 and up. */
  readonly scoreGap: number
  /** Standard deviation of the ranking scores, 0 and up. */
  readonly scoreSpread: number
  /** Agreement of BM25 and cosine, 0..1; .5 where it is not defined. */
  readonly bm25DenseAgreement: number
  /** Whether that agreement is defined. */
  readonly bm25DenseComparable: boolean
  /** How much the reranker changed the order, 0 to 2; see `rerankerImpact`. */
  readonly rerankerImpact: number
  /** Whether a knowledge graph raised any chunk. */
  readonly graphSupport: boolean
  /** Whether a knowledge graph was asked. */
  readonly graphConsulted: boolean
  /** Documents per chunk, 0..1. */
  readonly documentDiversity: number
  /** Number of documents. */
  readonly documentCount: number
  /** Number of different sections; chunks without one share one. */
  readonly sectionCount: number
}

/** Those signals, recorded together. */
export const retrieval: Signal<RetrievalSignals> = {
  name: 'retrieval',
  // An engine's scores rest on its own collection: they are held against that, as fusion does.
  measure: ({ words, evidence, lexicon, language }) =>
    measureRetrieval(evidence, idfMass(lexicon, terms(words, language))),
}

/** The policy, with these signals recorded by what it judges. */
export function recordsRetrieval(policy: Policy): Policy {
  const isRecorded = policy.signals.some(({ name }) => name === retrieval.name)
  return isRecorded ? policy : definePolicy({ ...policy, records: [...(policy.records ?? []), retrieval] })
}

/** What was recorded of them; `undefined` where nothing was, under every policy. */
export function retrievalOf(signals: Signals): RetrievalSignals | undefined {
  // Recorded by the signal of that name.
  return (signals as Signals & { readonly retrieval?: RetrievalSignals }).retrieval
}

/**
 * Measures the retrieval scores.
 *
 * @param idfMass idf summed over the question's terms, against the collection's own lexicon, 0 and up
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
