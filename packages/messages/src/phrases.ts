/** Texts of refusals and cautions in another language, made of its phrases. */
import type { ReasonCode, Text } from 'hono-rag-gate/core/gates'

/** What all texts of a language are made of. Sentences end without a stop. */
export interface Phrases {
  /** How a refusal begins, with its stop and a space where one follows. */
  readonly cannot: string
  /** How a refusal begins that took back an answer, with its stop. */
  readonly notConfirmed: string
  /** What ends a sentence. */
  readonly stop: string
  readonly sentences: Readonly<Record<Sentence, string>>
  readonly suggestions: Readonly<Record<Suggestion, string>>
}

type Sentence =
  | 'nothingFound'
  | 'unjudged'
  | 'tooLong'
  | 'unread'
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

/** Of what a text is made: `cannot` and the sentence, `notConfirmed`, the sentence alone, or no answer at all. */
type Made = readonly [begins: 'cannot' | 'unconfirmed' | 'alone' | 'note', reason: Sentence, ...Suggestion[]]

const UNMEASURED: Made = ['cannot', 'unjudged', 'tryLater']
const UNJUDGED: Made = ['unconfirmed', 'unjudged', 'tryLater']
const WEAK: Made = ['cannot', 'weak', 'rephrase', 'specify', 'addDocuments']
const NO_PASSAGE: Made = ['unconfirmed', 'noPassage', 'rephrase', 'narrow', 'addDocuments']
const CARE: Made = ['note', 'limited', 'verify']

/** Every code of the engine, `balanced` and the documents' policies that callers are sent. */
const MADE: Readonly<Record<ReasonCode, Made>> = {
  no_evidence: ['cannot', 'nothingFound', 'rephrase', 'addDocuments'],
  nothing_judged: UNMEASURED,
  answer_unreadable: UNJUDGED,
  gate_disabled: ['note', 'unchecked', 'verify'],
  context_cut: ['note', 'cut'],
  context_empty: ['cannot', 'tooLong', 'narrow', 'rephrase'],
  reader_failed: ['cannot', 'unread', 'tryLater'],
  rule_refused: ['cannot', 'ruledOut', 'rephrase', 'narrow'],
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

/** Texts by reason code; a code that is not among them keeps the policy's own. */
export type Texts = Readonly<Record<ReasonCode, Text>>

/** The texts of a language. */
export function textsOf(phrases: Phrases): Texts {
  const text = ([begins, sentence, ...suggestions]: Made): Text => {
    const reason = phrases.sentences[sentence]
    const said = `${reason}${phrases.stop}`
    const answers = { cannot: `${phrases.cannot}${said}`, unconfirmed: phrases.notConfirmed, alone: said, note: '' }
    return { answer: answers[begins], reason, suggestions: suggestions.map((name) => phrases.suggestions[name]) }
  }
  return Object.fromEntries(Object.entries(MADE).map(([code, made]) => [code, text(made)]))
}
