/** Texts of codes that do not belong to a gate. */
import { CANNOT_ANSWER, noteText, NOT_CONFIRMED, refusalText, SUGGEST, type Text, UNMEASURED } from '../gates/text.ts'

/** Codes of the engine itself: of judging, of the context, and of rules. */
export type EngineReason =
  | 'passed'
  | 'no_evidence'
  | 'nothing_judged'
  | 'judged_with_answer'
  | 'answer_unreadable'
  | 'gate_disabled'
  | 'context_cut'
  | 'context_empty'
  | 'reader_failed'
  | 'rule_advised'
  | 'rule_failed'
  | 'rule_refused'

const UNJUDGED = refusalText(
  `${CANNOT_ANSWER} The question could not be judged.`,
  'The question could not be judged',
  SUGGEST.tryLater,
)

/** Their texts. */
export const ENGINE_TEXTS: Readonly<Record<EngineReason, Text>> = Object.freeze({
  passed: noteText('The evidence supports an answer'),
  no_evidence: refusalText(
    `${CANNOT_ANSWER} No relevant information was found.`,
    'No relevant information found in documents',
    SUGGEST.rephrase,
    SUGGEST.addDocuments,
  ),
  nothing_judged: UNMEASURED,
  judged_with_answer: noteText('The evidence is judged with the answer'),
  answer_unreadable: refusalText(NOT_CONFIRMED, 'The answer could not be judged', SUGGEST.tryLater),
  gate_disabled: noteText('The gate is disabled: nothing was checked', SUGGEST.verify),
  context_cut: noteText('Not all passages fit into the context'),
  context_empty: refusalText(
    `${CANNOT_ANSWER} The passages are too long.`,
    'No passage fits into the context',
    SUGGEST.narrow,
    SUGGEST.rephrase,
  ),
  reader_failed: UNJUDGED,
  rule_refused: refusalText(
    `${CANNOT_ANSWER} A rule of this service excludes it.`,
    'A rule of this service excludes it',
    // Not to rephrase it: the topic is excluded in any wording.
    SUGGEST.narrow,
  ),
  rule_advised: noteText('A rule of this service advises care', SUGGEST.verify),
  rule_failed: UNJUDGED,
})
