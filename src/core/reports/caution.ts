/** Cautions for answers with moderate evidence. */

/** For the model, in its prompt. */
export const CAUTION_FOR_MODEL =
  'The evidence is limited: answer only what the passages state, and say what they leave open.'

/** For the reader, beside the answer. */
export const CAUTION_FOR_READER = 'The evidence for this answer is limited: verify it against its sources.'
