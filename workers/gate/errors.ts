/** Error codes of the ready Worker's own routes, in addition to the gate's, with their statuses. */
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { RagGateError } from 'hono-rag-gate/errors'

/** Codes in addition to the gate's. */
export type WorkerErrorCode =
  | 'purge_scope'
  | 'model_not_found'
  | 'parameter'
  | 'not_found'
  | 'uri_too_long'
  | 'documents_required'
  | 'too_many_documents'
  | 'document_id'
  | 'document_duplicate'
  | 'document_text'
  | 'document_too_large'
  | 'document_field'
  | 'source_url'
  | 'idempotency_key'
  | 'idempotency_key_reused'
  | 'idempotency_in_progress'
  | 'key_name'
  | 'key_scopes'
  | 'key_expiry'
  | 'key_not_found'
  | 'nothing_to_roll_back'
  | 'why'
  | 'policy_settings'
  | 'policy_unfit'
  | 'policy_pin_mismatch'
  | 'without'
  | 'overloaded'

/** An error with one of these codes; with a code of the gate, use `RagGateError`. */
export class WorkerError extends RagGateError<WorkerErrorCode> {}

/** Their HTTP statuses. */
export const WORKER_STATUS: Readonly<Record<WorkerErrorCode, ContentfulStatusCode>> = {
  purge_scope: 422,
  model_not_found: 404,
  parameter: 422,
  not_found: 404,
  uri_too_long: 414,
  documents_required: 422,
  too_many_documents: 413,
  document_id: 422,
  document_duplicate: 422,
  document_text: 422,
  document_too_large: 413,
  document_field: 422,
  source_url: 422,
  idempotency_key: 422,
  idempotency_key_reused: 422,
  idempotency_in_progress: 409,
  key_name: 422,
  key_scopes: 422,
  key_expiry: 422,
  key_not_found: 404,
  nothing_to_roll_back: 409,
  why: 422,
  policy_settings: 422,
  policy_unfit: 422,
  policy_pin_mismatch: 409,
  without: 422,
  overloaded: 503,
}
