/** What is said beside an answer that the evidence supports only in part. */

/** To the model, in front of its instructions. */
export const CAUTION_FOR_MODEL =
  'The evidence is only moderately strong: answer only what the passages state, and say what they leave open.'

/** To the reader, beside the answer. */
export const CAUTION_FOR_READER = 'The evidence for this answer is limited: verify it against its sources.'
