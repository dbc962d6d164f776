/** Lists what the two tiers checked. */
import type { ExplainedFact } from 'hono-rag-gate/core/policy'
import {
  type Finding,
  gradedRelevanceGate,
  type GradedRelevanceSettings,
  type PolicyGate,
  settingsOf,
} from 'hono-rag-gate/core/gates'
import { floored, meets, RATIO_TOLERANCE } from 'hono-rag-gate/core/lib'
import type { Signals } from 'hono-rag-gate/core/signals'
import { minScoreOf, retrievalScoreGate, type RetrievalScoreSettings, scoresRead } from './retrieval-score.ts'

/** One check, in the specification's notation. */
export interface CheckLine {
  readonly passed: boolean
  /** With its mark: `✅ Top score (3) ≥ threshold (2)`. */
  readonly text: string
}

/**
 * The checks of the tier that judged: grades if the chunks were graded, retrieval scores otherwise. A check that does
 * not apply, such as the ratio for a single chunk, is left out.
 *
 * @returns an empty list for a policy without the gates of the two tiers
 * @see the specification of two-tier, "Examples"
 */
export function checkLines(signals: Signals, gates: readonly PolicyGate[]): readonly CheckLine[] {
  const graded = settingsOf(gradedRelevanceGate, gates)
  const scored = settingsOf(retrievalScoreGate, gates)
  if (graded === undefined && scored === undefined) return []
  const retrieved = line(signals.chunkCount > 0, 'At least 1 chunk retrieved')
  if (!retrieved.passed) return [retrieved]
  const grades = signals.curves?.grade?.scores ?? []
  if (graded !== undefined && grades.length > 0) return [retrieved, ...gradeLines(graded, grades)]
  return scored === undefined ? [retrieved] : [retrieved, ...scoreLines(scored, signals)]
}

function gradeLines(
  { relevanceThreshold, minChunks }: GradedRelevanceSettings,
  grades: readonly number[],
): CheckLine[] {
  const isRelevant = (grade: number): boolean => meets(grade, relevanceThreshold, RATIO_TOLERANCE)
  const top = isRelevant(grades[0]!)
  const relevant = grades.filter(isRelevant).length
  const enough = relevant >= minChunks
  return [
    line(top, `Top score (${grades[0]}) ${sign(top)} threshold (${relevanceThreshold})`),
    line(enough, `Chunks above threshold: ${relevant} ${sign(enough)} required (${minChunks})`),
  ]
}

function scoreLines(settings: RetrievalScoreSettings, signals: Signals): CheckLine[] {
  const { minRatio } = settings
  const { kind, top, second, ratio } = scoresRead(signals, settings)
  if (kind === undefined || top === undefined) return []
  const minScore = minScoreOf(settings, kind)
  const high = meets(top, minScore, RATIO_TOLERANCE)
  const lines = [line(high, `Top score (${top}) ${sign(high)} minimum (${minScore})`)]
  if (ratio === undefined) return lines
  const clear = meets(ratio, minRatio, RATIO_TOLERANCE)
  const winner = clear ? 'clear winner' : 'not clear winner'
  return [...lines, line(clear, `Ratio: ${top} / ${second} = ${floored(ratio)} ${sign(clear)} ${minRatio} (${winner})`)]
}

function sign(holds: boolean): string {
  return holds ? '≥' : '<'
}

function line(passed: boolean, text: string): CheckLine {
  return { passed, text: `${passed ? '✅' : '❌'} ${text}` }
}

/**
 * Describes grades by the best one and by how many reach the threshold.
 *
 * @returns `undefined` for findings of other gates
 */
export function gradeFacts(
  { gate }: Finding,
  { curves = {} }: Signals,
  gates: readonly PolicyGate[],
): readonly ExplainedFact[] | undefined {
  const graded = settingsOf(gradedRelevanceGate, gates)
  const grades = curves.grade?.scores
  if (gate !== gradedRelevanceGate.name || graded === undefined || grades === undefined) return undefined
  const { relevanceThreshold } = graded
  const relevant = grades.filter((grade) => meets(grade, relevanceThreshold, RATIO_TOLERANCE))
  return [
    { label: 'Top chunk score', value: String(grades[0]) },
    { label: `Chunks above threshold (${relevanceThreshold})`, value: String(relevant.length) },
  ]
}
