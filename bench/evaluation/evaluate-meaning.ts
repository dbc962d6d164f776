/**
 * What a semantic cosine adds to the lexical signals, through the adapters of Upstash Vector and Vectorize.
 *
 *   npm run bench -- evaluation/evaluate-meaning
 *
 * With a neural encoder, and with simulated ones whose cosine separates questions with a given AUROC. `balanced` is
 * fitted without the family; the scale is learned through the same adapter. Simulated vectors are drawn with a fixed
 * seed.
 */
import { auroc } from '../../packages/calibration/src/auroc.ts'
import { binomialInterval } from '../../packages/calibration/src/binomial-interval.ts'
import { learnScale } from '../../packages/ingest/src/learn-scale.ts'
import type { Passage } from '../../src/core/evidence/chunk.ts'
import type { Decision } from '../../src/core/policy/decision.ts'
import { definePolicy, type Policy } from '../../src/core/policy/policy.ts'
import { scaled, type ScaledSettings } from '../../src/core/policy/scaled.ts'
import type { Embedder } from '../../src/ports/embedder.ts'
import { balanced } from '../../src/presets/balanced/balanced.ts'
import { markdownTable } from '../markdown-table.ts'
import { deviationsOfTail } from '../normal-tail.ts'
import { seededRandom } from '../seeded-random.ts'
import { balancedWithoutEach } from './bench-gate.ts'
import { gateOver, overUpstash, overVectorize } from './embedded-passages.ts'
import { openEncoder } from './encoder.ts'
import { haveQuestionSets, type LabelledQuestion, openQuestionSet, passageOf, readCorpus } from './question-sets.ts'

const SEED = 1
const SETS = ['azure-faq', 'gov-faq', 'perl-faq'] as const
/** Asked with the neural encoder only, each separately. */
const MORE = ['tex-faq', 'clapnq'] as const
const STRENGTHS = [0.7, 0.8, 0.9, 0.95]
const WINDOWS = 100
const DIMENSION = 256
/** Cosines of simulated encoders: their median without an answer, and a deviation. */
const MIDDLE = 0.4
const DEVIATION = 0.08
/** Number of deviations by which a window's own passage raises its cosine. */
const OWN = 3
const ADAPTERS = { 'Upstash Vector': overUpstash, Vectorize: overVectorize }

/** How many of some questions are answered. */
type Count = readonly [hits: number, trials: number]

/** One set through one adapter. */
interface Measured {
  readonly isRead: boolean
  readonly cosines: readonly { readonly score: number; readonly answerable: boolean }[]
  /** Lexically, and with the cosine. */
  readonly answered: readonly [Count, Count]
  readonly falseAcceptance: readonly [Count, Count]
  /** Answerable questions that are refused lexically, and answered with the cosine. */
  readonly carried: Count
  /** The same for those of one part, with their passage found and a cosine at least 2.5 deviations high. */
  readonly telling: Count
}

const policies = balancedWithoutEach()
const { atMiddle, perDeviation } = balanced().confidence.settings as ScaledSettings

function policyWithout(family: string): Policy {
  const { confidence } = policies.get(family)!
  return definePolicy({ ...balanced(), confidence: scaled(confidence, { atMiddle, perDeviation }) })
}

async function measured(
  name: string,
  over: (typeof ADAPTERS)[keyof typeof ADAPTERS],
  embedderOf: (passages: readonly Passage[], questions: readonly LabelledQuestion[]) => Embedder,
): Promise<Measured> {
  const { questions, lexicon } = openQuestionSet(name)
  const passages = readCorpus(name).map(passageOf)
  const policy = policyWithout(name)
  const retriever = await over(passages, embedderOf(passages, questions))
  const collections = { lexicon: async () => lexicon }
  const collection = {
    tenant: 'default',
    id: 'default',
    corpusVersion: 1,
    lexiconId: 'lexicon',
    embeddingModel: '',
    dimension: 0,
    policyId: null,
    unpublishedChunkIds: [],
  }
  const learning = { retriever, policy, passages, collection, collections, windows: WINDOWS, seed: SEED }
  const retrieval = { topK: 10, timeoutMs: 60_000 }
  const scales = [
    await learnScale({ ...learning, retrieval, meaning: 'none' }),
    await learnScale({ ...learning, retrieval }),
  ] as const
  const [byWords, byBoth] = scales.map((scale) => gateOver(retriever, policy, { lexicon, scale }))
  const meaning = scales[1].kind === 'scale' ? scales[1].meaning : undefined
  const telling = meaning && meaning.middle + 2.5 * meaning.deviation
  const found: { readonly label: LabelledQuestion; readonly words: Decision; readonly both: Decision }[] = []
  for (const label of questions) {
    found.push({ label, words: await byWords!(label.question), both: await byBoth!(label.question) })
  }
  const isAnswered = ({ verdict }: Decision): boolean => verdict !== 'refuse'
  const kind = (answerable: boolean) => found.filter(({ label }) => label.answerable === answerable)
  const counts = (answerable: boolean): readonly [Count, Count] => {
    const of = kind(answerable)
    return [
      [of.filter(({ words }) => isAnswered(words)).length, of.length],
      [of.filter(({ both }) => isAnswered(both)).length, of.length],
    ]
  }
  const refused = kind(true).filter(({ words }) => !isAnswered(words))
  const carried = refused.filter(({ both }) => isAnswered(both))
  const isTelling = ({ label, both }: (typeof refused)[number]): boolean =>
    telling !== undefined &&
    both.signals.parts?.length === 0 &&
    (cosineOf(both) ?? -1) >= telling &&
    label.relevantIds.some((id) => both.evidenceIds.includes(id))
  return {
    isRead: meaning !== undefined,
    cosines: found.map(({ label, both }) => ({ score: cosineOf(both) ?? -1, answerable: label.answerable })),
    answered: counts(true),
    falseAcceptance: counts(false),
    carried: [carried.length, refused.length],
    telling: [carried.filter(isTelling).length, refused.filter(isTelling).length],
  }
}

