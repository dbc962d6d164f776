/** Recorded numbers by name, for fitted confidences. */
import type { RerankerKind } from 'hono-rag-gate/core/evidence'
import { recordedNumber } from 'hono-rag-gate/core/lib'
import { curves, type ScoreCurve, type Signal, type Signals, TEXT_SIGNALS } from 'hono-rag-gate/core/signals'

/** Measures derived from a method's score curve. */
const OF_CURVES: Readonly<Record<string, (curve: ScoreCurve) => number>> = {
  top: ({ scores }) => scores[0] ?? NaN,
  lead: ({ scores }) => (scores[0] ?? NaN) - (scores[1] ?? 0),
  above: ({ scores }) => (scores[0] ?? NaN) - scores.reduce((sum, score) => sum + score, 0) / scores.length,
}

/**
 * A recorded measure by name: a text signal (`sentenceMatch`), or a measure of a method's scores (`cosine.top`,
 * `bm25.lead`, `grade.above`: the best score, its lead over the second, its height above the mean).
 *
 * @returns `NaN` if there is no such measure, or the method gave no score
 */
export function recordedMeasure(signals: Signals, name: string): number {
  const [kind = '', of] = name.split('.')
  if (of === undefined) return recordedNumber(Object.hasOwn(TEXT_SIGNALS, name) && Reflect.get(signals, name))
  const curve = numberCurve(signals, kind)
  return recordedNumber(Object.hasOwn(OF_CURVES, of) && curve && OF_CURVES[of]!(curve))
}

/** Names of the measures that all of these have, in a fixed order. */
export function measuresOfAll(all: readonly Signals[]): readonly string[] {
  const kinds = [...new Set(all.flatMap((signals) => Object.keys(signals.curves ?? {})))].sort()
  const names = [
    ...Object.keys(TEXT_SIGNALS),
    ...kinds.flatMap((kind) => Object.keys(OF_CURVES).map((of) => `${kind}.${of}`)),
  ]
  return names.filter((name) => all.every((signals) => Number.isFinite(recordedMeasure(signals, name))))
}

/** Score kinds from models that read passage and question together. */
const READERS: readonly RerankerKind[] = ['cross-encoder', 'grade']

/** Whether a reranker scored the passages of a question; it may be off, skipped, or have failed. */
export function hasReaderScores(signals: Signals): boolean {
  return READERS.some((kind) => signals.curves?.[kind] !== undefined)
}

/** Whether a measure comes from a reranker. */
export function isOfReader(name: string): boolean {
  return READERS.some((kind) => name.startsWith(`${kind}.`))
}

/** Names of the reranker measures that all questions with reranker scores have, in a fixed order. */
export function measuresOfReaders(all: readonly Signals[]): readonly string[] {
  const read = all.filter(hasReaderScores)
  return measuresOfAll(read).filter(isOfReader)
}

function numberCurve(signals: Signals, kind: string): ScoreCurve | undefined {
  const found: Readonly<Record<string, ScoreCurve | undefined>> = signals.curves ?? {}
  const curve = Object.hasOwn(found, kind) ? found[kind] : undefined
  return Array.isArray(curve?.scores) && curve.scores.every((score) => typeof score === 'number') ? curve : undefined
}

/** The signals that these measures are derived from. */
export function signalsOfMeasures(names: readonly string[]): readonly Signal[] {
  const ofText = Object.values(TEXT_SIGNALS).filter(({ name }) => names.includes(name))
  return names.some((name) => name.includes('.')) ? [...ofText, curves] : ofText
}
