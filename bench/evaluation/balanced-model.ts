/** How the weights of `balanced` are fitted: shared by `npm run fit`, which writes them, and `npm run eval:gates`. */
import type { LogisticSettings } from '../../src/core/policy/logistic.ts'
import { createMemory } from '../../src/core/signals/signal.ts'
import { measureSignals, type Signals, subjectOf } from '../../src/core/signals/measure.ts'
import { TEXT_SIGNALS, type TextSignalName } from '../../src/core/signals/text-signals.ts'
import { fitGrouped, type Row } from './grouped-fit.ts'
import { FAMILY_SETS, type QuestionSet } from './question-sets.ts'
import { english } from '../../src/language/english/english.ts'

/** The sets for fitting. `squad-adv` is only reported, because no evidence signal separates its questions. */
export const FITTED_SETS = FAMILY_SETS

/** Date of the committed weights: a constant, so that the generated file is reproducible. */
const FITTED_ON = '2026-11-24'

/** Decimals of the weights: more than needed, but fewer than platforms differ in. */
const DECIMALS = 4

/** The signals of `balanced`: see "What each part is worth" in docs/internal/evaluation.md. */
export const SIGNALS: readonly TextSignalName[] = [
  'questionLikelihood',
  'sentenceMatch',
  'chunkCosineGap',
  'bm25Lead',
  'titleMatch',
]

const MEASURED = Object.values(TEXT_SIGNALS)

/** A labelled question with its signals. */
export interface MeasuredQuestion {
  readonly id: string
  readonly answerable: boolean
  readonly group: string
  readonly signals: Signals
}

/** A measured set. */
export interface MeasuredSet {
  readonly name: string
  readonly questions: readonly MeasuredQuestion[]
}

/** Measures every question of a set. */
export function measureSet({ name, lexicon, questions }: QuestionSet): MeasuredSet {
  const lasting = createMemory()
  return {
    name,
    questions: questions.map(({ id, question, answerable, group, evidence }) => {
      return {
        id,
        answerable,
        group,
        signals: measureSignals(MEASURED, subjectOf({ question, evidence, language: english, lasting, lexicon })),
      }
    }),
  }
}

/** Fits the logistic model of `balanced` on some sets. */
export function fitBalanced(sets: readonly MeasuredSet[]): LogisticSettings {
  const { intercept, coefficients } = fitGrouped(
    sets.map(({ questions }) =>
      questions.map(({ signals, answerable }): Row => ({
        features: SIGNALS.map((name) => signals[name]!),
        answerable,
      })),
    ),
  )
  return {
    kind: 'logistic',
    intercept: rounded(intercept),
    weights: Object.fromEntries(SIGNALS.map((name, at) => [name, rounded(coefficients[at] ?? Number.NaN)])),
    calibrated: false,
    provenance: `npm run fit, ${FITTED_ON}: docs/internal/evaluation.md`,
  }
}

function rounded(value: number): number {
  return Number(value.toFixed(DECIMALS))
}
