/** Numbers that are recorded with every decision, by names that a fitted confidence can refer to. */
import type { RerankerKind } from 'hono-rag-gate/core/evidence'
import { curves, type ScoreCurve, type Signal, type Signals, TEXT_SIGNALS } from 'hono-rag-gate/core/signals'

/** What is taken of a method's scores. */
const OF_CURVES: Readonly<Record<string, (curve: ScoreCurve) => number>> = {
  top: ({ scores }) => scores[0] ?? NaN,
  lead: ({ scores }) => (scores[0] ?? NaN) - (scores[1] ?? 0),
  above: ({ scores }) => (scores[0] ?? NaN) - scores.reduce((sum, score) => sum + score, 0) / scores.length,
}

/**
 * A recorded number by its name: a signal of the text (`sentenceMatch`), or of the scores of a method
 * (`cosine.top`, `bm25.lead`, `grade.above`: the best score, its lead over the second, its height above the mean).
 *
 * @returns `NaN` when there is no such number, or the method gave no score
 */
export function recordedMeasure(signals: Signals, name: string): number {
  const [kind = '', of] = name.split('.')
  if (of === undefined) return numberIn(Object.hasOwn(TEXT_SIGNALS, name) ? signals : {}, name)
  const curve = numberCurve(signals, kind)
  const take = Object.hasOwn(OF_CURVES, of) ? OF_CURVES[of] : undefined
  const value = curve === undefined || take === undefined ? NaN : take(curve)
  return Number.isFinite(value) ? value : NaN
}

/** Names of the numbers that all of these have, in a fixed order. */
export function measuresOfAll(all: readonly Signals[]): readonly string[] {
  const kinds = [...new Set(all.flatMap((signals) => Object.keys(signals.curves ?? {})))].sort()
  const names = [
    ...Object.keys(TEXT_SIGNALS),
    ...kinds.flatMap((kind) => Object.keys(OF_CURVES).map((of) => `${kind}.${of}`)),
  ]
  return names.filter((name) => all.every((signals) => Number.isFinite(recordedMeasure(signals, name))))
}

/** Kinds of score that come of reading a passage beside the question. */
const READERS: readonly RerankerKind[] = ['cross-encoder', 'grade']

/** Whether anything read the passages of a question: it may be off, spared, or have failed. */
export function hasReaderScores(signals: Signals): boolean {
  return READERS.some((kind) => signals.curves?.[kind] !== undefined)
}

/** Whether the number of this name comes of reading a passage. */
export function isOfReader(name: string): boolean {
  return READERS.some((kind) => name.startsWith(`${kind}.`))
}

/** Names of the numbers of readers that all of those have whose passages were read, in a fixed order. */
export function measuresOfReaders(all: readonly Signals[]): readonly string[] {
  const read = all.filter(hasReaderScores)
  return measuresOfAll(read).filter(isOfReader)
}

function numberCurve(signals: Signals, kind: string): ScoreCurve | undefined {
  const found: Readonly<Record<string, ScoreCurve | undefined>> = signals.curves ?? {}
  const curve = Object.hasOwn(found, kind) ? found[kind] : undefined
  return Array.isArray(curve?.scores) && curve.scores.every((score) => typeof score === 'number') ? curve : undefined
}

function numberIn(signals: object, name: string): number {
  const value: unknown = Reflect.get(signals, name)
  return typeof value === 'number' && Number.isFinite(value) ? value : NaN
}

/** The signals that the numbers of these names are taken from. */
export function signalsOfMeasures(names: readonly string[]): readonly Signal[] {
  const ofText = Object.values(TEXT_SIGNALS).filter(({ name }) => names.includes(name))
  return names.some((name) => name.includes('.')) ? [...ofText, curves] : ofText
}
