/** Answers questions without HTTP, with a gate and a generator. */
export {
  type AnsweredQuestion,
  type AnswerPorts,
  answerQuestion,
  type AnswerSettings,
  createAnswerer,
} from './answering/answer-question.ts'
export {
  answerWithRetries,
  type RetriedAnswer,
  type RetryOptions,
  type Rewrite,
} from './answering/answer-with-retries.ts'
export { generateWithEvidence, type GenerationTask, type JudgedGeneration } from './answering/generate-with-evidence.ts'
export type { Generation, GenerationRequest, Generator, Sampling } from './generator.ts'
