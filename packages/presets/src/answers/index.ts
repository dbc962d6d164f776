/** How answers are measured, and gates that judge any answer, for policies of one's own as well. */
export { generationConfidence, generationConfidenceGate } from './generation-confidence.ts'
export { type GroundingOptions, grounding, groundingGate } from './grounding.ts'
export { measureAnswer } from './measure-answer.ts'
