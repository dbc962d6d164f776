/** Texts for reason codes: neutral sentences that name no domain. */

/** The text for a reason code, without figures; these are in the findings, for operators. */
export interface Text {
  /** Sent in place of the answer; empty for codes that do not refuse. */
  readonly answer: string
  /** The reason, in one sentence. */
  readonly reason: string
  /** What the user can do. */
  readonly suggestions: readonly string[]
}

/** Makes the text of a code that refuses. */
export function refusalText(answer: string, reason: string, ...suggestions: readonly string[]): Text {
  return Object.freeze({ answer, reason, suggestions: Object.freeze(suggestions) })
}

/** Makes the text of a code that does not refuse. */
export function noteText(reason: string, ...suggestions: readonly string[]): Text {
  return refusalText('', reason, ...suggestions)
}

/** First sentence of refusals before the model call. */
export const CANNOT_ANSWER = 'I cannot answer this question based on the available documents.'

/** Suggestions. */
export const SUGGEST = Object.freeze({
  rephrase: 'Use the words of the documents',
  narrow: 'Ask about one thing at a time',
  specify: 'Name the product or place',
  addDocuments: 'Add documents about it',
  tryLater: 'Try again later',
  verify: 'Verify it against its sources',
})

/** For evidence without any number that a gate could judge. */
export const UNMEASURED = refusalText(
  `${CANNOT_ANSWER} The evidence could not be judged.`,
  'The evidence could not be judged',
  SUGGEST.tryLater,
)

/** For a gate that skipped because the reranker graded the passages. */
export const GRADED_ALREADY = noteText('The reranker graded the evidence')

/** For evidence that is too weak. */
export const WEAK_EVIDENCE = refusalText(
  `${CANNOT_ANSWER} The retrieved information is not sufficiently relevant.`,
  'Retrieved information not sufficiently relevant',
  SUGGEST.rephrase,
  SUGGEST.narrow,
  SUGGEST.specify,
  SUGGEST.addDocuments,
)

/** First sentence of refusals that replace an answer. */
export const NOT_CONFIRMED = 'I cannot give an answer that the available documents confirm.'
