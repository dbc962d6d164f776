/** Reports about decisions, for people and programs. */
export { CAUTION_FOR_MODEL, CAUTION_FOR_READER } from './caution.ts'
export { type ClosestPassage, closestPassages, type ClosestPassagesOptions } from './closest-passages.ts'
export { explain, type Explanation, explanationText } from './explain.ts'
export { refusalRecord, type RefusalRecord } from './refusal-record.ts'
export {
  type DecisionSummary,
  type MessagesByCode,
  operatorReason,
  type Refusal,
  type ReportOptions,
  textFor,
} from './refusal.ts'
export {
  type FinishedExchange,
  type Prices,
  type Saving,
  savingsLedger,
  type SavingsLedger,
  type SavingsSettings,
  type TokenUsage,
} from './savings.ts'
