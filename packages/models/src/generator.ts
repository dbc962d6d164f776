import type { Chunk } from 'hono-rag-gate/core/evidence'
import type { GenerationReport } from 'hono-rag-gate/core/answer'
import type { TokenUsage } from 'hono-rag-gate/core/reports'

/** Input of a generator. */
export interface GenerationRequest {
  readonly question: string
  /** Evidence within the context budget, best first; `[1]` cites the first. */
  readonly chunks: readonly Chunk[]
  /** The same chunks as numbered, delimited text for a prompt. */
  readonly context: string
  /** Instruction to the model about weak evidence; absent for the verdict `pass`. */
  readonly caution?: string
  /** Earlier messages, oldest first. @default none */
  readonly history?: readonly { readonly role: 'user' | 'assistant'; readonly content: string }[]
  /** The calling app's instructions, in addition and subordinate to the generator's own. @default none */
  readonly instructions?: string
  /** Sampling parameters. @default the generator's own */
  readonly sampling?: Sampling
  readonly signal: AbortSignal
}

/** Sampling parameters that a caller asks for. */
export interface Sampling {
  /** 0..2. */
  readonly temperature?: number
  /** 0..1. */
  readonly topP?: number
  /** Maximum number of tokens, 1 and up; capped at the generator's own limit. */
  readonly maxTokens?: number
  /** Stop sequences. */
  readonly stop?: readonly string[]
  /** Whole number. */
  readonly seed?: number
}

/** An answer made from evidence. */
export interface Generation {
  readonly text: string
  /** Whether it ended normally; only complete answers may be cached. */
  readonly complete: boolean
  readonly model?: string
  readonly usage?: TokenUsage
  /** The model's data about its answer, for gates: confidence, attribution, structure. */
  readonly report?: GenerationReport
}

/** Generates answers. */
export interface Generator {
  /** Part of the answer key, because another model gives other answers. */
  readonly model: string
  /** @throws `llm_timeout`, `llm_unavailable`, `llm_misconfigured`, `llm_bad_request`, `llm_bad_response` */
  generate(request: GenerationRequest): Promise<Generation>
  /**
   * Streams the answer in pieces, which concatenated equal the text of the returned generation. Absent if answers
   * cannot be streamed. After the first piece only the signal bounds the wait for the next; the gate aborts a stalled
   * stream.
   *
   * @throws as `generate`, also after pieces were yielded
   */
  stream?(request: GenerationRequest): AsyncGenerator<string, Generation, void>
}
