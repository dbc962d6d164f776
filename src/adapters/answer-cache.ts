/** Building blocks for custom answer stores and purge lists. */
export { createSealer, type Sealer } from './answer-cache/envelope.ts'
export { type PurgeCopies, purgeCopies, type PurgeRow } from './answer-cache/purge-copies.ts'
export { type AnswerCacheFault, sealedAnswers, type SealedStore } from './answer-cache/sealed-answers.ts'
