/** A second look where the first found little: the question in further words, retrieved once more, judged as before. */
import type { Expansion } from '../core/policy/decision.ts'
import type { Evidence } from '../core/evidence/evidence.ts'
import { feedbackTerms } from '../core/evidence/feedback-terms.ts'
import { idfMass } from '../core/text/lexicon.ts'
import { mergeRounds } from '../core/evidence/merge-rounds.ts'
import { DISAGREE_BELOW } from '../presets/weighted-signals/recommendations.ts'
import { normaliseQuestion } from '../core/text/normalise.ts'
import { terms } from '../core/text/terms.ts'
import { RagGateError } from '../errors.ts'
import { type Asking, judgeEvidence, type JudgedEvidence } from './asking.ts'
import { retrieve, RETRIEVER_FAULTS } from './retrieve.ts'
import { withinDeadline } from './within-deadline.ts'

/** What the first round left. */
export interface FirstRound {
  /** All that was retrieved, fused, not cut to what is judged. */
  readonly retrieved: Evidence
  readonly judged: JudgedEvidence
  readonly retrievalMs: number
}

/** What is judged in the end. */
export interface LastRound {
  readonly judged: JudgedEvidence
  /** Of both rounds, milliseconds. */
  readonly retrievalMs: number
  /** Absent when no further round was tried. */
  readonly expansion?: Expansion
}

/** Rewritten questions that are searched. */
const MOST_REWRITES = 3

/** Longest rewritten question, characters. */
const LONGEST_REWRITE = 4000

const DEFAULT_REWRITE_TIMEOUT_MS = 1000

/**
 * Where the confidence of the first judgement lies under `expandBelow`, retrieves once more in further words, merges both
 * rounds, and judges again: the same policy, the same question. Both rounds share one deadline. A further round that
 * fails leaves the first judgement, and the decision says that it failed.
 */
export async function expandWhereWeak(asking: Asking, first: FirstRound): Promise<LastRound> {
  const { ports, settings, asked, lexicon } = asking
  const { confidence } = first.judged.judgement
  const unchanged = { judged: first.judged, retrievalMs: first.retrievalMs }
  if (settings.expandBelow === undefined || confidence >= settings.expandBelow) return unchanged
  const startedMs = ports.clock.nowMs()
  const leftMs = settings.retrievalTimeoutMs - first.retrievalMs
  const spentMs = (): number => first.retrievalMs + ports.clock.nowMs() - startedMs
  let further: readonly Evidence[]
  try {
    further = await withinDeadline(Math.max(1, leftMs), RETRIEVER_FAULTS, async (signal) => {
      const wordings = await furtherWordings(asking, first, leftMs, signal)
      return Promise.all(wordings.map((words) => retrieve(asking, words, signal)))
    })
  } catch (thrown) {
    console.warn('[rag-gate] the further round failed: the question is judged by the first', thrown)
    const expansion: Expansion = { expanded: false, firstConfidence: confidence, retrievals: 0, keptOfEach: 0 }
    return { judged: first.judged, retrievalMs: spentMs(), expansion }
  }
  const retrievalMs = spentMs()
  if (further.length === 0) return { ...unchanged, retrievalMs }
  const { bm25DenseAgreement, bm25DenseComparable } = first.judged.signals.retrieval
  const disagree = bm25DenseComparable && bm25DenseAgreement < DISAGREE_BELOW
  const keepOfEach = disagree ? Math.ceil(settings.topK / 4) : 0
  const merged = mergeRounds(first.retrieved, further, {
    topK: settings.topK,
    idfMass: idfMass(lexicon, terms(asked.question)),
    keepOfEach,
  })
  const judged = await judgeEvidence(asking, merged, Math.max(1, settings.rerankTimeoutMs - first.judged.rerankMs))
  return {
    judged: { ...judged, rerankMs: first.judged.rerankMs + judged.rerankMs },
    retrievalMs,
    expansion: { expanded: true, firstConfidence: confidence, retrievals: further.length, keptOfEach: keepOfEach },
  }
}

/** In which words the question is asked again: a rewriter's, or its own with words of the best chunks; none for none. */
async function furtherWordings(
  { ports: { rewriter }, settings, asked: { question }, lexicon }: Asking,
  { judged }: FirstRound,
  leftMs: number,
  outer: AbortSignal,
): Promise<readonly string[]> {
  const { evidence } = judged
  if (rewriter === undefined) {
    const added = feedbackTerms(question, evidence.chunks, lexicon)
    return added.length === 0 ? [] : [`${question} ${added.join(' ')}`]
  }
  const timeoutMs = Math.max(1, Math.min(leftMs, settings.rewriteTimeoutMs ?? DEFAULT_REWRITE_TIMEOUT_MS))
  const written = await withinDeadline(timeoutMs, RETRIEVER_FAULTS, (signal) =>
    rewriter.rewrite(question, evidence, AbortSignal.any([signal, outer])),
  )
  if (!Array.isArray(written)) throw new RagGateError('retriever_bad_response', 'The rewriter gave no list')
  return [...new Set(written.filter(isSearchable).map(normaliseQuestion))]
    .filter((words) => words !== '' && words !== question)
    .slice(0, MOST_REWRITES)
}

/** A model may write anything. */
function isSearchable(written: unknown): written is string {
  return typeof written === 'string' && written.length <= LONGEST_REWRITE && !/\p{Surrogate}/u.test(written)
}
