/** How the weights of the word reranker are fitted: shared by `npm run fit`, which writes them, and `npm run bench:words`. */
import { type WordFeature, type WordFeatures, WORD_FEATURES, wordFeatures } from './word-relevance.ts'
import type { AskedQuestion, QuestionSet } from './question-sets.ts'
import { fitRanker, type RankedList } from './word-rerank-fit.ts'

/** Chunks ranked: what two methods with ten chunks each can find. */
export const CANDIDATES_RANKED = 20

/** Of the largest set every sixth question is enough. */
export const RANKED_EVERY: Readonly<Record<string, number>> = { 'squad-ooc': 6 }

const DECIMALS = 3
// The names of an object's own members.
const NAMES = Object.keys(WORD_FEATURES) as WordFeature[]

/** A set whose chunks are to be ranked. */
export interface RankableSet {
  readonly name: string
  readonly lists: readonly RankedList[]
}

/** Measures every answerable question whose answer was found among other chunks. */
export function rankableSet({ name, lexicon, questions }: QuestionSet): RankableSet {
  return {
    name,
    lists: questions.flatMap((question) => {
      const relevant = placesOfAnswers(question)
      if (relevant.length === 0 || relevant.length === question.evidence.chunks.length) return []
      const features = wordFeatures(question.question, question.evidence, lexicon)
      return [{ candidates: features.map((own) => NAMES.map((feature) => own[feature])), relevant }]
    }),
  }
}

/** Where the chunks stand that answer a question; nowhere when they were not found. */
export function placesOfAnswers({ relevantIds, evidence }: AskedQuestion): readonly number[] {
  return evidence.chunks.flatMap(({ id }, at) => (relevantIds.includes(id) ? [at] : []))
}

/** The weights fitted on some sets. */
export function fitWordWeights(sets: readonly RankableSet[]): WordFeatures {
  const fitted = fitRanker(sets.map(({ lists }) => lists))
  // An entry for every name.
  return Object.fromEntries(
    NAMES.map((name, at) => [name, Number((fitted[at] ?? Number.NaN).toFixed(DECIMALS))]),
  ) as WordFeatures
}

/** The generated file that holds them. */
export function wordWeightsFile(sets: readonly RankableSet[]): string {
  const counts = sets.map(({ name, lists }) => `${name} (${lists.length})`).join(', ')
  const lines = Object.entries(fitWordWeights(sets)).map(([name, weight]) => `  ${name}: ${weight},`)
  return `/**
 * Weights of the word reranker. Written by \`npm run fit\`; do not edit.
 *
 * Conditional logit over the first ${CANDIDATES_RANKED} chunks of answerable questions, sets weighted alike, no random step:
${wrapped(counts)}
 */
export const WORD_WEIGHTS = {
${lines.join('\n')}
} as const
`
}

function wrapped(text: string): string {
  const lines: string[] = ['']
  for (const word of text.split(' ')) {
    if (lines.at(-1)!.length + word.length > 110) lines.push('')
    lines.push(`${lines.pop()!} ${word}`)
  }
  return lines.map((line) => ` *${line}`).join('\n')
}
