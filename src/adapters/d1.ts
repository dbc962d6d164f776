/** Everything that is kept in D1. Its tables are made by the migrations in `d1/migrations`. */
export { createD1AnswerPurges } from './d1/answer-purges.ts'
export { createD1ApiKeys } from './d1/api-keys.ts'
export { createD1ChunkTexts } from './d1/chunk-texts.ts'
export { createD1Collections } from './d1/collections.ts'
export { createD1DecisionStore } from './d1/decision-store.ts'
export { createD1IdempotencyStore } from './d1/idempotency.ts'
export { createD1Statistics, type Statistics, type StatisticsSummary } from './d1/statistics.ts'
