export { createD1IdempotencyStore } from './d1-idempotency.ts'
export type { IdempotencyStore, NamedRequest, NamedRequestState } from './idempotency.ts'
