/** How the weights of `balanced` are fitted: shared by `npm run fit`, which writes them, and `npm run eval:gates`. */
import type { LackingWeights, LogisticWeights, MeasuredPart, LogisticSettings } from '../../src/core/policy/logistic.ts'
import { EMPTY_LEXICON } from '../../src/core/text/lexicon.ts'
import { createMemory } from '../../src/core/signals/signal.ts'
import { measureSignals, type Signals, subjectOf } from '../../src/core/signals/measure.ts'
import { TEXT_SIGNALS, type TextSignalName } from '../../src/core/signals/text-signals.ts'
import { fitGrouped, type Row } from './grouped-fit.ts'
import { FAMILY_SETS, type QuestionSet } from './question-sets.ts'
import { english } from '../../src/language/english/english.ts'

/** The sets that are fitted on. `squad-adv` is only reported: no signal of the evidence tells its questions apart. */
export const FITTED_SETS = FAMILY_SETS

/** When the committed weights were fitted: a constant, so that the file is the same whenever it is made. */
const FITTED_ON = '2026-11-24'

/** Decimals kept: far beyond what matters, and far from where platforms differ. */
const DECIMALS = 4

/** What `balanced` weighs: see "What each part is worth" in docs/internal/evaluation.md. */
export const SIGNALS: readonly TextSignalName[] = [
  'questionLikelihood',
  'sentenceMatch',
  'chunkCosineGap',
  'bm25Lead',
  'titleMatch',
]

const MEASURED = Object.values(TEXT_SIGNALS)

const LACKING: readonly (readonly MeasuredPart[])[] = [['lexicon'], ['title'], ['lexicon', 'title']]

/** A labelled question as measured, with the collection's lexicon and without any. */
export interface MeasuredQuestion {
  readonly id: string
  readonly answerable: boolean
  readonly group: string
  readonly signals: Signals
  readonly withoutLexicon: Signals
}

/** A set as measured. */
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
      const whole = { question, evidence, language: english, lasting }
      return {
        id,
        answerable,
        group,
        signals: measureSignals(MEASURED, subjectOf({ ...whole, lexicon })),
        withoutLexicon: measureSignals(MEASURED, subjectOf({ ...whole, lexicon: EMPTY_LEXICON })),
      }
    }),
  }
}

/** The logistic model of `balanced`, with its variants for missing parts, fitted on some sets. */
export function fitBalanced(sets: readonly MeasuredSet[]): LogisticSettings {
  return {
    kind: 'logistic',
    ...fitWithout(sets, []),
    lacking: LACKING.map((missing): LackingWeights => ({ missing, ...fitWithout(sets, missing) })),
    calibrated: false,
    provenance: `npm run fit, ${FITTED_ON}: docs/internal/evaluation.md`,
  }
}

function fitWithout(sets: readonly MeasuredSet[], missing: readonly MeasuredPart[]): LogisticWeights {
  const names = SIGNALS.filter((name) => name !== 'titleMatch' || !missing.includes('title'))
  const { intercept, coefficients } = fitGrouped(
    sets.map(({ questions }) =>
      questions.map((question): Row => {
        const signals = missing.includes('lexicon') ? question.withoutLexicon : question.signals
        return { features: names.map((name) => signals[name]!), answerable: question.answerable }
      }),
    ),
  )
  return {
    intercept: rounded(intercept),
    weights: Object.fromEntries(names.map((name, at) => [name, rounded(coefficients[at] ?? Number.NaN)])),
  }
}

function rounded(value: number): number {
  return Number(value.toFixed(DECIMALS))
}
