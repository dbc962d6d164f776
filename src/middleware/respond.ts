/** From a code to a status, and from an error to a body: the one place where both are said. */
import type { Context } from 'hono'
import type { HTTPException } from 'hono/http-exception'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { asRagGateError, type ConfigErrorCode, errorForLog, RagGateError, type RagGateErrorCode } from '../errors.ts'

/** What an upstream may come to, behind its role. */
const OF_UPSTREAM = { timeout: 504, unavailable: 503, misconfigured: 503, bad_request: 502, bad_response: 502 } as const
type UpstreamCode = `${'retriever' | 'reranker' | 'llm' | 'store'}_${keyof typeof OF_UPSTREAM}`

const ROLE = /^(?:retriever|reranker|llm|store)_/

/** Settings are wrong, or the gate is. */
type InternalCode = Exclude<ConfigErrorCode, 'schema_outdated'> | 'internal'

/** Those of every other code. */
const STATUS: Readonly<Record<Exclude<RagGateErrorCode, UpstreamCode | InternalCode>, ContentfulStatusCode>> = {
  invalid_json: 400,
  invalid_unicode: 400,
  invalid_utf8: 400,
  too_deep: 400,
  unauthorized: 401,
  forbidden: 403,
  tenant_mismatch: 403,
  collection_not_found: 404,
  document_not_found: 404,
  method_not_allowed: 405,
  body_timeout: 408,
  collection_conflict: 409,
  body_too_large: 413,
  too_many_chunks: 413,
  too_much_work: 413,
  unsupported_media_type: 415,
  collection_id: 422,
  control_character: 422,
  document_too_complex: 422,
  question_required: 422,
  question_too_long: 422,
  question_type: 422,
  range: 422,
  stream_type: 422,
  unknown_field: 422,
  // As nginx has it; Hono's types know registered ones alone.
  client_left: 499 as ContentfulStatusCode,
  embedding_mismatch: 503,
  index_not_settled: 503,
  lexicon_unreadable: 503,
  schema_outdated: 503,
  not_cached: 504,
  index_full: 507,
}

/**
 * The status that a code is answered with; 500 for what is wrong here, and for a code of another bundled copy of the package
 * that is not known.
 *
 * @param further statuses of an application's own codes. @default none
 */
export function statusOf(
  code: RagGateErrorCode,
  further: Readonly<Record<string, ContentfulStatusCode>> = {},
): ContentfulStatusCode {
  const known: Readonly<Record<string, ContentfulStatusCode | undefined>> = STATUS
  return known[code] ?? further[code] ?? OF_UPSTREAM[code.replace(ROLE, '') as keyof typeof OF_UPSTREAM] ?? 500
}

/** What a request is told of whatever was thrown: where its client has left, that it left. */
export function errorOf(signal: AbortSignal, thrown: unknown): RagGateError {
  if (signal.aborted) return new RagGateError('client_left', 'Gone')
  return asRagGateError(thrown, 'internal', 'Something went wrong')
}

/** Whether an exception knows its response: it is the application's own. Another copy of Hono has another class. */
export function isHttpException(thrown: unknown): thrown is HTTPException {
  return thrown instanceof Error && 'getResponse' in thrown
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
  if (isHttpException(thrown)) {
    const response = thrown.getResponse()
    return c.newResponse(response.body, response)
  }
  const requestId = crypto.randomUUID()
  const error = errorOf(c.req.raw.signal, thrown)
  const status = statusOf(error.code, further)
  if (status >= 500) console.error(`[rag-gate] ${errorForLog(error, requestId)}`)
  const { code, message, param, retryAfterSeconds } = error
  const headers: Record<string, string> = { 'cache-control': 'no-store', 'x-request-id': requestId }
  if (status === 401) headers['www-authenticate'] = 'Bearer'
  if (status === 405) headers['allow'] = 'POST, QUERY'
  if (retryAfterSeconds !== undefined) headers['retry-after'] = String(Math.max(1, Math.ceil(retryAfterSeconds)))
  return c.json({ error: { code, message, request_id: requestId, param } } satisfies ErrorBody, status, headers)
}
