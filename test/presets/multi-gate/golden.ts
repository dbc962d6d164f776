/** Document 002 against its golden file: `multiGate`, and the rule that suggests a threshold. */
import { textFor } from '../../../src/core/reports/refusal.ts'
import { suggestThresholdChange } from '../../../packages/calibration/src/suggest-threshold-change.ts'
import { judge } from '../../../src/core/policy/judge.ts'
import { judgeAnswer } from '../../../src/core/policy/judge-answer.ts'
import { multiGate } from '../../../packages/presets/src/multi-gate/multi-gate.ts'
import { answerSignalsOf, aSentence } from '../../fixtures/answer.ts'
import { aCurve, signalsOf } from '../../fixtures/evidence.ts'
import { type Compared, compareAll } from '../../golden/vectors.ts'

interface Outcome {
  readonly refused: boolean
  readonly gate: number | null
  readonly reason: string | null
  readonly llm_called: boolean
  readonly warning?: boolean
  readonly answer?: string
}

interface Vector {
  readonly id: string
  readonly top1_similarity: number
  readonly keywords_present: boolean
  readonly generation_confidence: number | null
  readonly unsupported_claims: readonly string[] | null
  readonly similarity_threshold: number
  readonly confidence_threshold: number
  readonly expect: Outcome & { readonly sources?: unknown }
}

interface Golden {
  readonly vectors: readonly Vector[]
  readonly calibration: readonly {
    readonly false_refusal_rate: number | null
    readonly hallucination_rate: number | null
    readonly recommended: string
  }[]
}

const GATE_NUMBERS: Readonly<Record<string, number>> = {
  'min-top-cosine': 1,
  'keyword-coverage': 2,
  'generation-confidence': 3,
  grounding: 4,
}

function outcomeOf(vector: Vector): Outcome {
  const policy = multiGate({
    wording: 'specification',
    refuseBelow: vector.similarity_threshold,
    refuseBelowConfidence: vector.confidence_threshold,
  })
  const signals = signalsOf({
    questionTermCount: 2,
    keywordCoverage: vector.keywords_present ? 1 : 0,
    curves: { cosine: aCurve(vector.top1_similarity) },
  })
  const before = judge(policy, signals)
  const called = before.verdict !== 'refuse'
  const { generation_confidence: confidence, unsupported_claims: claims } = vector
  const answer = answerSignalsOf({
    ...(confidence === null ? {} : { generationConfidence: confidence }),
    sentences: [aSentence(), ...(claims ?? []).map(() => aSentence({ termShare: 0 }))],
  })
  const judged = called ? judgeAnswer(policy, { ...before, signals }, answer) : before
  const deciding = judged.findings.find(({ outcome }) => outcome === 'refuse')
  return {
    refused: judged.verdict === 'refuse',
    gate: deciding === undefined ? null : (GATE_NUMBERS[deciding.gate] ?? NaN),
    reason: vector.expect.reason === null ? null : (deciding?.message ?? null),
    llm_called: called,
    ...(called ? { warning: judged.findings.some(({ code }) => code === 'keywords_missing') } : {}),
    ...(deciding === undefined ? {} : { answer: textFor(judged.reason, policy).answer }),
  }
}

/** Every section; the sources of a refusal are always empty, and are tested with the refusals. */
export function compareDocument002(golden: Golden): Readonly<Record<string, readonly Compared[]>> {
  return {
    vectors: compareAll(
      golden.vectors,
      ({ id }) => id,
      ({ expect: { sources: _sources, ...rest } }) => rest,
      outcomeOf,
    ),
    calibration: compareAll(
      golden.calibration,
      (_, at) => String(at),
      ({ recommended }) => recommended,
      ({ false_refusal_rate, hallucination_rate }) =>
        suggestThresholdChange(multiGate(), {
          falseRefusals: { rate: false_refusal_rate, labels: 1000 },
          hallucinations: { rate: hallucination_rate, labels: 1000 },
        }).action,
      String,
    ),
  }
}
