/** Builds the texts of refusals and cautions in a language from its phrases. */
import type { ReasonCode, Text } from 'hono-rag-gate/core/gates'

/** The phrases of a language. Sentences end without a full stop. */
export interface Phrases {
  /** Start of a refusal, with its full stop, and a following space if the language uses one. */
  readonly cannot: string
  /** Start of a refusal that withdraws an answer, with its full stop. */
  readonly notConfirmed: string
  /** Full stop of the language. */
  readonly stop: string
  readonly sentences: Readonly<Record<Sentence, string>>
  readonly suggestions: Readonly<Record<Suggestion, string>>
}

type Sentence =
  | 'nothingFound'
  | 'unjudged'
  | 'tooLong'
  | 'ruledOut'
  | 'unreadable'
  | 'tooShort'
  | 'weak'
  | 'few'
  | 'unclear'
  | 'unsupported'
  | 'uncheckable'
  | 'incomplete'
  | 'noPassage'
  | 'limited'
  | 'unusable'
  | 'offTerms'
  | 'partial'
  | 'unchecked'
  | 'cut'

type Suggestion =
  | 'rephrase'
  | 'narrow'
  | 'specify'
  | 'addDocuments'
  | 'tryLater'
  | 'verify'
  | 'inLetters'
  | 'inSentence'

/** Parts of a text: `cannot` plus the sentence, `notConfirmed` alone, the sentence alone, or no answer. */
type Made = readonly [begins: 'cannot' | 'unconfirmed' | 'alone' | 'note', reason: Sentence, ...Suggestion[]]

const UNMEASURED: Made = ['cannot', 'unjudged', 'tryLater']
const UNJUDGED: Made = ['unconfirmed', 'unjudged', 'tryLater']
const WEAK: Made = ['cannot', 'weak', 'rephrase', 'narrow', 'specify', 'addDocuments']
const NO_PASSAGE: Made = ['unconfirmed', 'noPassage', 'rephrase', 'narrow', 'addDocuments']
const CARE: Made = ['note', 'limited', 'verify']

/** Every reason code that callers see from the engine, `balanced` and the reference policies. */
const MADE: Readonly<Record<ReasonCode, Made>> = {
  no_evidence: ['cannot', 'nothingFound', 'rephrase', 'addDocuments'],
  nothing_judged: UNMEASURED,
  answer_unreadable: UNJUDGED,
  gate_disabled: ['note', 'unchecked', 'verify'],
  context_cut: ['note', 'cut'],
  context_empty: ['cannot', 'tooLong', 'narrow', 'rephrase'],
  reader_failed: UNMEASURED,
  rule_refused: ['cannot', 'ruledOut', 'narrow'],
  rule_advised: CARE,
  rule_failed: UNMEASURED,
  question_unreadable: ['alone', 'unreadable', 'inLetters'],
  question_too_short: ['alone', 'tooShort', 'inSentence'],
  confidence_low: WEAK,
  confidence_moderate: CARE,
  confidence_unavailable: UNMEASURED,
  relevance_low: WEAK,
  relevant_chunks_few: ['cannot', 'few', 'narrow', 'rephrase', 'addDocuments'],
  score_low: WEAK,
  score_missing: UNMEASURED,
  no_clear_winner: ['cannot', 'unclear', 'specify', 'narrow'],
  similarity_low: WEAK,
  similarity_missing: UNMEASURED,
  keywords_missing: ['note', 'offTerms', 'verify'],
  keyword_coverage_missing: UNMEASURED,
  answer_unsupported: ['unconfirmed', 'unsupported', 'rephrase', 'narrow', 'addDocuments'],
  answer_uncheckable: ['unconfirmed', 'uncheckable', 'rephrase', 'specify'],
  response_incomplete: ['cannot', 'incomplete', 'rephrase', 'narrow'],
  response_partial: ['note', 'partial', 'verify'],
  response_quality_missing: UNJUDGED,
  advisory_only: CARE,
  advisory_unusable: ['note', 'unusable', 'verify'],
  share_low: NO_PASSAGE,
  overlap_low: NO_PASSAGE,
  shares_missing: UNJUDGED,
  shares_invalid: UNJUDGED,
}

/** Texts by reason code; for other codes the policy's own text is used. */
export type Texts = Readonly<Record<ReasonCode, Text>>

/** Builds the texts of a language. */
export function textsOf(phrases: Phrases): Texts {
  const text = ([begins, sentence, ...suggestions]: Made): Text => {
    const reason = phrases.sentences[sentence]
    const said = `${reason}${phrases.stop}`
    const answers = { cannot: `${phrases.cannot}${said}`, unconfirmed: phrases.notConfirmed, alone: said, note: '' }
    return { answer: answers[begins], reason, suggestions: suggestions.map((name) => phrases.suggestions[name]) }
  }
  return Object.fromEntries(Object.entries(MADE).map(([code, made]) => [code, text(made)]))
}
