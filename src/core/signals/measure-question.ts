/** Measuring a question with its parts. */
import type { Evidence } from '../evidence/evidence.ts'
import type { Lexicon } from '../text/lexicon.ts'
import { questionParts } from '../text/question-parts.ts'
import { PLAIN_TERM_READER, type TermReader } from '../text/terms.ts'
import { TEXT_SIGNALS, type TextSignalName } from './index.ts'
import { measure, type PartSignals, type Signals } from './measure.ts'

const TEXT_SIGNAL_NAMES = Object.keys(TEXT_SIGNALS) as TextSignalName[]

/**
 * Measures a question, without its words of courtesy, and each of its parts against the same evidence. Pure, as
 * `measure` is. A question of one part has no `parts`.
 *
 * @param question normalised (`normaliseQuestion`)
 * @param lexicon the collection's, or `EMPTY_LEXICON`
 */
export function measureQuestion(
  question: string,
  evidence: Evidence,
  lexicon: Lexicon,
  reader: TermReader = PLAIN_TERM_READER,
): Signals {
  const { asked, parts } = questionParts(question)
  const whole = measure(asked, evidence, lexicon, reader)
  if (parts.length === 1) return whole
  return Object.freeze({ ...whole, parts: parts.map((part) => partSignals(measure(part, evidence, lexicon, reader))) })
}

/** What differs between the parts of a question: what was measured from its text. */
function partSignals(signals: Signals): PartSignals {
  const { questionTermCount } = signals
  const measured = Object.fromEntries(TEXT_SIGNAL_NAMES.map((name) => [name, signals[name]]))
  // Every member of TEXT_SIGNALS is there by the line above.
  return Object.freeze({ questionTermCount, ...measured }) as PartSignals
}
