/** What a store of answers, and a list of purges, of one's own is made with. */
export { createSealer, type Sealer } from './answer-cache/envelope.ts'
export { type PurgeCopies, purgeCopies, type PurgeRow } from './answer-cache/purge-copies.ts'
export { type AnswerCacheFault, sealedAnswers, type SealedStore } from './answer-cache/sealed-answers.ts'
