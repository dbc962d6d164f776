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
 * What was measured of the evidence, and all that is known about it once its text is gone: JSON, finite numbers only. A
 * signal that was not read is not there. Those of core have a type here; those of a package stand beside them under their own names.
 */
export interface Signals extends Readonly<Partial<Record<TextSignalName, number>>> {
  /** Number of chunks. */
  readonly chunkCount: number
  /** Entries dropped for an unusable score. */
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

/** What was measured of one piece of a question (`piecesOf`). */
export type PartSignals = Readonly<Record<string, number>>

/** A question with its evidence, to be measured. */
export interface MeasuredQuestion {
  /** Normalised. */
  readonly question: string
  /** @default as the language parts it; without one it is measured as it stands */
  readonly parts?: QuestionParts | undefined
  readonly evidence: Evidence
  /** The collection's. @default the lexicon of nothing */
  readonly lexicon?: Lexicon
  /** The policy's, or none. */
  readonly language: Language | undefined
  /** The collection's for the policy. @default none */
  readonly scale?: AppliedScale | undefined
  /** What outlives the question. @default nothing is kept */
  readonly lasting?: Memory | undefined
}

/** What signals are measured of. */
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
 * Measures the evidence. Pure: the same arguments always give the same signals, and nothing in the texts can change
 * them but the words themselves.
 *
 * @param signals those that are read (`Policy.signals`)
 */
export function measureSignals(signals: readonly Signal[], subject: Subject): Signals {
  const { chunks, dropped } = subject.evidence
  const values: object = Object.fromEntries(signals.map((signal) => [signal.name, signal.measure(subject)]))
  return Object.freeze({ chunkCount: chunks.length, droppedCount: dropped, ...values })
}
