/** A decision as people and programs read it. */
export { CAUTION_FOR_MODEL, CAUTION_FOR_READER } from './caution.ts'
export { closestPassages, type ClosestPassage, type ClosestPassagesOptions } from './closest-passages.ts'
export { explain, type Explanation, explanationText } from './explain.ts'
export {
  type DecisionSummary,
  type MessagesByCode,
  operatorReason,
  type Refusal,
  type Telling,
  textFor,
} from './refusal.ts'
export { type RefusalRecord, refusalRecord } from './refusal-record.ts'
export {
  type FinishedExchange,
  type Prices,
  type Saving,
  type SavingsLedger,
  savingsLedger,
  type SavingsSettings,
} from './savings.ts'
export type { TokenUsage } from './savings.ts'
