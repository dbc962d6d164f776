/** Functions for routes beside the gate: reading bodies, checking tenants and collections, responding with errors. */
export {
  type AskedWithoutHttp,
  type GatedQuestion,
  gateWithoutHttp,
  type GateWithoutHttpOptions,
} from './gate-without-http.ts'
export {
  type AnsweredWithoutHttp,
  answerWithoutHttp,
  type AnswerWithoutHttpOptions,
  type MadeAnswer,
  type OpenQuestion,
  openWithoutHttp,
} from './answer-without-http.ts'
export { IDENTIFY_FAULTS, identified } from './identified.ts'
export { later } from './later.ts'
export { withoutOwnTenant } from './own-tenant.ts'
export { readJsonObject } from './read-body.ts'
export { checkCollectionId, checkQuestion } from './read-question.ts'
export { respondWithError, statusOf } from './respond.ts'
export type { AnswerOptions, QuestionInRequest, RetrievalOptions } from './options.ts'
export type { Citation, RagGateContext } from './gate-context.ts'
