/** Inputs for measuring an answer. */
import type { Chunk } from '../evidence/chunk.ts'
import type { Language } from '../text/language.ts'
import type { EvidenceShare } from './answer-signals.ts'

/** A route's reports about its answer that gates use. Every value is checked before use. */
export interface GenerationReport {
  /** The model's own confidence, 0..1. `0` is a value; a word such as `high` is not. */
  readonly generationConfidence?: number
  /** Log-probabilities (natural logarithm) of the generated tokens, at most 0; the confidence is computed from their mean. */
  readonly tokenLogProbabilities?: readonly number[]
  /** The chunks' shares of the answer's support. The shares and `noSupport` must add up to 1 ± .001. */
  readonly attribution?: { readonly shares: readonly EvidenceShare[]; readonly noSupport?: number }
  /** Ids of the chunks that support the answer. @default those cited as `[1]`, `[2]` … in the text */
  readonly citedChunkIds?: readonly string[]
  /** The answer as JSON: an object, or its text form. */
  readonly structured?: unknown
}

/** Source of the model's confidence. */
export type GenerationConfidenceSource = 'reported' | 'token-log-probabilities'

/** Input of `measureAnswer`. */
export interface AnswerInput {
  /** Normalised. */
  readonly question: string
  /** The evidence, best first; `[1]` cites the first of them. */
  readonly chunks: readonly Chunk[]
  /** `undefined` if no answer could be read. */
  readonly answer: string | undefined
  readonly report?: GenerationReport
  /** The policy's language, for stems and stop words. @default none: words are compared unchanged */
  readonly language?: Language | undefined
  /** @default 'reported' */
  readonly generationConfidenceSource?: GenerationConfidenceSource
  /** Fields to look for in a structured answer. */
  readonly fields?: readonly string[]
}
