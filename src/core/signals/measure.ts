/** The first step of deciding: from a question and its evidence to numbers. */
import type { Evidence } from '../evidence/evidence.ts'
import type { AppliedScale } from '../scale/collection-scale.ts'
import type { Language, QuestionParts } from '../text/language.ts'
import { EMPTY_LEXICON, type Lexicon } from '../text/lexicon.ts'
import type { ScoreCurves } from './score-curves.ts'
import type { LoneTerm } from './lone-term.ts'
import { createMemory, type Memory, type Signal, type Subject } from './signal.ts'
import type { TextSignalName } from './text-signals.ts'

/**
 * Measured signals, which do not contain texts: JSON, finite numbers only. Signals that were not needed are absent. Those of
 * core are typed here; those of packages are further members under their own names.
 */
export interface Signals extends Readonly<Partial<Record<TextSignalName, number>>> {
  /** Number of chunks. */
  readonly chunkCount: number
  /** Number of entries dropped for an invalid score. */
  readonly droppedCount: number
  readonly questionTermCount?: number
  readonly topCosine?: number | null
  readonly curves?: ScoreCurves
  readonly questionReadable?: boolean
  readonly askedTermCount?: number
  readonly loneTerm?: LoneTerm | null
  readonly runTogetherCount?: number
  readonly parts?: readonly PartSignals[]
  readonly stretches?: readonly PartSignals[]
  readonly states?: boolean
  readonly scale?: AppliedScale | null
}

/** Signals of one piece of a question (`piecesOf`). */
export type PartSignals = Readonly<Record<string, number>>

/** Input of measuring: a question with its evidence. */
export interface MeasuredQuestion {
  /** Normalised. */
  readonly question: string
  /** @default split by the language; without one the question is measured as a whole */
  readonly parts?: QuestionParts | undefined
  readonly evidence: Evidence
  /** The collection's lexicon. @default the empty lexicon */
  readonly lexicon?: Lexicon
  /** The policy's language, or none. */
  readonly language: Language | undefined
  /** The collection's scale for the policy. @default none */
  readonly scale?: AppliedScale | undefined
  /** Memo across questions. @default none */
  readonly lasting?: Memory | undefined
}

/** Builds the subject of which signals are measured. */
export function subjectOf({ question, parts, evidence, lexicon, language, scale, lasting }: MeasuredQuestion): Subject {
  const parted = parts ?? language?.partsOf(question)
  return {
    question,
    words: parted?.bare ?? question,
    parts: parted?.parts,
    states: parted?.states,
    evidence,
    lexicon: lexicon ?? EMPTY_LEXICON,
    language,
    scale,
    memory: createMemory(),
    lasting: lasting ?? createMemory(),
  }
}

/**
 * Measures signals. Pure: the same arguments always give the same signals, which depend on the words of the texts only, never
 * on instructions in them.
 *
 * @param signals the signals to measure (`Policy.signals`)
 */
export function measureSignals(signals: readonly Signal[], subject: Subject): Signals {
  const { chunks, dropped } = subject.evidence
  const values: object = Object.fromEntries(signals.map((signal) => [signal.name, signal.measure(subject)]))
  return Object.freeze({ chunkCount: chunks.length, droppedCount: dropped, ...values })
}
