/** The answer cache of a gate: bundled by those who import it. */
export { answerCache } from './answer-cache.ts'
export type { AnswerCacheOptions, AnswerReuse, CacheScope } from './options.ts'
export { similarQuestions, type SimilarQuestionsOptions } from './similar-questions.ts'
export type { GateCache } from '../middleware/gate-cache.ts'
