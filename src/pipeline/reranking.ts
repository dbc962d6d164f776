/** The optional reranking step between fusion and measuring. */
import {
  methods,
  number,
  oneOf,
  type OptionKinds,
  required,
  requireOptions,
  string,
  whole,
} from '../core/lib/options.ts'
import type { Evidence } from '../core/evidence/evidence.ts'
import { reranked, type RerankerOutcome } from '../core/evidence/rerank.ts'
import type { Judgement } from '../core/policy/decision.ts'
import { readerFindings } from '../core/policy/reader-findings.ts'
import { isRagGateError } from '../errors.ts'
import type { Reranker } from '../ports/reranker.ts'
import type { Reranking, ToRerank } from './question-settings.ts'
import { type Faults, withinDeadline } from './within-deadline.ts'

/** Settings of `reranking`. */
export interface RerankingOptions {
  /**
   * Deadline of the reranker, milliseconds, 1..60000; after it the evidence is judged as retrieved.
   *
   * @default 3000
   */
  readonly timeoutMs?: number
  /**
   * Calls the reranker only if the confidence without it is at least `from` and less than `below`, 0..1; otherwise the
   * judgement without it stands. docs/cascades.md has measurements.
   *
   * @default it is always called
   */
  readonly between?: readonly [from: number, below: number]
}

const OPTIONS: OptionKinds<RerankingOptions> = {
  timeoutMs: whole(1, 60_000),
  between: {
    words: 'two numbers from 0 to 1, the first under the second',
    holds: (value) =>
      Array.isArray(value) && value.length === 2 && value.every(number(0, 1).holds) && value[0] < value[1],
  },
}

const RERANKER: OptionKinds<Pick<Reranker, 'model' | 'kind'>> = {
  model: required(string),
  kind: required(oneOf('cross-encoder', 'grade')),
}

const RERANKER_FAULTS: Faults = { late: 'reranker_timeout', failed: 'reranker_unavailable', what: 'The reranker' }

/**
 * Makes the dependency `reranker` from a reranker, which scores the retrieved passages before they are judged. If it fails or
 * times out, the evidence is judged as retrieved, without any of its scores, and the decision's `reranker` records it: a
 * failure must not count as irrelevance. Without evidence it is not called.
 *
 * @throws `config_invalid` for an invalid option or reranker
 */
export function reranking(reranker: Reranker, options: RerankingOptions = {}): Reranking {
  requireOptions({ ...options, reranker }, { ...OPTIONS, reranker: required(methods('rerank')) })
  const { timeoutMs = 3000, between } = options
  const { model, kind } = reranker
  requireOptions({ model, kind }, RERANKER, 'config_invalid', 'reranker')

  async function rerank({ question, retrieved, onWarning }: ToRerank<unknown>): Promise<[Evidence, RerankerOutcome]> {
    if (retrieved.chunks.length === 0) return [retrieved, 'ok']
    try {
      const scores = await withinDeadline(timeoutMs, RERANKER_FAULTS, (signal) =>
        reranker.rerank({ question, passages: retrieved.chunks, signal }),
      )
      return [reranked(retrieved, kind, scores), 'ok']
    } catch (thrown) {
      const code = isRagGateError(thrown) ? thrown.code : 'reranker_unavailable'
      onWarning?.({ code, message: 'The reranker failed: the evidence is judged as it was retrieved', cause: thrown })
      return [retrieved, code === 'reranker_timeout' ? 'timeout' : 'failed']
    }
  }

  return Object.freeze({
    key: JSON.stringify([model, ...(between ?? [])]),
    async assess<Judged extends { readonly judgement: Judgement }>(asked: ToRerank<Judged>) {
      const { judged, retrieved, policy, clock } = asked
      if (between !== undefined) {
        const [from, below] = between
        const without = judged(retrieved, 'spared')
        const { confidence } = without.judgement
        if (confidence < from || confidence >= below) return { ...without, rerankMs: 0 }
      }
      const startedMs = clock.nowMs()
      const [evidence, outcome] = await rerank(asked)
      const rerankMs = clock.nowMs() - startedMs
      return { ...judged(evidence, outcome, readerFindings(policy, outcome)), rerankMs }
    },
  })
}
