/** From a code to a status, and from an error to a body: the one place where both are said. */
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { errorForLog, isRagGateError, RagGateError, type RagGateErrorCode } from '../errors.ts'

const STATUS: Readonly<Record<RagGateErrorCode, ContentfulStatusCode>> = {
  config_invalid: 500,
  policy_invalid: 500,
  cache_scope_required: 500,
  secret_too_short: 500,
  schema_outdated: 503,
  unsupported_media_type: 415,
  body_too_large: 413,
  body_timeout: 408,
  invalid_json: 400,
  invalid_utf8: 400,
  invalid_unicode: 400,
  too_deep: 400,
  unknown_field: 422,
  question_required: 422,
  question_type: 422,
  question_too_long: 422,
  control_character: 422,
  collection_id: 422,
  collection_not_found: 404,
  not_cached: 504,
  stream_type: 422,
  unauthorized: 401,
  forbidden: 403,
  method_not_allowed: 405,
  document_not_found: 404,
  document_too_complex: 422,
  too_many_chunks: 413,
  too_much_work: 413,
  range: 422,
  tenant_mismatch: 403,
  // As nginx has it; Hono's types know registered ones alone.
  client_left: 499 as ContentfulStatusCode,
  retriever_timeout: 504,
  retriever_unavailable: 503,
  retriever_misconfigured: 503,
  retriever_bad_response: 502,
  embedding_mismatch: 503,
  reranker_timeout: 504,
  reranker_unavailable: 503,
  reranker_misconfigured: 503,
  reranker_bad_response: 502,
  index_full: 507,
  index_not_settled: 503,
  collection_conflict: 409,
  lexicon_unreadable: 503,
  store_unavailable: 503,
  llm_timeout: 504,
  llm_unavailable: 503,
  llm_misconfigured: 503,
  llm_bad_request: 502,
  llm_bad_response: 502,
  internal: 500,
}

/**
 * The status that a code is answered with; 500 for one of another bundled copy of the package that is not known here.
 *
 * @param further statuses of an application's own codes. @default none
 */
export function statusOf(
  code: RagGateErrorCode,
  further: Readonly<Record<string, ContentfulStatusCode>> = {},
): ContentfulStatusCode {
  return STATUS[code] ?? further[code] ?? 500
}

/** What a request is told of whatever was thrown: where its client has left, that it left. */
export function errorOf(signal: AbortSignal, thrown: unknown): RagGateError {
  if (signal.aborted) return new RagGateError('client_left', 'Gone')
  return isRagGateError(thrown) ? thrown : new RagGateError('internal', 'Something went wrong', { cause: thrown })
}

/** Body of every error: the code is stable, the message is for people, nothing in it comes from an upstream. */
export interface ErrorBody {
  readonly error: {
    readonly code: string
    readonly message: string
    readonly request_id: string
    /** Left out of the JSON where there is none. */
    readonly param: string | undefined
  }
}

/**
 * Answers a request with an error. One of Hono's own (`HTTPException`, which its middleware throws) is answered with the
 * response that it brings. Any other error becomes `internal`, and is logged with the request id, never
 * shown. Where the client has left, whatever was thrown is `client_left`.
 *
 * @param further statuses of an application's own codes; those of the package keep theirs. Default: none. A code that
 *   is in neither is answered with 500
 */
export function respondWithError(
  c: Context,
  thrown: unknown,
  further?: Readonly<Record<string, ContentfulStatusCode>>,
): Response {
  if (thrown instanceof Error && 'getResponse' in thrown && typeof thrown.getResponse === 'function') {
    // As Hono's own error handler does: another copy of Hono has another class.
    const response = thrown.getResponse() as Response
    return c.newResponse(response.body, response)
  }
  const requestId = crypto.randomUUID()
  const error = errorOf(c.req.raw.signal, thrown)
  const status = statusOf(error.code, further)
  if (status >= 500) console.error(`[rag-gate] ${errorForLog(error, requestId)}`)
  const { code, message, param, retryAfterSeconds } = error
  const headers: Record<string, string> = { 'cache-control': 'no-store' }
  if (status === 401) headers['www-authenticate'] = 'Bearer'
  if (status === 405) headers['allow'] = 'POST, QUERY'
  if (retryAfterSeconds !== undefined) headers['retry-after'] = String(Math.max(1, Math.ceil(retryAfterSeconds)))
  return c.json({ error: { code, message, request_id: requestId, param } } satisfies ErrorBody, status, headers)
}
