/** Measuring of answers, and gates for answers that any policy can use. */
export { generationConfidence, generationConfidenceGate } from './generation-confidence.ts'
export { type GroundingOptions, grounding, groundingGate } from './grounding.ts'
export { measureAnswer } from './measure-answer.ts'
