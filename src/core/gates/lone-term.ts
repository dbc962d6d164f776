import { recordedNumber } from '../lib/numbers.ts'
import { loneTerm as loneTermSignal } from '../signals/lone-term.ts'
import { TOO_SHORT } from './question-length.ts'
import { gateWith, type PolicyGate } from './gate.ts'
import { questionGate } from './question-gate.ts'

/** A term that occurs in more chunks than this, and than this share of the collection, is not rare. */
const RARE_CHUNKS = 3
const RARE_SHARE = 0.05

/**
 * Refuses a question that consists of one term without a question word ("ok", "gate"), because it asks nothing in particular.
 * A term that is rare in the collection and occurs in the best chunk's title is a search for that page, and is not refused.
 * Without a lexicon no term counts as rare.
 */
export function loneTerm(): PolicyGate {
  return gateWith(loneTermGate, { gate: 'lone-term' })
}

/** The check behind `loneTerm`. */
export const loneTermGate = questionGate('lone-term', TOO_SHORT, loneTermSignal, ({ loneTerm: found }) => {
  if (found === null) return false
  const chunks = recordedNumber(found?.chunks)
  const isRare = chunks > 0 && recordedNumber(found?.holding) <= Math.max(RARE_CHUNKS, RARE_SHARE * chunks)
  return !(isRare && found?.isTitled === true) && 'The question is one word'
})
