/**
 * What ranking the chunks by a linear model of word features is worth, written to docs/word-reranking.md.
 *
 *   npm run bench:words
 *
 * The reranker and `balanced` are fitted without the set that they rank and judge. Nothing here is random but the draws of
 * the intervals, which have a fixed seed.
 */
import { logistic } from '../src/core/policy/logistic.ts'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { auroc } from '../packages/calibration/src/auroc.ts'
import { coverageAtFalseAcceptance } from '../packages/calibration/src/risk-coverage.ts'
import { meanOf } from '../src/core/lib/statistics.ts'
import { confidenceOf } from '../src/core/policy/confidence.ts'
import { balanced } from '../src/presets/balanced/balanced.ts'
import { definePolicy } from '../src/core/policy/policy.ts'
import { judge } from '../src/core/policy/judge.ts'
import { rankByWords } from './evaluation/word-relevance.ts'
import { fitBalanced, type MeasuredSet, measureSet } from './evaluation/balanced-model.ts'
import { FAMILY_SETS, haveQuestionSets, type QuestionSet, readQuestionSet } from './evaluation/question-sets.ts'
import {
  CANDIDATES_RANKED,
  fitWordWeights,
  placesOfAnswers,
  RANKED_EVERY,
  rankableSet,
} from './evaluation/word-ranker-model.ts'
import { markdownTable } from './markdown-table.ts'
import { seededRandom } from './seeded-random.ts'

const PAGE = join(import.meta.dirname, '..', 'docs', 'word-reranking.md')
const KEPT = 10
const DRAWS = 1000
const SEED = 20_261_122

/** A set with its chunks in some order, the first twenty found. */
type Ordered = QuestionSet

function kept(set: Ordered): Ordered {
  return {
    ...set,
    questions: set.questions.map((question) => ({
      ...question,
      evidence: { ...question.evidence, chunks: question.evidence.chunks.slice(0, KEPT) },
    })),
  }
}

/** Of each answerable question, whether a chunk that answers stands among the first so many. */
function found(set: Ordered, first: number): readonly number[] {
  return set.questions.flatMap((question) =>
    question.answerable ? [placesOfAnswers(question).some((place) => place < first) ? 1 : 0] : [],
  )
}

function interval(before: readonly (readonly number[])[], after: readonly (readonly number[])[]): string {
  const random = seededRandom(SEED)
  const draws = Array.from({ length: DRAWS }, () =>
    meanOf(
      before.map((own, set) => {
        const picks = own.map(() => Math.floor(random() * own.length))
        return meanOf(picks.map((at) => after[set]![at]! - own[at]!))
      }),
    ),
  ).sort((a, b) => a - b)
  const at = (share: number): string => (100 * draws[Math.floor(share * (DRAWS - 1))]!).toFixed(1).replace('-', '−')
  return `${at(0.025)} to ${at(0.975)}`
}

/** AUROC, coverage at 5 %, false acceptance and false refusal of each set, `balanced` fitted on the others. */
function verdicts(sets: readonly MeasuredSet[]): readonly (readonly number[])[] {
  return sets.map((set) => {
    const confidence = logistic(fitBalanced(sets.filter((other) => other !== set)))
    const policy = definePolicy({ ...balanced(), confidence })
    const scored = set.questions.map(({ signals, answerable }) => ({
      score: confidenceOf(confidence, signals),
      answerable,
    }))
    const answered = (kind: boolean): number => {
      const asked = set.questions.filter(({ answerable }) => answerable === kind)
      return asked.filter(({ signals }) => judge(policy, signals).verdict !== 'refuse').length / asked.length
    }
    return [auroc(scored), coverageAtFalseAcceptance(scored, 0.05).coverage, answered(false), 1 - answered(true)]
  })
}

function page(): string {
  const sets = FAMILY_SETS.map((name) =>
    readQuestionSet(name, { every: RANKED_EVERY[name] ?? 1, keep: CANDIDATES_RANKED }),
  )
  const rankable = sets.map(rankableSet)
  const ranked = sets.map((set, at): Ordered => {
    const weights = fitWordWeights(rankable.filter((_, other) => other !== at))
    return {
      ...set,
      questions: set.questions.map((question) => ({
        ...question,
        evidence: rankByWords(question.question, question.evidence, set.lexicon, { weights }),
      })),
    }
  })
  const per = (ordered: readonly Ordered[], first: number): readonly (readonly number[])[] =>
    ordered.map((set) => found(set, first))
  const share = (value: number): string => value.toFixed(3)
  const places = [1, 3, 5, KEPT]
  const setRows = sets.map((set, at) => [
    set.name,
    String(found(set, 1).length),
    ...places.map((first) => `${share(meanOf(found(set, first)))} → ${share(meanOf(found(ranked[at]!, first)))}`),
  ])
  const meanRow = [
    'mean',
    '',
    ...places.map(
      (first) => `${share(meanOf(per(sets, first).map(meanOf)))} → ${share(meanOf(per(ranked, first).map(meanOf)))}`,
    ),
  ]
  const gainRow = [
    'points gained, 95 % interval',
    '',
    ...places.map((first) => interval(per(sets, first), per(ranked, first))),
  ]
  const [before, after] = [sets, ranked].map((ordered) => verdicts(ordered.map((set) => measureSet(kept(set)))))
  const verdictRow = (label: string, of: (set: readonly number[]) => number): string[] => [
    label,
    share(meanOf(before!.map(of))),
    share(meanOf(after!.map(of))),
    ...FAMILY_SETS.map((_, at) => (of(after![at]!) - of(before![at]!)).toFixed(3).replace('-', '−')),
  ]
  const count = sets.reduce((sum, set) => sum + set.questions.length, 0)
  return `# Reranking by words

\`rankByWords\` puts the chunks of a question in the order of a linear model over seven word features (the index’s own score, likelihood of the
question, best sentence, title, near terms, cosine). It needs no model and no further request. Written by
\`npm run bench:words\` (\`bench/word-reranking.ts\`); its weights by \`npm run fit\`.

## Where the answer stands

Share of answerable questions with a chunk that answers among the first 1, 3, 5 and 10 of ${CANDIDATES_RANKED} found by hash embeddings and
BM25 with ten each: as fused → as reranked, the reranker fitted without the set in the row. Intervals of ${DRAWS} draws, seed ${SEED}.

${markdownTable(['set', 'n', 'first', 'first 3', 'first 5', 'first 10'], [...setRows, meanRow, gainRow])}

## The verdicts that follow

\`balanced\` over the ten best chunks, fitted without the set, on evidence as fused and as reranked; then the change on each set (${count} questions).

${markdownTable(
  ['', 'as fused', 'reranked', ...FAMILY_SETS],
  [
    verdictRow('AUROC', ([value]) => value!),
    verdictRow('coverage at 5 %', ([, value]) => value!),
    verdictRow('false acceptance', ([, , value]) => value!),
    verdictRow('false refusal', ([, , , value]) => value!),
  ],
)}
`
}

if (!haveQuestionSets()) {
  console.log('The question sets are not here (../shared/data): nothing to measure.')
  process.exit(0)
}
const written = page()
writeFileSync(PAGE, written)
console.log(written)
