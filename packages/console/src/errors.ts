/** Error codes of the console, in addition to the gate's, with their statuses. */
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { RagGateError } from 'hono-rag-gate/errors'

/** Codes in addition to the gate's. */
export type ConsoleErrorCode =
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
  | 'tenant_id'
  | 'policy_unknown'
  | 'rate_limited'
  | 'budget_spent'

/** An error with one of these codes; with a code of the gate, use `RagGateError`. */
export class ConsoleError extends RagGateError<ConsoleErrorCode> {}

/** Their HTTP statuses. */
export const CONSOLE_STATUS: Readonly<Record<ConsoleErrorCode, ContentfulStatusCode>> = {
  range: 422,
  range_too_large: 422,
  limit: 422,
  interval: 422,
  sort: 422,
  format: 422,
  filter: 422,
  cursor: 400,
  decision_not_found: 404,
  answer_unknown: 404,
  answer_expired: 410,
  rating: 422,
  comment_too_long: 422,
  tenant_id: 422,
  policy_unknown: 422,
  rate_limited: 429,
  budget_spent: 429,
}
