/** The work over ports: gating a question, without HTTP. */
export { collectionNotFound } from './find-place.ts'
export { fitContext } from './fit-context.ts'
export { gateQuestion, type GateResult } from './gate-question.ts'
export { newId } from './new-id.ts'
export { questionHmac } from './question-hmac.ts'
export type { QuestionPorts, QuestionRequest, QuestionSettings } from './question-settings.ts'
export { type Faults, inTime, withinDeadline } from './within-deadline.ts'
export { plainCollection } from '../ports/collections.ts'
