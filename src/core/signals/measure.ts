/** The first step of deciding: from a question and its evidence to numbers. */
import type { TermReader } from '../text/terms.ts'
import { scoreCurves } from './score-curves.ts'
import type { ScoreCurve } from './score-curves.ts'
import type { ScoreKind } from '../evidence/chunk.ts'
import type { Evidence } from '../evidence/evidence.ts'
import { idfMass, type Lexicon } from '../text/lexicon.ts'
import { read, type TextFeatures } from './text-features.ts'
import { measureRetrieval, type RetrievalSignals } from './retrieval-signals.ts'
import { TEXT_SIGNALS, type TextSignalName } from './text-signals.ts'

/** Everything that is known about the evidence once its text is gone. JSON, finite numbers only. */
export interface Signals extends Readonly<Record<TextSignalName, number>> {
  /** Number of chunks. */
  readonly chunkCount: number
  /** Entries dropped for an unusable score. */
  readonly droppedCount: number
  /** Distinct terms of the question. */
  readonly questionTermCount: number
  /** Chunks behind the collection lexicon; 0 when there was none, and the chunks found had to stand for it. */
  readonly lexiconChunkCount: number
  /** Distinct terms in the title of the best chunk; 0 when it has none, and `titleMatch` tells nothing. */
  readonly topTitleTermCount: number
  /** Scores by kind; a kind is absent when no chunk carries it. */
  readonly curves: Readonly<Partial<Record<ScoreKind, ScoreCurve>>>
  /** What the retrieval scores say. */
  readonly retrieval: RetrievalSignals
  /** The same of each part, where the question has several (`measureQuestion`). */
  readonly parts?: readonly PartSignals[]
  /** The same of stretches of its long parts (`stretchesOf`), and of its end where nothing was found of that. */
  readonly stretches?: readonly PartSignals[]
}

/** What was measured of one part or stretch of a question. */
export type PartSignals = Readonly<Record<TextSignalName | 'questionTermCount', number>>

/**
 * Measures the evidence. Pure: the same arguments always give the same signals, and nothing in the texts can change
 * them but the words themselves.
 *
 * @param question normalised (`normaliseQuestion`)
 * @param lexicon the collection's, or `EMPTY_LEXICON`
 * @param reader reads the terms of texts; one that remembers saves most of the work
 * @param features what was read of these before. @default they are read
 */
export function measure(
  question: string,
  evidence: Evidence,
  lexicon: Lexicon,
  reader: TermReader,
  features: TextFeatures = read(question, evidence, lexicon, reader),
): Signals {
  return Object.freeze({
    chunkCount: evidence.chunks.length,
    droppedCount: evidence.dropped,
    questionTermCount: features.questionTerms.length,
    lexiconChunkCount: lexicon.chunkCount,
    topTitleTermCount: features.titleTerms.length,
    curves: scoreCurves(evidence.chunks),
    // An engine's scores rest on its own collection: they are held against that, as fusion does.
    retrieval: measureRetrieval(evidence, idfMass(lexicon, reader.terms(question))),
    ...textSignals(features),
  })
}

/** Measures a part of a question: what differs from the other parts, which is what follows from its text. Pure. */
export function measurePart(part: string, evidence: Evidence, lexicon: Lexicon, reader: TermReader): PartSignals {
  const features = read(part, evidence, lexicon, reader)
  return Object.freeze({ questionTermCount: features.questionTerms.length, ...textSignals(features) })
}

function textSignals(features: TextFeatures): Record<TextSignalName, number> {
  const measured = Object.entries(TEXT_SIGNALS).map(([name, signal]) => [name, signal(features)])
  // Every member of TEXT_SIGNALS, each a number.
  return Object.fromEntries(measured) as Record<TextSignalName, number>
}
