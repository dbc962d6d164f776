/** A question set behind the gate itself, `gateQuestion` with its default settings: what every bench of verdicts asks. */
import type { Passage, Ranking } from '../../src/core/evidence/chunk.ts'
import type { Finding } from '../../src/core/gates/finding.ts'
import type { Decision } from '../../src/core/policy/decision.ts'
import { logistic } from '../../src/core/policy/logistic.ts'
import { definePolicy, type Policy } from '../../src/core/policy/policy.ts'
import { isOfTexts } from '../../src/core/policy/text-findings.ts'
import { weakestPart } from '../../src/core/policy/weakest-part.ts'
import type { ConfidenceScale } from '../../src/core/scale/index.ts'
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

/** What differs from the gate as it is without options. */
export interface BenchGateOptions extends Partial<Pick<RagGateOptions<never>, 'policy' | 'retrieval' | 'context'>> {
  readonly reranker?: Reranking
  /** Takes the collection's lexicon away. @default false */
  readonly withoutLexicon?: boolean
  /** The collection's own, for the policy. @default none */
  readonly scale?: ConfidenceScale
}

/** What is searched. */
export interface Searched {
  readonly lexicon: Lexicon
  readonly search: (words: string, topK: number) => readonly Ranking[] | Promise<readonly Ranking[]>
}

/** Asks one question, as it was written. @param isOut which passages are not found. @default all are */
export type BenchGate = (
  text: string,
  isOut?: (passage: Passage) => boolean,
) => Promise<Extract<GateResult, { readonly kind: 'judged' }>>

/** Passages asked for beyond those kept, as many as may be left out. */
const SPARE = 100

/** `balanced`, with what other policies read recorded: they judge the same signals. */
const RECORDING = definePolicy({ ...balanced(), records: allSignals() })

/** Of a scale that is handed over: nothing that counts. */
const LEARNED = {
  kind: 'scale',
  origin: 'documents',
  embeddingModel: '',
  corpusVersion: 1,
  chunkCount: 0,
  windows: 0,
  learnedAtMs: 0,
} as const

/** The gate over a search of its own. */
export function benchGate(
  { lexicon, search }: Searched,
  { reranker, withoutLexicon = false, scale, ...options }: BenchGateOptions = {},
): BenchGate {
  const { policy = RECORDING } = options
  const learned = scale && { ...LEARNED, ...scale, policyId: (policy as Policy).id }
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

/** A labelled question as the gate measured it. */
export interface GatedQuestion extends LabelledQuestion {
  readonly signals: Signals
  /** Those that no signals give again, for `judge`. */
  readonly textFindings: readonly Finding[]
}

/** A set as the gate measured it. */
export interface GatedSet {
  readonly name: string
  readonly questions: readonly GatedQuestion[]
}

/** Has the gate measure every question of a set. */
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

/** What of a decision another policy judges again. */
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
