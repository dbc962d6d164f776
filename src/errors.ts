/**
 * Every error this package throws, by its stable code. A refusal is not an error: it is an answer, and a value.
 */

/** Wrong wiring, found when something is made. */
export type ConfigErrorCode =
  | 'config_invalid'
  | 'policy_invalid'
  | 'cache_scope_required'
  | 'secret_too_short'
  | 'schema_outdated'

/** A request that cannot be taken as it is. */
export type RequestErrorCode =
  | 'unsupported_media_type'
  | 'body_too_large'
  | 'body_timeout'
  | 'invalid_json'
  | 'invalid_utf8'
  | 'invalid_unicode'
  | 'too_deep'
  | 'unknown_field'
  | 'question_required'
  | 'question_type'
  | 'question_too_long'
  | 'control_character'
  | 'collection_id'
  | 'collection_not_found'
  | 'search_mode'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'uri_too_long'
  | 'documents_required'
  | 'too_many_documents'
  | 'document_id'
  | 'document_not_found'
  | 'document_duplicate'
  | 'document_text'
  | 'document_too_large'
  | 'document_too_complex'
  | 'too_many_chunks'
  | 'document_field'
  | 'source_url'
  | 'range'
  | 'range_too_large'
  | 'limit'
  | 'interval'
  | 'sort'
  | 'format'
  | 'filter'
  | 'cursor'
  | 'decision_not_found'
  | 'answer_unknown'
  | 'answer_expired'
  | 'rating'
  | 'comment_too_long'
  | 'idempotency_key'
  | 'idempotency_key_reused'
  | 'idempotency_in_progress'
  | 'key_name'
  | 'key_scopes'
  | 'key_expiry'
  | 'key_not_found'
  | 'tenant_id'
  | 'tenant_mismatch'
  | 'policy_unknown'
  | 'why'

/** An upstream that failed or answered nonsense. */
export type UpstreamErrorCode =
  | 'retriever_timeout'
  | 'retriever_unavailable'
  | 'retriever_misconfigured'
  | 'retriever_bad_response'
  | 'embedding_mismatch'
  | 'reranker_timeout'
  | 'reranker_unavailable'
  | 'reranker_misconfigured'
  | 'reranker_bad_response'
  | 'index_not_settled'
  | 'collection_conflict'
  | 'lexicon_unreadable'
  | 'store_unavailable'
  | 'llm_timeout'
  | 'llm_unavailable'
  | 'llm_misconfigured'
  | 'llm_bad_response'
  | 'internal'

/** Every code an error of this package can carry. */
export type RagGateErrorCode = ConfigErrorCode | RequestErrorCode | UpstreamErrorCode

/** Facts that an error can carry beside its code. */
export interface RagGateErrorOptions {
  /** What was thrown underneath; never shown to a caller. */
  readonly cause?: unknown
  /** How long to wait before trying again, in seconds, as the upstream asked. */
  readonly retryAfterSeconds?: number
  /** Which field, option or id is at fault. Never the value that was sent. */
  readonly param?: string
}

/**
 * The one error class. Compare `code`, not `instanceof`: two bundled copies of the package are two classes.
 */
export class RagGateError extends Error {
  override readonly name = 'RagGateError'
  readonly code: RagGateErrorCode
  readonly retryAfterSeconds: number | undefined
  readonly param: string | undefined

  constructor(code: RagGateErrorCode, message: string, options: RagGateErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.retryAfterSeconds = options.retryAfterSeconds
    this.param = options.param
  }
}

/** Whether something thrown is an error of this package (also of another bundled copy of it). */
export function isRagGateError(thrown: unknown): thrown is RagGateError {
  return thrown instanceof Error && thrown.name === 'RagGateError' && 'code' in thrown
}
