export type { AnswerSignals, EvidenceShare, SourceKind } from './answer-signals.ts'
export { measureAnswer } from './measure-answer.ts'
