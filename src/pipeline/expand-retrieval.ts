/** A second look where the first found little: the question in further words, retrieved once more, judged as before. */
import type { QuestionRewriter } from '../ports/question-rewriter.ts'
import type { Chunk } from '../core/evidence/chunk.ts'
import type { QuestionPorts, RetrievalSettings } from './question-settings.ts'
import type { AssessedEvidence } from './assess-evidence.ts'
import type { Expansion } from '../core/policy/decision.ts'
import type { Evidence } from '../core/evidence/evidence.ts'
import { feedbackTerms } from '../core/evidence/feedback-terms.ts'
import { idfMass, type Lexicon } from '../core/text/lexicon.ts'
import { mergeRounds } from '../core/evidence/merge-rounds.ts'
import { DISAGREE_BELOW } from '../core/signals/bm25-dense-agreement.ts'
import { normaliseQuestion } from '../core/text/normalise.ts'
import { terms } from '../core/text/terms.ts'
import { RagGateError, isRagGateError } from '../errors.ts'
import { retrieve, RETRIEVER_FAULTS, type Search } from './retrieve.ts'
import { withinDeadline } from './within-deadline.ts'

/** What the first round left. */
export interface FirstRound {
  /** All that was retrieved, fused, not cut to what is judged. */
  readonly retrieved: Evidence
  readonly assessed: AssessedEvidence
  readonly retrievalMs: number
}

/** What came of a further round. */
export interface FurtherRound {
  /** Both rounds merged; absent where there is nothing else to judge than before. */
  readonly evidence?: Evidence
  /** Of both rounds, milliseconds. */
  readonly retrievalMs: number
  /** Absent when no further round was tried. */
  readonly expansion?: Expansion
}

/** Rewritten questions that are searched. */
const MOST_REWRITES = 3

/** Longest rewritten question, characters. */
const LONGEST_REWRITE = 4000

/**
 * Where the confidence of the first judgement lies under `expandBelow`, retrieves once more in further words and merges
 * both rounds, to be judged by the same policy for the same question. Both rounds share one deadline. A further round
 * that fails leaves the first judgement, and the decision says that it failed.
 *
 * @param question as it was searched first: without its words of courtesy
 */
export async function expandRetrieval(
  { retriever, rewriter, clock, onWarning }: Pick<QuestionPorts, 'retriever' | 'rewriter' | 'clock' | 'onWarning'>,
  settings: RetrievalSettings,
  search: Search,
  question: string,
  first: FirstRound,
): Promise<FurtherRound> {
  const { confidence } = first.assessed.judgement
  if (settings.expandBelow === undefined || confidence >= settings.expandBelow) {
    return { retrievalMs: first.retrievalMs }
  }
  const startedMs = clock.nowMs()
  const leftMs = settings.timeoutMs - first.retrievalMs
  const spentMs = (): number => first.retrievalMs + clock.nowMs() - startedMs
  let further: readonly Evidence[]
  try {
    further = await withinDeadline(Math.max(1, leftMs), RETRIEVER_FAULTS, async (signal) => {
      const rewriteMs = Math.max(1, Math.min(leftMs, settings.rewriteTimeoutMs))
      const { chunks } = first.assessed.evidence
      const wordings =
        rewriter === undefined
          ? wordsOfBest(question, chunks, search.lexicon)
          : await rewritten(rewriter, question, first.assessed.evidence, rewriteMs, signal)
      return Promise.all(wordings.map((words) => retrieve(retriever, settings, search, words, signal)))
    })
  } catch (thrown) {
    const code = isRagGateError(thrown) ? thrown.code : 'retriever_unavailable'
    onWarning?.({ code, message: 'The further round failed: the question is judged by the first', cause: thrown })
    const expansion: Expansion = { expanded: false, firstConfidence: confidence, retrievals: 0, keptOfEach: 0 }
    return { retrievalMs: spentMs(), expansion }
  }
  const retrievalMs = spentMs()
  if (further.length === 0) return { retrievalMs }
  const { bm25DenseAgreement, bm25DenseComparable } = first.assessed.signals.retrieval
  const disagree = bm25DenseComparable && bm25DenseAgreement < DISAGREE_BELOW
  const keepOfEach = disagree ? Math.ceil(settings.topK / 4) : 0
  const evidence = mergeRounds(first.retrieved, further, {
    topK: settings.topK,
    idfMass: idfMass(search.lexicon, terms(question)),
    keepOfEach,
  })
  return {
    evidence,
    retrievalMs,
    expansion: { expanded: true, firstConfidence: confidence, retrievals: further.length, keptOfEach: keepOfEach },
  }
}

/** The question with words of the best chunks; none when they have none to add. */
function wordsOfBest(question: string, chunks: readonly Chunk[], lexicon: Lexicon): readonly string[] {
  const added = feedbackTerms(question, chunks, lexicon)
  return added.length === 0 ? [] : [`${question} ${added.join(' ')}`]
}

/** The question in a rewriter's words: the first few that differ and can be searched. */
async function rewritten(
  rewriter: QuestionRewriter,
  question: string,
  evidence: Evidence,
  timeoutMs: number,
  outer: AbortSignal,
): Promise<readonly string[]> {
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
