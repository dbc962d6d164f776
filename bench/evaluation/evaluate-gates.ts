/**
 * All profiles on the question sets, and how `balanced` was chosen. Takes two minutes; see docs/internal/evaluation.md.
 *
 *   npm run eval:gates
 *
 * `balanced` is fitted without the set that it is measured on. Deterministic.
 */
import { reranking } from '../../src/pipeline/reranking.ts'
import { auroc } from '../../packages/calibration/src/auroc.ts'
import { binomialInterval } from '../../packages/calibration/src/binomial-interval.ts'
import type { LabelledScore } from '../../packages/calibration/src/labelled-score.ts'
import { coverageAtFalseAcceptance, riskCoverageArea } from '../../packages/calibration/src/risk-coverage.ts'
import { confidenceOf } from '../../src/core/policy/confidence.ts'
import type { Verdict } from '../../src/core/gates/finding.ts'
import type { Policy } from '../../src/core/policy/policy.ts'
import { judge } from '../../src/core/policy/judge.ts'
import { twoTier } from '../../packages/presets/src/two-tier/two-tier.ts'
import { legalReview } from '../../packages/presets/src/weighted-signals/legal-review.ts'
import { weightedSignals } from '../../packages/presets/src/weighted-signals/weighted-signals.ts'
import { balancedWithoutEach, gatedSet, type GatedSet } from './bench-gate.ts'
import { markdownTable as table } from '../markdown-table.ts'
import { FAMILY_SETS, haveQuestionSets } from './question-sets.ts'
import { signalChoices } from './signal-choices.ts'
import { standInReader } from './stand-in-reader.ts'

const ADVERSARIAL = 'squad-adv'
const STATED_FALSE_ACCEPTANCE = 0.05

/** The profiles by set. To add a profile, add a line. */
function profiles(): Readonly<Record<string, (set: string) => Policy>> {
  const without = balancedWithoutEach()
  const [tiers, weighted, renormalised] = [twoTier(), weightedSignals(), weightedSignals({ renormalise: true })]
  return {
    'two-tier': () => tiers,
    'weighted-signals': () => weighted,
    'weighted-signals, renormalised': () => renormalised,
    // `squad-adv` uses the corpus of `squad-ooc`.
    balanced: (set) => without.get(set === ADVERSARIAL ? 'squad-ooc' : set)!,
  }
}

type Profiles = ReturnType<typeof profiles>

/** The measured sets: with everything, and without the collection's lexicon. */
interface Sets {
  readonly whole: readonly GatedSet[]
  readonly withoutLexicon: readonly GatedSet[]
}

/** What may be missing: by name, a selection or change of what was measured. */
const MISSING: Readonly<Record<string, (sets: Sets) => readonly GatedSet[]>> = {
  nothing: ({ whole }) => whole,
  'the lexicon': ({ withoutLexicon }) => withoutLexicon,
  'the title': ({ whole }) => whole.map(withoutTitle),
  both: ({ withoutLexicon }) => withoutLexicon.map(withoutTitle),
}

function withoutTitle({ name, questions }: GatedSet): GatedSet {
  const titleMatch = 0.2
  return { name, questions: questions.map((each) => ({ ...each, signals: { ...each.signals, titleMatch } })) }
}

function scoresOf({ questions }: GatedSet, policy: Policy): LabelledScore[] {
  return questions.map(({ signals, answerable }) => ({ score: confidenceOf(policy.confidence, signals), answerable }))
}

const figure = (value: number): string => (Number.isFinite(value) ? value.toFixed(3) : 'n/a')

function ranking(scored: readonly LabelledScore[]): string[] {
  const { coverage } = coverageAtFalseAcceptance(scored, STATED_FALSE_ACCEPTANCE)
  return [figure(auroc(scored)), figure(coverage), figure(riskCoverageArea(scored))]
}

function rate(hits: number, trials: number): string {
  const { low, high } = binomialInterval(hits, trials)
  return `${figure(hits / trials)} (${low.toFixed(3)}–${high.toFixed(3)})`
}

function verdictRates({ questions }: GatedSet, policy: Policy): string[] {
  const judged = questions.map(({ signals, textFindings, answerable }) => ({
    answerable,
    verdict: judge(policy, signals, textFindings).verdict,
  }))
  const counted = (answerable: boolean, ...verdicts: readonly Verdict[]): string => {
    const asked = judged.filter((question) => question.answerable === answerable)
    return rate(asked.filter(({ verdict }) => verdicts.includes(verdict)).length, asked.length)
  }
  return [counted(false, 'pass', 'advise'), counted(false, 'pass'), counted(true, 'refuse')]
}

function meanRow(label: readonly string[], scores: readonly (readonly LabelledScore[])[]): string[] {
  const mean = (of: (scored: readonly LabelledScore[]) => number): string =>
    figure(scores.reduce((sum, scored) => sum + of(scored), 0) / scores.length)
  return [
    ...label,
    mean(auroc),
    mean((scored) => coverageAtFalseAcceptance(scored, STATED_FALSE_ACCEPTANCE).coverage),
    mean(riskCoverageArea),
  ]
}

function rankingTable({ whole }: Sets, judging: Profiles): string {
  const rows = Object.entries(judging).flatMap(([name, policyFor]) => {
    const scores = whole.map((set) => ({ set, scored: scoresOf(set, policyFor(set.name)) }))
    const fitted = scores.filter(({ set }) => set.name !== ADVERSARIAL).map(({ scored }) => scored)
    return [
      ...scores.map(({ set, scored }) => [name, set.name, ...ranking(scored)]),
      meanRow([name, 'mean of eight'], fitted),
    ]
  })
  return table(['profile', 'set', 'AUROC', 'coverage at 5 %', 'AURC'], rows)
}

