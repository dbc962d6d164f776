/** A question set behind `gateQuestion` with its default settings: used by all benchmarks of verdicts. */
import type { Passage, Ranking } from '../../src/core/evidence/chunk.ts'
import type { Finding } from '../../src/core/gates/finding.ts'
import type { Decision } from '../../src/core/policy/decision.ts'
import { logistic } from '../../src/core/policy/logistic.ts'
import { definePolicy, type Policy } from '../../src/core/policy/policy.ts'
import { isOfTexts } from '../../src/core/policy/text-findings.ts'
import { weakestPart } from '../../src/core/policy/weakest-part.ts'
import { type ConfidenceScale, scaledFor } from '../../src/core/scale/index.ts'
import type { Signals } from '../../src/core/signals/measure.ts'
import { createMemory } from '../../src/core/signals/signal.ts'
import { EMPTY_LEXICON, type Lexicon } from '../../src/core/text/lexicon.ts'
import { normaliseQuestion } from '../../src/core/text/normalise.ts'
import { createStaticCollections } from '../../src/adapters/static-collections.ts'
import { checkOptions } from '../../src/middleware/check-options.ts'
import type { RagGateOptions } from '../../src/middleware/options.ts'
import { gateQuestion, type GateResult } from '../../src/pipeline/gate-question.ts'
import type { QuestionPorts } from '../../src/pipeline/question-settings.ts'
import type { Reranking } from '../../src/pipeline/question-settings.ts'
import type { Retriever } from '../../src/ports/retriever.ts'
import { allSignals } from '../../packages/presets/src/named/index.ts'
import { balanced } from '../../src/presets/balanced/balanced.ts'
import { asked, BENCH } from './asked.ts'
import { fitBalanced, measureSet } from './balanced-model.ts'
import {
  FAMILY_SETS,
  type LabelledQuestion,
  openQuestionSet,
  readQuestionSet,
  type ReadingOptions,
} from './question-sets.ts'

/** Differences from the gate's default options. */
export interface BenchGateOptions extends Partial<Pick<RagGateOptions<never>, 'policy' | 'retrieval' | 'context'>> {
  readonly reranker?: Reranking
  /** Leaves out the collection's lexicon. @default false */
  readonly withoutLexicon?: boolean
  /** The collection's scale, for the policy. @default none */
  readonly scale?: ConfidenceScale
}

/** What to search. */
export interface Searched {
  readonly lexicon: Lexicon
  readonly search: (words: string, topK: number) => readonly Ranking[] | Promise<readonly Ranking[]>
}

/** Asks a question as it was written. @param isOut passages to leave out. @default none */
export type BenchGate = (
  text: string,
  isOut?: (passage: Passage) => boolean,
) => Promise<Extract<GateResult, { readonly kind: 'judged' }>>

/** Number of additional passages to retrieve, to replace those left out. */
const SPARE = 100

/** `balanced`, also recording the signals of other policies, which can then judge the same records. */
const RECORDING = definePolicy({ ...balanced(), records: allSignals() })

/** Placeholder members of a given scale. */
const LEARNED = {
  kind: 'scale',
  origin: 'documents',
  embeddingModel: '',
  corpusVersion: 1,
  chunkCount: 0,
  windows: 0,
  learnedAtMs: 0,
} as const

/** The gate over a search. */
export function benchGate(
  { lexicon, search }: Searched,
  { reranker, withoutLexicon = false, scale, ...options }: BenchGateOptions = {},
): BenchGate {
  const { policy = RECORDING } = options
  const learned = scale && { ...LEARNED, ...scale, confidence: scaledFor(policy as Policy) }
  const collection = {
    id: BENCH,
    tenant: BENCH,
    lexicon: withoutLexicon ? EMPTY_LEXICON : lexicon,
    ...(learned && { scale: learned }),
  }
  const collections = createStaticCollections([collection])
  let leftOut: Parameters<BenchGate>[1]
  const retriever: Retriever = {
    retrieve: async ({ question, topK }) => {
      const isOut = leftOut
      if (isOut === undefined) return search(question, topK)
      const rankings = await search(question, topK + SPARE)
      return rankings.map(({ kind, entries }) => ({
        kind,
        entries: entries.filter(({ passage }) => !isOut(passage)).slice(0, topK),
      }))
    },
  }
  const ports: QuestionPorts = {
    clock: { nowMs: () => 0 },
    collections,
    retriever,
    lasting: createMemory(),
    ...(reranker === undefined ? {} : { reranker }),
  }
  const settings = checkOptions({ policy: RECORDING, dependencies: { retriever, collections }, ...options })
  return async (text, isOut) => {
    leftOut = isOut
    const gated = await gateQuestion(ports, settings, asked(normaliseQuestion(text)))
    if (gated.kind !== 'judged') throw new Error('There is no cache here')
    return gated
  }
}

/** A labelled question as measured by the gate. */
export interface GatedQuestion extends LabelledQuestion {
  readonly signals: Signals
  /** Findings of text rules, which `judge` cannot recompute from signals. */
  readonly textFindings: readonly Finding[]
}

/** A set as measured by the gate. */
export interface GatedSet {
  readonly name: string
  readonly questions: readonly GatedQuestion[]
}

/** Measures every question of a set with the gate. */
export async function gatedSet(
  name: string,
  reading: ReadingOptions = {},
  options: BenchGateOptions = {},
): Promise<GatedSet> {
  const set = openQuestionSet(name, reading)
  const ask = benchGate(set, options)
  const questions: GatedQuestion[] = []
  for (const label of set.questions) questions.push({ ...label, ...measuresOf((await ask(label.question)).decision) })
  return { name, questions }
}

/** The parts of a decision that another policy needs to judge it again. */
function measuresOf({ signals, findings }: Decision): Pick<GatedQuestion, 'signals' | 'textFindings'> {
  return { signals, textFindings: findings.filter(isOfTexts) }
}

/** `balanced` with its default thresholds for each family, fitted on the seven others. */
export function balancedWithoutEach(): ReadonlyMap<string, Policy> {
  const fitted = FAMILY_SETS.map((name) => measureSet(readQuestionSet(name)))
  return new Map(
    FAMILY_SETS.map((name) => {
      const confidence = weakestPart(logistic(fitBalanced(fitted.filter((set) => set.name !== name))))
      return [name, definePolicy({ ...balanced(), confidence })]
    }),
  )
}
