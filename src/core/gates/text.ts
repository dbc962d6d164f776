/** What people read about a reason: neutral sentences that name no domain. */

/** What is said about a reason. No figures: figures are in the findings, for operators. */
export interface Text {
  /** Stands where the answer would; empty for reasons that refuse nothing. */
  readonly answer: string
  /** Why, in one sentence. */
  readonly reason: string
  /** What the asker can do. */
  readonly suggestions: readonly string[]
}

/** The text of a reason that refuses. */
export function refusalText(answer: string, reason: string, ...suggestions: readonly string[]): Text {
  return Object.freeze({ answer, reason, suggestions: Object.freeze(suggestions) })
}

/** The text of a reason that lets the question through. */
export function noteText(reason: string, ...suggestions: readonly string[]): Text {
  return refusalText('', reason, ...suggestions)
}

/** How a refusal begins. */
export const CANNOT_ANSWER = 'I cannot answer this question based on the available documents.'

/** What can be suggested. */
export const SUGGEST = Object.freeze({
  rephrase: 'Rephrase the question with the words that the documents use',
  narrow: 'Ask about one thing at a time',
  specify: 'Name the product, version, person or place that the question is about',
  addDocuments: 'Add documents that cover this topic',
  tryLater: 'Try again later',
  verify: 'Verify the answer against the sources given with it',
})

/** Evidence that carries no number a gate could judge. */
export const UNMEASURED = refusalText(
  `${CANNOT_ANSWER} The evidence could not be judged.`,
  'The retrieved information carries no usable score',
  SUGGEST.tryLater,
)

/** A gate stood back: what read the passages judges them. */
export const GRADED_ALREADY = noteText('The reranker graded the evidence')

/** Evidence that is too weak. */
export const WEAK_EVIDENCE = refusalText(
  `${CANNOT_ANSWER} The retrieved information is not sufficiently relevant.`,
  'Retrieved information not sufficiently relevant',
  SUGGEST.rephrase,
  SUGGEST.specify,
  SUGGEST.addDocuments,
)

/** How a refusal begins that took back an answer. */
export const NOT_CONFIRMED = 'I cannot give an answer that the available documents confirm.'
