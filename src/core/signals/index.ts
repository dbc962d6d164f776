/** What is measured of evidence. */
export { DISAGREE_BELOW } from './bm25-dense-agreement.ts'
export { consensusCount } from './consensus.ts'
export { type Signals, measure } from './measure.ts'
export type { RetrievalSignals } from './retrieval-signals.ts'
export type { ScoreCurve } from './score-curves.ts'
export { TEXT_SIGNALS } from './text-signals.ts'
export { measureQuestion } from './measure-question.ts'