function cosineOf({ signals }: Decision): number | undefined {
  return signals.curves?.cosine?.scores[0]
}

/** An encoder with a random best cosine, higher for an answerable question's passage. */
function simulated(strength: number) {
  return (passages: readonly Passage[], questions: readonly LabelledQuestion[]): Embedder => {
    const random = seededRandom(SEED)
    const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
    const unit = (vector: readonly number[]): number[] => vector.map((value) => value / Math.hypot(...vector))
    const anywhere = (): number[] => unit(Array.from({ length: DIMENSION }, normal))
    const anyPassage = (): Passage => passages[Math.floor(random() * passages.length)]!
    const vectors = new Map<string, readonly number[]>(passages.map(({ id }) => [id, anywhere()]))
    const byText = new Map<string, readonly number[]>(passages.map(({ id, text }) => [text, vectors.get(id)!]))
    const byQuestion = new Map(questions.map((label) => [label.question, label]))
    const lift = Math.SQRT2 * -deviationsOfTail(strength)
    const at = (deviations: number): number => Math.max(0, Math.min(0.95, MIDDLE + DEVIATION * deviations))
    /** A unit vector with these cosines to these passages, which are nearly orthogonal. */
    const towards = (...aims: readonly (readonly [id: string, cosine: number])[]): number[] => {
      const rest = Math.sqrt(Math.max(0, 1 - aims.reduce((sum, [, cosine]) => sum + cosine ** 2, 0)))
      const noise = anywhere()
      return unit(
        noise.map((value, place) =>
          aims.reduce((sum, [id, cosine]) => sum + cosine * vectors.get(id)![place]!, rest * value),
        ),
      )
    }
    const vectorOf = (text: string): readonly number[] => {
      const label = byQuestion.get(text)
      const own = passages.find((passage) => passage.text.includes(text))
      if (label === undefined && own !== undefined) {
        return towards([own.id, at(OWN + normal())], [anyPassage().id, at(normal())])
      }
      const right = label?.answerable === true ? label.relevantIds[0] : undefined
      return right === undefined ? towards([anyPassage().id, at(normal())]) : towards([right, at(lift + normal())])
    }
    return {
      model: `simulated-${strength}`,
      dimension: DIMENSION,
      embed: async ({ texts }) =>
        texts.map((text) => {
          const vector = byText.get(text) ?? vectorOf(text)
          byText.set(text, vector)
          return [...vector]
        }),
    }
  }
}

const figure = (value: number): string => value.toFixed(3)

function rate(counts: readonly Count[]): string {
  const [hits, trials] = [0, 1].map((at) => counts.reduce((sum, count) => sum + count[at]!, 0)) as [number, number]
  const { low, high } = binomialInterval(hits, trials)
  return trials === 0 ? '–' : `${figure(hits / trials)} (${low.toFixed(2)}–${high.toFixed(2)}), ${trials}`
}

if (!haveQuestionSets()) {
  console.log('The question sets are not here (../shared/data): nothing to evaluate.')
  process.exit(0)
}
const neural = await openEncoder()
const asked: readonly (readonly [encoder: string, sets: readonly string[], Parameters<typeof measured>[2]])[] = [
  ...[...SETS, ...MORE].map((name) => [`${neural.model}, ${name}`, [name], () => neural] as const),
  ...STRENGTHS.map((strength) => [`simulated, ${strength.toFixed(2)}`, SETS, simulated(strength)] as const),
]
const rows: string[][] = []
for (const [encoder, names, embedderOf] of asked) {
  for (const [adapter, over] of Object.entries(ADAPTERS)) {
    const sets: Measured[] = []
    for (const name of names) sets.push(await measured(name, over, embedderOf))
    rows.push([
      encoder,
      adapter,
      sets.map(({ cosines }) => auroc(cosines).toFixed(2)).join(', '),
      `${sets.filter(({ isRead }) => isRead).length} of ${sets.length}`,
      rate(sets.map(({ answered }) => answered[0])),
      rate(sets.map(({ answered }) => answered[1])),
      rate(sets.map(({ falseAcceptance }) => falseAcceptance[0])),
      rate(sets.map(({ falseAcceptance }) => falseAcceptance[1])),
      rate(sets.map(({ carried }) => carried)),
      rate(sets.map(({ telling }) => telling)),
    ])
    console.log(rows.at(-1)!.join(' | '))
  }
}
const heads = [
  'encoder',
  'index',
  'AUROC of its cosine',
  'read',
  'words: answered',
  'with it',
  'words: false acceptance',
]
console.log(markdownTable([...heads, 'with it', 'refused by words: answered with it', 'of those, telling'], rows))