function verdictTable({ whole }: Sets, judging: Profiles): string {
  const rows = Object.entries(judging).flatMap(([name, policyFor]) =>
    whole.map((set) => [name, set.name, ...verdictRates(set, policyFor(set.name))]),
  )
  return table(['profile', 'set', 'false acceptance', 'of it without a caution', 'false refusal'], rows)
}

function missingTable(sets: Sets, judging: Profiles): string {
  const rows = Object.entries(MISSING).map(([missing, left]) => {
    const scores = left(sets)
      .filter(({ name }) => name !== ADVERSARIAL)
      .map((set) => scoresOf(set, judging['balanced']!(set.name)))
    return meanRow([missing], scores)
  })
  return table(['what is missing', 'AUROC', 'coverage at 5 %', 'AURC'], rows)
}

/** Results of each threshold on each set, with `balanced` fitted without it. */
function thresholdTable({ whole }: Sets, judging: Profiles): string {
  const thresholds = [0.4, 0.5, 0.55, 0.6, 0.7, 0.8, 0.9]
  const rows = whole.map((set) => {
    const scored = scoresOf(set, judging['balanced']!(set.name))
    const share = (answerable: boolean, answered: (score: number) => boolean): string => {
      const asked = scored.filter((question) => question.answerable === answerable)
      return (asked.filter(({ score }) => answered(score)).length / asked.length).toFixed(2)
    }
    return [
      set.name,
      ...thresholds.map((at) => `${share(false, (score) => score >= at)} / ${share(true, (score) => score < at)}`),
    ]
  })
  return table(['set', ...thresholds.map((at) => at.toFixed(2))], rows)
}

/** Answerable questions that `legal-review` answers, with and without a perfect reranker. */
async function legalReviewTable({ whole }: Sets): Promise<string> {
  const policy = legalReview()
  const answered = ({ questions }: GatedSet): string => {
    const asked = questions.filter(({ answerable }) => answerable)
    const judged = asked.map(({ signals, textFindings }) => judge(policy, signals, textFindings))
    return rate(judged.filter(({ verdict }) => verdict !== 'refuse').length, asked.length)
  }
  const highest = ({ questions }: GatedSet): string =>
    figure(Math.max(...questions.map(({ signals }) => confidenceOf(policy.confidence, signals))))
  const rows: string[][] = []
  for (const set of whole.filter(({ name }) => name !== ADVERSARIAL)) {
    const read = await gatedSet(set.name, {}, { reranker: reranking(standInReader(set.questions, 0, 0)) })
    rows.push([set.name, highest(set), answered(set), highest(read), answered(read)])
  }
  return table(
    ['set', 'highest confidence', 'answerable, answered', 'with a reader: highest', 'with a reader: answered'],
    rows,
  )
}

function setTable({ whole }: Sets): string {
  const what: Readonly<Record<string, string>> = {
    'squad-ooc': 'questions about articles that are not indexed (SQuAD 2.0)',
    clapnq: 'search queries that the indexed passage on their topic does not answer (CLAPNQ)',
    'azure-faq': 'entries of FAQ pages that are not indexed (Azure documentation)',
    'gov-faq': 'topics and entries of government FAQ that are not indexed',
    'tex-faq': 'titles of LaTeX FAQ entries that are not indexed',
    'perl-faq': 'entries of the Perl FAQ that are not indexed',
    'covid-qa': 'experts’ questions on biomedical articles that are not indexed (COVID-QA)',
    'scifact-missing': 'scientific claims whose evidence is not indexed (SciFact)',
    [ADVERSARIAL]: 'questions written to look answerable (SQuAD 2.0)',
  }
  const count = ({ questions }: GatedSet, answerable: boolean): string =>
    String(questions.filter((question) => question.answerable === answerable).length)
  return table(
    ['set', 'answerable', 'must refuse', 'what must be refused'],
    whole.map((set) => [set.name, count(set, true), count(set, false), what[set.name] ?? '']),
  )
}

async function page(sets: Sets, judging: Profiles): Promise<string> {
  return `# Evaluation

\`npm run eval:gates\`: nothing is drawn. Retrieval is that of the word index, BM25, ten chunks; every question goes through the
gate as it is without options. \`balanced\` is fitted without the set in its row.

${setTable(sets)}

## Ranking

AUROC; coverage at 5 %: the share of answerable questions kept when at most 5 % of those that must be refused are answered, those of
one confidence together; AURC: the mean share of wrong answers as questions are answered from the highest confidence down.

${rankingTable(sets, judging)}

## What each part is worth

${signalChoices()}
## Verdicts at the default thresholds

False acceptance: what must be refused and was answered. False refusal: what is answerable and was refused. Exact 95 % intervals.

${verdictTable(sets, judging)}

Other thresholds, as false acceptance / false refusal:

${thresholdTable(sets, judging)}

## Legal-review

With the reader, one that knows the labels and is never wrong (grades 3 and 0).

${await legalReviewTable(sets)}

## When parts are missing

Means of eight sets.

${missingTable(sets, judging)}
`
}

if (!haveQuestionSets()) {
  console.log('The question sets are not here (../shared/data): nothing to evaluate.')
  process.exit(0)
}
const whole: GatedSet[] = []
const withoutLexicon: GatedSet[] = []
for (const name of [...FAMILY_SETS, ADVERSARIAL]) {
  whole.push(await gatedSet(name))
  withoutLexicon.push(await gatedSet(name, {}, { withoutLexicon: true }))
}
const written = await page({ whole, withoutLexicon }, profiles())
console.log(written)
