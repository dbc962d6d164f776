/** What the gate keeps in D1: decisions and purges, and what other stores over the same tables share. Their tables are made by the migrations in `d1/migrations`. */
export { createD1AnswerPurges } from './d1/answer-purges.ts'
export { createD1DecisionStore } from './d1/decision-store.ts'
export { PURGES_KEPT_DAYS } from './d1/answer-purges.ts'
export { COPY_AGE } from './d1/copy-age.ts'
export type { PolicyRecord } from './d1/decision-store.ts'
export { rethrowStoreFault, schemaOutdated } from './d1/faults.ts'
export { jsonBatches } from './d1/json-batches.ts'
export { withLastKnown, OUTAGE_AGE } from './d1/last-known.ts'
