/** Texts for answers without sufficient evidence: in neutral words, and in those of the specification. */
import { type Finding, type ReasonCode, refusalText, SUGGEST, type Text } from 'hono-rag-gate/core/gates'
import { percent } from 'hono-rag-gate/core/lib'
import type { Wording } from 'hono-rag-gate/core/policy'

const CANNOT_CONFIDENTLY = 'I cannot answer with confidence.'

const INSUFFICIENT = refusalText(
  CANNOT_CONFIDENTLY,
  'No single passage supports the answer sufficiently',
  'Rephrase your query to be more specific',
  'Expand the legal corpus with more relevant statutes',
  'Break down complex questions into simpler sub-questions',
  'Provide additional context about jurisdiction or relevant laws',
)

const UNJUDGED = refusalText(CANNOT_CONFIDENTLY, 'The support of the answer could not be judged', SUGGEST.tryLater)

/** Texts in the words of the specification, which is about legal provisions. */
export const SPECIFICATION_TEXTS: Readonly<Record<ReasonCode, Text>> = Object.freeze({
  share_low: INSUFFICIENT,
  overlap_low: INSUFFICIENT,
  shares_missing: UNJUDGED,
  shares_invalid: UNJUDGED,
})

/**
 * A share and its threshold as percentages: rounded, but down if the share is below and they would look alike. They have one
 * decimal, or two if the threshold does.
 */
export function percentsOf(share: number, threshold: number): readonly [string, string] {
  const rounded = [percent(share), percent(threshold)] as const
  if (share >= threshold || rounded[0] !== rounded[1]) return rounded
  const down = percent(Math.floor(share * 1000) / 1000)
  if (down !== rounded[1]) return [down, rounded[1]]
  // The tolerance is for decimals that binary numbers fall slightly below.
  return [`${(Math.floor(share * 10_000 + 1e-7) / 100).toFixed(2)}%`, `${(threshold * 100).toFixed(2)}%`]
}

const REFUSED = 'No legal provision received sufficient attention support.'

/** The specification's message to an operator for a finding; `undefined` if the finding's own message is used. */
export function specificationReason({ code, actual, threshold, message }: Finding): string | undefined {
  if (actual === undefined || threshold === undefined) return undefined
  if (code === 'share_low') {
    const [share, least] = percentsOf(actual, threshold)
    return `${REFUSED} Highest attention was ${share} but threshold is ${least}.`
  }
  return code === 'overlap_low' ? `${REFUSED} ${message}` : undefined
}

/** Explanation of a refusal in one paragraph. The specification's has the ending that its code gives the sentence. */
export const EXPLANATIONS: Readonly<Record<Wording, string>> = Object.freeze({
  neutral: 'The retrieved evidence was not focused enough on any single passage to give a reliable answer.',
  specification:
    'LEXAR safety mechanism: This refusal indicates that the retrieved evidence was not sufficiently focused on any single legal provision to provide a reliable answer. This prevents hallucination and ensures all answers are grounded in specific legal text.',
})

/** Added to a refusal that is escalated to a person. */
export const ESCALATION = 'This question can be passed on to a human expert.'
