/** Maps error codes to HTTP statuses, and errors to response bodies. */
import type { Context } from 'hono'
import type { HTTPException } from 'hono/http-exception'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import {
  asRagGateError,
  type ConfigErrorCode,
  errorForLog,
  RagGateError,
  type RagGateErrorCode,
  type WriteErrorCode,
} from '../errors.ts'

/** Statuses by kind of upstream failure: the code is the upstream's role and one of these. */
const OF_UPSTREAM = { timeout: 504, unavailable: 503, misconfigured: 503, bad_request: 502, bad_response: 502 } as const
type UpstreamCode = `${'retriever' | 'reranker' | 'llm' | 'store'}_${keyof typeof OF_UPSTREAM}`

const ROLE = /^(?:retriever|reranker|llm|store)_/

/** Codes for wrong settings or a bug of the gate: status 500. */
type InternalCode = Exclude<ConfigErrorCode, 'schema_outdated'> | 'internal'

/** Statuses of all other codes. */
const STATUS: Readonly<
  Record<Exclude<RagGateErrorCode, UpstreamCode | InternalCode | WriteErrorCode>, ContentfulStatusCode>
> = {
  invalid_json: 400,
  invalid_unicode: 400,
  invalid_utf8: 400,
  too_deep: 400,
  unauthorized: 401,
  forbidden: 403,
  tenant_mismatch: 403,
  collection_not_found: 404,
  method_not_allowed: 405,
  body_timeout: 408,
  body_too_large: 413,
  unsupported_media_type: 415,
  collection_id: 422,
  control_character: 422,
  question_required: 422,
  question_too_long: 422,
  question_type: 422,
  stream_type: 422,
  unknown_field: 422,
  // nginx's status for a disconnected client; Hono's types only have registered statuses.
  client_left: 499 as ContentfulStatusCode,
  embedding_mismatch: 503,
  lexicon_unreadable: 503,
  schema_outdated: 503,
  not_cached: 504,
}

/**
 * The HTTP status for a code; 500 for wrong settings, for bugs, and for unknown codes, which another bundled copy of the
 * package may throw.
 *
 * @param further statuses of the application's own codes. @default none
 */
export function statusOf(
  code: RagGateErrorCode,
  further: Readonly<Record<string, ContentfulStatusCode>> = {},
): ContentfulStatusCode {
  const known: Readonly<Record<string, ContentfulStatusCode | undefined>> = STATUS
  return known[code] ?? further[code] ?? OF_UPSTREAM[code.replace(ROLE, '') as keyof typeof OF_UPSTREAM] ?? 500
}

/** Converts anything thrown into the error to respond with; `client_left` if the client has disconnected. */
export function errorOf(signal: AbortSignal, thrown: unknown): RagGateError {
  if (signal.aborted) return new RagGateError('client_left', 'Gone')
  return asRagGateError(thrown, 'internal', 'Something went wrong')
}

/** Whether this is an `HTTPException`, which brings its own response. Duck-typed, because another copy of Hono has another class. */
export function isHttpException(thrown: unknown): thrown is HTTPException {
  return thrown instanceof Error && 'getResponse' in thrown
}

/** Body of every error response: a stable code, and a message for people. It contains nothing from an upstream. */
export interface ErrorBody {
  readonly error: {
    readonly code: string
    readonly message: string
    readonly request_id: string
    /** Omitted from the JSON if `undefined`. */
    readonly param: string | undefined
  }
}

/**
 * Makes the response for an error. Hono's `HTTPException`, which its middleware throws, gives the response that it brings. A
 * `RagGateError` keeps its code; any other error becomes `internal`, and is logged with the request id but never shown. If
 * the client has disconnected, every error becomes `client_left`.
 *
 * @param further statuses of the application's own codes; it cannot override those of the package. Default: none. A code
 *   that is in neither gets status 500
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
