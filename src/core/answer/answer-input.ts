/** What is known of an answer before it is measured. */
import type { Chunk } from '../evidence/chunk.ts'
import type { Language } from '../text/language.ts'
import type { EvidenceShare } from './answer-signals.ts'

/** What only the route knows about its answer, as far as gates look at it. Every value is checked before it is used. */
export interface GenerationReport {
  /** The model's own confidence, 0..1. `0` is a value; a word such as `high` is not. */
  readonly generationConfidence?: number
  /** Natural logarithms of the probabilities of the tokens generated, 0 and below; their mean makes the confidence. */
  readonly tokenLogProbabilities?: readonly number[]
  /** How the answer's support is shared among the chunks. The shares and `noSupport` must add up to 1, give or take .001. */
  readonly attribution?: { readonly shares: readonly EvidenceShare[]; readonly noSupport?: number }
  /** Ids of the chunks that the answer rests on. @default those cited as `[1]`, `[2]` … in the text */
  readonly citedChunkIds?: readonly string[]
  /** The answer as JSON: an object, or its text. */
  readonly structured?: unknown
}

/** From where a route has the confidence of its model. */
export type GenerationConfidenceSource = 'reported' | 'token-log-probabilities'

/** What `measureAnswer` looks at. */
export interface AnswerInput {
  /** Normalised. */
  readonly question: string
  /** The evidence, best first; `[1]` cites the first of them. */
  readonly chunks: readonly Chunk[]
  /** `undefined` when no answer could be read. */
  readonly answer: string | undefined
  readonly report?: GenerationReport
  /** In which its words and those of the chunks are read: the policy's. @default none: every word counts as it stands */
  readonly language?: Language | undefined
  /** @default 'reported' */
  readonly generationConfidenceSource?: GenerationConfidenceSource
  /** Fields that a structured answer is held against. */
  readonly fields?: readonly string[]
}
