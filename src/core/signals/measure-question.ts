/** Measuring a question with its parts. */
import type { Evidence } from '../evidence/evidence.ts'
import type { Lexicon } from '../text/lexicon.ts'
import { questionParts } from '../text/question-parts.ts'
import { stretchesOf } from '../text/stretches.ts'
import { PLAIN_TERM_READER, type TermReader } from '../text/terms.ts'
import { TEXT_SIGNALS, type TextSignalName } from './index.ts'
import { measure, type PartSignals, type Signals } from './measure.ts'

const TEXT_SIGNAL_NAMES = Object.keys(TEXT_SIGNALS) as TextSignalName[]

/**
 * Measures a question, without its words of courtesy, and each of its parts against the same evidence. Pure, as
 * `measure` is; so are the stretches of parts that are long. A question of one part has no `parts`, one without a long part
 * no `stretches`.
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
  const measured = (texts: readonly string[]) =>
    texts.map((text) => partSignals(measure(text, evidence, lexicon, reader)))
  const stretches = stretchesOf(parts)
  return Object.freeze({
    ...measure(asked, evidence, lexicon, reader),
    ...(parts.length > 1 ? { parts: measured(parts) } : {}),
    ...(stretches.length > 0 ? { stretches: measured(stretches) } : {}),
  })
}

/** What differs between the parts of a question: what was measured from its text. */
function partSignals(signals: Signals): PartSignals {
  const { questionTermCount } = signals
  const measured = Object.fromEntries(TEXT_SIGNAL_NAMES.map((name) => [name, signals[name]]))
  // Every member of TEXT_SIGNALS is there by the line above.
  return Object.freeze({ questionTermCount, ...measured }) as PartSignals
}
