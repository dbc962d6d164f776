/** A second look where the first found little: the question in further words, retrieved once more, judged as before. */
import { number, required, requireOptions, whole } from '../core/lib/options.ts'
import type { QuestionRewriter } from '../ports/question-rewriter.ts'
import type { Chunk } from '../core/evidence/chunk.ts'
import type { Expansion } from '../core/policy/decision.ts'
import type { Evidence } from '../core/evidence/evidence.ts'
import { feedbackTerms } from '../core/evidence/feedback-terms.ts'
import { idfMass, type Lexicon } from '../core/text/lexicon.ts'
import { mergeRounds } from '../core/evidence/merge-rounds.ts'
import { DISAGREE_BELOW } from '../core/signals/bm25-dense-agreement.ts'
import { normaliseQuestion } from '../core/text/normalise.ts'
import { terms } from '../core/text/terms.ts'
import { RagGateError, isRagGateError } from '../errors.ts'
import type { FurtherRound, RetrievalExpansion } from './question-settings.ts'
import { RETRIEVER_FAULTS } from './retrieve.ts'
import { withinDeadline } from './within-deadline.ts'

/** Rewritten questions that are searched. */
const MOST_REWRITES = 3

/** Longest rewritten question, characters. */
const LONGEST_REWRITE = 4000

/** How a further round goes. */
export interface ExpansionOptions {
  /** Confidence of the first judgement under which one further round of retrieval is tried, 0..1. */
  readonly below: number
  /**
   * How long the rewriter may take, milliseconds, 1..60000, within the deadline of the retrieval.
   *
   * @default 1000
   */
  readonly rewriteTimeoutMs?: number
}

/**
 * Where the confidence of the first judgement lies under `below`, retrieves once more in further words and merges both
 * rounds, to be judged by the same policy for the question as it was asked. Both rounds share one deadline. A further
 * round that fails leaves the first judgement, and the decision says that it failed.
 *
 * @returns a stage for the option `retrieval.expansion`
 * @throws `config_invalid` when an option is out of range
 */
export function expandRetrieval(options: ExpansionOptions): RetrievalExpansion {
  requireOptions(options, { below: required(number(0, 1)), rewriteTimeoutMs: whole(1, 60_000) })
  const { below, rewriteTimeoutMs = 1000 } = options
  const expand: RetrievalExpansion['expand'] = (...given) => furtherRound(rewriteTimeoutMs, ...given)
  return Object.freeze({ below, expand })
}

async function furtherRound(
  rewriteTimeoutMs: number,
  ...[{ rewriter, clock, onWarning }, search, first]: Parameters<RetrievalExpansion['expand']>
): Promise<FurtherRound> {
  const startedMs = clock.nowMs()
  const leftMs = search.timeoutMs - first.retrievalMs
  const spentMs = (): number => first.retrievalMs + clock.nowMs() - startedMs
  let further: readonly Evidence[]
  try {
    further = await withinDeadline(Math.max(1, leftMs), RETRIEVER_FAULTS, async (signal) => {
      const rewriteMs = Math.max(1, Math.min(leftMs, rewriteTimeoutMs))
      const wordings =
        rewriter === undefined
          ? wordsOfBest(first.words, first.judged.chunks, search.lexicon)
          : await rewritten(rewriter, first.words, first.judged, rewriteMs, signal)
      return Promise.all(wordings.map((words) => search.retrieve(words, signal)))
    })
  } catch (thrown) {
    const code = isRagGateError(thrown) ? thrown.code : 'retriever_unavailable'
    onWarning?.({ code, message: 'The further round failed: the question is judged by the first', cause: thrown })
    const expansion: Expansion = { expanded: false, firstConfidence: first.confidence, retrievals: 0, keptOfEach: 0 }
    return { retrievalMs: spentMs(), expansion }
  }
  const retrievalMs = spentMs()
  if (further.length === 0) return { retrievalMs }
  const { bm25DenseAgreement, bm25DenseComparable } = first.signals.retrieval
  const disagree = bm25DenseComparable && bm25DenseAgreement < DISAGREE_BELOW
  const keepOfEach = disagree ? Math.ceil(search.topK / 4) : 0
  return {
    evidence: mergeRounds(first.retrieved, further, {
      topK: search.topK,
      idfMass: idfMass(search.lexicon, terms(first.words)),
      keepOfEach,
    }),
    retrievalMs,
    expansion: {
      expanded: true,
      firstConfidence: first.confidence,
      retrievals: further.length,
      keptOfEach: keepOfEach,
    },
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
