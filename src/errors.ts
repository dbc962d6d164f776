/**
 * The errors of this package, each with a stable code; those of the ready Worker are in `workers/gate`. A refusal is not an error but a value.
 */

/** Wrong configuration, mostly found when a part is created. */
export type ConfigErrorCode =
  | 'config_invalid'
  | 'policy_invalid'
  | 'cache_scope_required'
  | 'secret_too_short'
  | 'schema_outdated'

/** An invalid request. */
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
  | 'not_cached'
  | 'stream_type'
  | 'unauthorized'
  | 'forbidden'
  | 'method_not_allowed'
  | 'tenant_mismatch'
  | 'client_left'

/** An upstream that failed or sent an invalid response. */
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
  | 'lexicon_unreadable'
  | 'store_unavailable'
  | 'llm_timeout'
  | 'llm_unavailable'
  | 'llm_misconfigured'
  | 'llm_bad_request'
  | 'llm_bad_response'
  | 'internal'

/** Writing documents failed; `@hono-rag-gate/ingest` has the statuses. */
export type WriteErrorCode =
  | 'document_not_found'
  | 'document_too_complex'
  | 'too_many_chunks'
  | 'too_much_work'
  | 'index_full'
  | 'index_not_settled'
  | 'collection_conflict'

/** Every code an error of this package can carry. */
export type RagGateErrorCode = ConfigErrorCode | RequestErrorCode | UpstreamErrorCode | WriteErrorCode

/** Further facts of an error. */
export interface RagGateErrorOptions {
  /** The original error; never shown to a caller. */
  readonly cause?: unknown
  /** How long to wait before trying again, in seconds, as the upstream asked. */
  readonly retryAfterSeconds?: number | undefined
  /** HTTP status of the upstream's response, if there was one. */
  readonly upstreamStatus?: number | undefined
  /** Name of the invalid field, option or id, never its value. */
  readonly param?: string
}

/**
 * The error class of this package. Compare `code` rather than using `instanceof`: two bundled copies of the package have two classes.
 *
 * @template Code codes it may carry: the package's own, unless an application names others
 */
export class RagGateError<Code extends string = RagGateErrorCode> extends Error {
  override readonly name = 'RagGateError'
  readonly code: Code
  readonly retryAfterSeconds: number | undefined
  readonly upstreamStatus: number | undefined
  readonly param: string | undefined

  /** `NoInfer`: a code outside `Code` does not compile instead of widening the type. */
  constructor(code: NoInfer<Code>, message: string, options: RagGateErrorOptions = {}) {
    super(message, options)
    this.code = code
    this.retryAfterSeconds = options.retryAfterSeconds
    this.upstreamStatus = options.upstreamStatus
    this.param = options.param
  }
}

/** Returns errors of this package unchanged; wraps anything else as the cause of a new one. */
export function asRagGateError(thrown: unknown, code: RagGateErrorCode, message: string): RagGateError {
  return isRagGateError(thrown) ? thrown : new RagGateError(code, message, { cause: thrown })
}

/** Whether something thrown is an error of this package, including another bundled copy of it. */
export function isRagGateError(thrown: unknown): thrown is RagGateError {
  return thrown instanceof Error && thrown.name === 'RagGateError' && 'code' in thrown
}

/** Longest message of this package in a log line, characters. */
const LONGEST_MESSAGE = 300

/** Most stack frames in a log line. */
const MOST_FRAMES = 8

/** Most nested causes in a log line. */
const MOST_CAUSES = 4

/** Class names of errors, and codes such as `ECONNREFUSED`: the only parts of foreign errors that are logged verbatim. */
const ERROR_NAME = /^[A-Z][A-Za-z]{0,40}(?:Error|Exception|Fault)$/
const SYSTEM_CODE = /^(?:UND_)?E[A-Z_]{2,44}$/
const FRAME = /^\s+at (?:async |new )*[\w$.<>[\] ]*\(?(?:file:\/\/)?[\w@./\\+:-]+:\d+:\d+\)?$/

/**
 * Formats an error as one log line: code, this package's message and the upstream's status; of its causes only their kind
 * and stack frames. The text of foreign errors is left out, because it may quote the question, passages, a key or a tenant,
 * and may contain line breaks.
 *
 * @param requestId the id in the caller's error response, so that the line can be found
 * @example
 * console.error(`[rag-gate] ${errorForLog(thrown, requestId)}`)
 * // [rag-gate] llm_bad_request request_id=… status=400 "The model did not take the request"
 */
export function errorForLog(thrown: unknown, requestId?: string): string {
  const id = requestId ? ` request_id=${requestId}` : ''
  const [first = '', ...causes] = causesOf(thrown).map(oneForLog)
  // The id follows the code, so that both can be found with one search.
  return [first.replace(/ |$/, (end) => id + end), ...causes].join(' < ')
}

function causesOf(thrown: unknown): unknown[] {
  const chain = [thrown]
  let cause = thrown
  while (chain.length <= MOST_CAUSES && cause instanceof Error && cause.cause !== undefined) {
    cause = cause.cause
    chain.push(cause)
  }
  return chain
}

function oneForLog(thrown: unknown): string {
  if (isRagGateError(thrown)) {
    const { code, message, upstreamStatus, param } = thrown
    const status = typeof upstreamStatus === 'number' ? ` status=${upstreamStatus}` : ''
    const where = typeof param === 'string' ? ` param=${onOneLine(param)}` : ''
    return `${onOneLine(code)}${status}${where} "${onOneLine(message)}"`
  }
  if (!(thrown instanceof Error)) return typeof thrown
  const kind = errorKind(thrown)
  const at = framesOf(thrown)
  return at.length === 0 ? kind : `${kind} at ${at.join(', ')}`
}

/** The class name of something thrown and, if any, its system error code; never its text. */
export function errorKind(thrown: unknown): string {
  if (!(thrown instanceof Error)) return typeof thrown
  const name = ERROR_NAME.test(thrown.name) ? thrown.name : 'Error'
  // `fetch failed` has the system's error as its cause.
  const code = [thrown, thrown.cause]
    .map((error) => (error instanceof Error && 'code' in error ? String(error.code) : ''))
    .find((one) => SYSTEM_CODE.test(one))
  return code === undefined ? name : `${name} ${code}`
}

/** Stack frames: the lines of the stack after the message. */
function framesOf({ message, stack = '' }: Error): string[] {
  const at = stack.indexOf(message)
  if (at < 0) return []
  return stack
    .slice(at + message.length)
    .split('\n')
    .filter((line) => FRAME.test(line))
    .slice(0, MOST_FRAMES)
    .map((line) => line.trim().replace(/^at /, ''))
}

/** Removes line breaks and control characters. */
function onOneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').slice(0, LONGEST_MESSAGE)
}
