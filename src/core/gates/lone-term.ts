import { recordedNumber } from '../lib/numbers.ts'
import { loneTerm as loneTermSignal } from '../signals/lone-term.ts'
import { TOO_SHORT } from './question-length.ts'
import { defineGate, gateWith, plainSettings, type PolicyGate } from './gate.ts'

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
export const loneTermGate = defineGate({
  name: 'lone-term',
  stage: 'pre-generation',
  about: 'question',
  reads: () => [loneTermSignal],
  texts: TOO_SHORT,
  validate: plainSettings,
  check: (_settings: { readonly gate: 'lone-term' }, { signals: { loneTerm: found } }) => {
    if (found === null) return undefined
    const chunks = recordedNumber(found?.chunks)
    const isRare = chunks > 0 && recordedNumber(found?.holding) <= Math.max(RARE_CHUNKS, RARE_SHARE * chunks)
    if (isRare && found?.isTitled === true) return undefined
    return { outcome: 'refuse', code: 'question_too_short', message: 'The question is one word' }
  },
})
