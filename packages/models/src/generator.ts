import type { Chunk } from 'hono-rag-gate/core/evidence'
import type { GenerationReport } from 'hono-rag-gate/core/answer'
import type { TokenUsage } from 'hono-rag-gate/core/reports'

/** What an answer is made from. */
export interface GenerationRequest {
  readonly question: string
  /** Evidence within the context budget, best first; citation `[1]` is the first of them. */
  readonly chunks: readonly Chunk[]
  /** The same as numbered, delimited text for a prompt. */
  readonly context: string
  /** What to tell the model about weak evidence; absent for a pass. */
  readonly caution?: string
  /** What was said before the question, oldest first. @default nothing */
  readonly history?: readonly { readonly role: 'user' | 'assistant'; readonly content: string }[]
  /** What the caller's app asks of the model, beside and below the generator's own instructions. @default nothing */
  readonly instructions?: string
  /** How the model writes. @default as the generator is set */
  readonly sampling?: Sampling
  readonly signal: AbortSignal
}

/** How a model writes, as a caller asks for it. */
export interface Sampling {
  /** 0..2. */
  readonly temperature?: number
  /** 0..1. */
  readonly topP?: number
  /** Tokens at most, 1 and up; never more than the generator allows. */
  readonly maxTokens?: number
  /** Texts before which it ends. */
  readonly stop?: readonly string[]
  /** Whole. */
  readonly seed?: number
}

/** An answer made from evidence. */
export interface Generation {
  readonly text: string
  /** Whether it ended by itself; only then may it be stored. */
  readonly complete: boolean
  readonly model?: string
  readonly usage?: TokenUsage
  /** What the model knows of its answer, for gates that judge answers: confidence, attribution, structure. */
  readonly report?: GenerationReport
}

/** Makes answers. */
export interface Generator {
  /** Named in the answer key: another model makes other answers. */
  readonly model: string
  /** @throws `llm_timeout`, `llm_unavailable`, `llm_misconfigured`, `llm_bad_request`, `llm_bad_response` */
  generate(request: GenerationRequest): Promise<Generation>
  /**
   * The same, piece by piece as it is written; joined, the pieces are the text of the generation that it returns. Absent
   * where answers are made whole. From the first piece on nothing but the signal limits how long it waits for the next:
   * a gate gives up a stream that falls silent.
   *
   * @throws what `generate` does, after pieces too
   */
  stream?(request: GenerationRequest): AsyncGenerator<string, Generation, void>
}
