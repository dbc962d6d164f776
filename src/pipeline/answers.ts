/** Questions answered and evidence judged without HTTP. */
export { buildContext, type Context, type ContextBudget } from '../core/evidence/context.ts'
export {
  type ConvexOptions,
  fuse,
  fuseConvex,
  fuseDistributionBased,
  fuseReciprocalRank,
  type FusionMethod,
} from '../core/evidence/fusion.ts'
export { measureAnswer, type GenerationReport } from '../core/answer/measure-answer.ts'
export type { AnswerSignals, EvidenceShare } from '../core/answer/answer-signals.ts'
export { chunkId, namespaceOf } from '../core/lib/ids.ts'
export { judge, judgeAnswer } from '../core/policy/judge.ts'
export { measureQuestion } from '../core/signals/measure-question.ts'
export { createTermReader, type TermReader } from '../core/text/terms.ts'
export { type AnsweredQuestion, type AnswerPorts, answerQuestion, type AnswerSettings } from './answer-question.ts'
export { answerWithRetries, type RetriedAnswer, type RetryOptions, type Rewrite } from './answer-with-retries.ts'
export { gateQuestion, type GateResult } from './gate-question.ts'
export { generateWithEvidence, type GenerationTask, type JudgedGeneration } from './generate-with-evidence.ts'
export type { QuestionRequest, QuestionPorts, QuestionSettings } from './question-settings.ts'
