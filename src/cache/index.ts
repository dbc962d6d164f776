/** The answer cache of a gate, bundled only if imported. */
export { answerCache } from './answer-cache.ts'
export type { AnswerCacheOptions, CacheScope } from './options.ts'
export type { WordReader } from '../core/text/content-stems.ts'
export { englishStems } from '../language/english/english-stems.ts'
export type { GateCache } from '../pipeline/gate-cache.ts'
