/** Makes a retriever from a function that returns rows with scores. */
import { SCORE_KIND_NAMES } from 'hono-rag-gate/core/evidence'
import { callable, oneOf, required, requireOptions } from 'hono-rag-gate/core/lib'
import type { ScoreKind } from 'hono-rag-gate/core/evidence'
import { isRecord } from 'hono-rag-gate/core/lib'
import { rankRows, readPassage } from 'hono-rag-gate/core/evidence'
import { asRagGateError, isRagGateError, RagGateError } from 'hono-rag-gate/errors'
import { numbered } from './numbered.ts'
import type { RetrievalRequest, Retriever } from 'hono-rag-gate/ports'

/** One search result. Other members are ignored; numbers as names become texts. */
export interface FoundRow {
  readonly id: string | number
  readonly text: string
  /** In the unit of the score kind, such as a raw cosine of −1..1. */
  readonly score: number
  /** @default the row's own id */
  readonly documentId?: string | number
  readonly title?: string
  readonly section?: string
  readonly source?: string
  readonly version?: string | number
  readonly metadata?: Readonly<Record<string, unknown>>
  /** Namespace of the row; an error if it is not the requested one. */
  readonly namespace?: string
}

/**
 * Searches, and returns rows in any order. It must apply the request's namespace and filter: the gate rejects other
 * rows. It must throw if it cannot search; an empty list means no results.
 */
export type Search = (request: RetrievalRequest) => Promise<readonly FoundRow[]> | readonly FoundRow[]

/** Settings of `createRetriever`. */
export interface CustomRetrieverOptions {
  readonly scoreKind: ScoreKind
}

/**
 * Makes a retriever from a function. Its rows are validated, sorted, deduplicated and truncated to `topK`; scores that
 * are not numbers in the range of their kind are dropped and counted.
 *
 * @throws from `retrieve`: `retriever_timeout` if the request was aborted, `retriever_unavailable` for errors of the
 *   function, `retriever_bad_response` for rows of another form or namespace
 * @example const retriever = createRetriever(({ question, topK }) => mySearch(question, topK), { scoreKind: 'bm25' })
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
      try {
        const rows = found.map((row: unknown) => {
          if (!isRecord(row)) throw badRows('not a row')
          if ((row['namespace'] ?? request.namespace) !== request.namespace) throw badRows('a row of another namespace')
          const names = { documentId: numbered(row['documentId']), version: numbered(row['version']) }
          return { passage: readPassage(numbered(row['id']), row['text'], { ...row, ...names }), score: row['score'] }
        })
        return [rankRows(scoreKind, rows, request.topK)]
      } catch (thrown) {
        throw asRagGateError(thrown, 'retriever_bad_response', 'The rows cannot be read')
      }
    },
  }
}

/** The result of the work, or a timeout error as soon as the signal aborts. */
async function untilAborted<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  const late = new RagGateError('retriever_timeout', 'The search did not end in time')
  if (signal.aborted) throw late
  let onAbort = (): void => undefined
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(late)
    signal.addEventListener('abort', onAbort)
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
