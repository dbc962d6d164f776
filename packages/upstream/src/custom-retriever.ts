/** A search of your own as a retriever: a function from a question to rows with scores. */
import { SCORE_KIND_NAMES } from 'hono-rag-gate/core/evidence'
import { callable, oneOf, required, requireOptions } from 'hono-rag-gate/core/lib'
import type { ScoreKind } from 'hono-rag-gate/core/evidence'
import { isRecord } from 'hono-rag-gate/core/lib'
import { rankRows, readPassage } from 'hono-rag-gate/core/evidence'
import { isRagGateError, RagGateError } from 'hono-rag-gate/errors'
import type { RetrievalRequest, Retriever } from 'hono-rag-gate/ports'

/** One result of a search. Other members are left out. */
export interface FoundRow {
  readonly id: string
  readonly text: string
  /** In the units of the ranking's kind, such as a raw cosine of −1..1. */
  readonly score: number
  /** @default the row's own id */
  readonly documentId?: string
  readonly title?: string
  readonly section?: string
  readonly source?: string
  readonly version?: string
  readonly metadata?: Readonly<Record<string, unknown>>
  /** Namespace that the row belongs to; another one than was asked for is a fault. */
  readonly namespace?: string
}

/**
 * Searches: rows in any order. It keeps to the request's namespace, and to its filter where there is one: the gate refuses
 * other rows. It throws when it cannot search; no rows mean that there are none.
 */
export type Search = (request: RetrievalRequest) => Promise<readonly FoundRow[]> | readonly FoundRow[]

/** What the scores of the rows are. */
export interface CustomRetrieverOptions {
  readonly scoreKind: ScoreKind
}

/**
 * Makes a retriever of a function. Its rows are validated, sorted, freed of duplicates and cut at `topK`; a score that is
 * not a number within the range of its kind is dropped and counted.
 *
 * @throws from `retrieve`: `retriever_timeout` when the request was aborted, `retriever_unavailable` for what the
 *   function throws, `retriever_bad_response` for rows of another form or another namespace
 * @example
 * const retriever = createRetriever(({ question, topK }) => mySearch(question, topK), { scoreKind: 'bm25' })
 */
export function createRetriever(search: Search, options: CustomRetrieverOptions): Retriever {
  requireOptions({ search }, { search: required(callable) })
  requireOptions(options, { scoreKind: required(oneOf(...SCORE_KIND_NAMES)) })
  const { scoreKind } = options
  return {
    async retrieve(request) {
      const found: unknown = await untilAborted(request.signal, async () => search(request)).catch(
        (thrown: unknown) => {
          if (isRagGateError(thrown)) throw thrown
          throw new RagGateError('retriever_unavailable', 'The search failed', { cause: thrown })
        },
      )
      if (!Array.isArray(found)) throw badRows('not a list')
      const rows = found.map((row: unknown) => {
        if (!isRecord(row)) throw badRows('not a row')
        if ((row['namespace'] ?? request.namespace) !== request.namespace) throw badRows('a row of another namespace')
        return { passage: readPassage(row['id'], row['text'], row), score: row['score'] }
      })
      return [rankRows(scoreKind, rows, request.topK)]
    },
  }
}

/** The result of the work, unless the signal aborts first; then nothing waits for it any more. */
async function untilAborted<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  const late = new RagGateError('retriever_timeout', 'The search did not end in time')
  if (signal.aborted) throw late
  let onAbort = (): void => undefined
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(late)
    signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([work(), aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

function badRows(detail: string): RagGateError {
  return new RagGateError('retriever_bad_response', `The search returned an unexpected result: ${detail}`)
}
