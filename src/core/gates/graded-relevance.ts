import { anything, number, type OptionKinds, required, requireOptions, string, whole } from '../lib/options.ts'
import { noteText, WEAK_EVIDENCE, refusalText, CANNOT_ANSWER, SUGGEST } from './text.ts'
import { curves, SCORES_RECORDED } from '../signals/score-curves.ts'
import { defineGate, type PolicyGate, gateWith } from './gate.ts'
import { meets, RATIO_TOLERANCE } from '../lib/numbers.ts'

/** Settings of `gradedRelevance`. */
export interface GradedRelevanceOptions {
  /**
   * Lowest grade of a relevant chunk, 0..3.
   *
   * @default 2
   */
  readonly relevanceThreshold?: number | undefined
  /**
   * Number of relevant chunks needed, 0..20; the best one must always be relevant.
   *
   * @default 1
   */
  readonly minChunks?: number | undefined
}

/** `gradedRelevance` as a policy holds it. */
export interface GradedRelevanceSettings {
  readonly gate: 'graded-relevance'
  readonly relevanceThreshold: number
  readonly minChunks: number
}

/** Names of the options; their values are checked as settings. */
export const GRADED_RELEVANCE_OPTIONS: OptionKinds<GradedRelevanceOptions> = {
  relevanceThreshold: anything,
  minChunks: anything,
}

const SETTINGS: OptionKinds<GradedRelevanceSettings> = {
  gate: required(string),
  relevanceThreshold: required(number(0, 3)),
  minChunks: required(whole(0, SCORES_RECORDED)),
}

/**
 * Judges the reranker's grades of the chunks. Skips if no chunk was graded, because the reranker is off or failed; refuses if
 * all chunks were graded irrelevant.
 *
 * @throws `policy_invalid` when a setting is out of range
 * @see the specification of two-tier, "Reranked Score Gating"
 */
export function gradedRelevance(options: GradedRelevanceOptions = {}): PolicyGate {
  requireOptions(options, GRADED_RELEVANCE_OPTIONS, 'policy_invalid')
  return gateWith(gradedRelevanceGate, {
    gate: 'graded-relevance',
    relevanceThreshold: options.relevanceThreshold ?? 2,
    minChunks: options.minChunks ?? 1,
  })
}

/** The check behind `gradedRelevance`. */
export const gradedRelevanceGate = defineGate({
  name: 'graded-relevance',
  stage: 'pre-generation',
  texts: {
    not_graded: noteText('No reranker graded the evidence'),
    relevance_low: WEAK_EVIDENCE,
    relevant_chunks_few: refusalText(
      `${CANNOT_ANSWER} There is not enough evidence.`,
      'Insufficient high-confidence chunks',
      SUGGEST.narrow,
      SUGGEST.rephrase,
      SUGGEST.addDocuments,
    ),
  },
  reads: () => [curves],
  validate: (settings: GradedRelevanceSettings) => requireOptions(settings, SETTINGS, 'policy_invalid'),
  check: ({ relevanceThreshold, minChunks }, { signals }) => {
    const grades = signals.curves?.grade?.scores ?? []
    const top = grades[0]
    if (top === undefined) return { outcome: 'skip', code: 'not_graded', message: 'No chunk was graded by a reranker' }
    if (!meets(top, relevanceThreshold, RATIO_TOLERANCE)) {
      return {
        outcome: 'refuse',
        code: 'relevance_low',
        message: `Top chunk relevance score (${top}) below threshold (${relevanceThreshold})`,
        ...(Number.isFinite(top) ? { actual: top } : {}),
        threshold: relevanceThreshold,
      }
    }
    const relevant = grades.filter((grade) => meets(grade, relevanceThreshold, RATIO_TOLERANCE)).length
    const figures = { actual: relevant, threshold: minChunks }
    if (relevant < minChunks) {
      return {
        outcome: 'refuse',
        code: 'relevant_chunks_few',
        message: `Chunks above threshold (${relevanceThreshold}): ${relevant} below required (${minChunks})`,
        ...figures,
      }
    }
    return {
      outcome: 'pass',
      code: 'passed',
      message: `Chunks above threshold (${relevanceThreshold}): ${relevant}`,
      ...figures,
    }
  },
})
