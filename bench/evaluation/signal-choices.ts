/** Why `balanced` has its signals and constants: each evaluated with its family left out of the fit. */
import { auroc } from '../../packages/calibration/src/auroc.ts'
import type { LabelledScore } from '../../packages/calibration/src/labelled-score.ts'
import { coverageAtFalseAcceptance } from '../../packages/calibration/src/risk-coverage.ts'
import { meanOf } from '../../src/core/lib/statistics.ts'
import { markdownTable } from '../markdown-table.ts'
import { seededRandom } from '../seeded-random.ts'
import { SIGNALS } from './balanced-model.ts'
import { CHOICES, measureCandidates, SIGNAL_VARIANTS, TEN_SIGNALS } from './candidate-signals.ts'
import { fitGrouped, L2 } from './grouped-fit.ts'
import { FAMILY_SETS, readQuestionSet } from './question-sets.ts'

/** A quarter of the questions of the largest set suffices for comparing signals. */
const EVERY: Readonly<Record<string, number>> = { 'squad-ooc': 4 }
const STATED_FALSE_ACCEPTANCE = 0.05
const MOST_SIGNALS = 6
/** Minimum gain in the mean for a signal to be added. */
const LEAST_GAIN = 0.001
const DRAWS = 500
const SEED = 20_261_122

interface WeighedQuestion {
  readonly answerable: boolean
  readonly candidates: Readonly<Record<string, number>>
}

type WeighedSet = readonly WeighedQuestion[]

/** Results of a choice on each set, each left out of its fit. */
interface Reached {
  readonly scores: readonly (readonly LabelledScore[])[]
  readonly aurocs: readonly number[]
  readonly coverages: readonly number[]
}

function reach(scores: readonly (readonly LabelledScore[])[]): Reached {
  return {
    scores,
    aurocs: scores.map(auroc),
    coverages: scores.map((scored) => coverageAtFalseAcceptance(scored, STATED_FALSE_ACCEPTANCE).coverage),
  }
}

function scored(set: WeighedSet, train: readonly WeighedSet[], names: readonly string[], l2: number): LabelledScore[] {
  const featuresOf = ({ candidates }: WeighedQuestion): number[] => names.map((name) => candidates[name]!)
  const { coefficients } = fitGrouped(
    train.map((others) =>
      others.map((question) => ({ features: featuresOf(question), answerable: question.answerable })),
    ),
    l2,
  )
  return set.map((question) => ({
    score: featuresOf(question).reduce((sum, value, at) => sum + value * coefficients[at]!, 0),
    answerable: question.answerable,
  }))
}

function leftOut(sets: readonly WeighedSet[], names: readonly string[], l2 = L2): Reached {
  return reach(
    sets.map((set) =>
      scored(
        set,
        sets.filter((other) => other !== set),
        names,
        l2,
      ),
    ),
  )
}

/** A single signal needs no fit. */
function alone(sets: readonly WeighedSet[], name: string): Reached {
  return reach(sets.map((set) => set.map(({ candidates, answerable }) => ({ score: candidates[name]!, answerable }))))
}

const figure = (value: number, digits = 3): string => value.toFixed(digits)
const signed = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(4)}`

function means({ aurocs, coverages }: Reached): string[] {
  return [figure(meanOf(aurocs)), figure(meanOf(coverages))]
}

/** Confidence interval of the difference in mean AUROC, from 500 bootstrap resamples of each set. */
function differenceInterval(a: Reached, b: Reached): string {
  const random = seededRandom(SEED)
  const differences = Array.from({ length: DRAWS }, () => {
    const drawn = a.scores.map((own, set) => {
      const picks = own.map(() => Math.floor(random() * own.length))
      const of = (scores: readonly LabelledScore[]): number => auroc(picks.map((at) => scores[at]!))
      return of(own) - of(b.scores[set]!)
    })
    return meanOf(drawn)
  }).sort((x, y) => x - y)
  const at = (share: number): number => differences[Math.floor(share * (DRAWS - 1))]!
  return `${signed(at(0.025))} to ${signed(at(0.975))}`
}

function against(base: Reached, other: Reached): string[] {
  const helped = other.aurocs.filter((value, set) => value > base.aurocs[set]!).length
  return [
    signed(meanOf(other.aurocs) - meanOf(base.aurocs)),
    signed(meanOf(other.coverages) - meanOf(base.coverages)),
    `${helped} of ${other.aurocs.length}`,
  ]
}

/** Forward selection: adds the signal that improves the mean most, and five eighths of the sets. */
function chosenForward(sets: readonly WeighedSet[]): readonly string[] {
  const needed = Math.ceil((5 / 8) * sets.length)
  let chosen: readonly string[] = []
  let base: Reached | undefined
  while (chosen.length < MOST_SIGNALS) {
    let next: { readonly name: string; readonly reached: Reached } | undefined
    for (const name of CHOICES) {
      if (chosen.includes(name)) continue
      const reached = leftOut(sets, [...chosen, name])
      const helped = reached.aurocs.filter((value, set) => value > (base?.aurocs[set] ?? 0.5)).length
      if (helped < needed) continue
      if (next === undefined || meanOf(reached.aurocs) > meanOf(next.reached.aurocs)) next = { name, reached }
    }
    if (next === undefined) break
    if (base !== undefined && meanOf(next.reached.aurocs) - meanOf(base.aurocs) < LEAST_GAIN) break
    chosen = [...chosen, next.name]
    base = next.reached
  }
  return chosen
}

function nestedRows(sets: readonly WeighedSet[]): { readonly rows: string[][]; readonly reached: Reached } {
  const made = sets.map((set, at) => {
    const others = sets.filter((other) => other !== set)
    const names = chosenForward(others)
    return { name: FAMILY_SETS[at]!, names, scores: scored(set, others, names, L2) }
  })
  const reached = reach(made.map(({ scores }) => scores))
  const rows = made.map(({ name, names }, at) => [
    name,
    names.join(', '),
    figure(reached.aurocs[at]!),
    figure(reached.coverages[at]!),
  ])
  return { rows: [...rows, ['mean', '', ...means(reached)]], reached }
}

/** The section of docs/internal/evaluation.md. */
export function signalChoices(): string {
  const sets = FAMILY_SETS.map((name): WeighedSet => {
    const { lexicon, questions } = readQuestionSet(name, { every: EVERY[name] ?? 1 })
    return questions.map((question) => ({
      answerable: question.answerable,
      candidates: measureCandidates(question, lexicon),
    }))
  })
  const count = sets.reduce((sum, set) => sum + set.length, 0)
  const base = leftOut(sets, SIGNALS)
  const ten = leftOut(sets, TEN_SIGNALS)
  const nested = nestedRows(sets)
  const candidateRows = CHOICES.map((name) => {
    const own = alone(sets, name)
    const kept = SIGNALS.includes(name as (typeof SIGNALS)[number])
    const other = leftOut(sets, kept ? SIGNALS.filter((signal) => signal !== name) : [...SIGNALS, name])
    return {
      sort: meanOf(own.aurocs),
      row: [name, ...means(own), kept ? 'left out' : 'added', ...against(base, other)],
    }
  }).sort((a, b) => b.sort - a.sort)
  const variantRows = SIGNAL_VARIANTS.map(({ replaces, name }) => [
    replaces,
    name,
    ...against(
      base,
      leftOut(
        sets,
        SIGNALS.map((signal) => (signal === replaces ? `${replaces}: ${name}` : signal)),
      ),
    ),
  ])
  const penaltyRows = [0.0005, 0.05].map((l2) => ['the fit', `L2 ${l2}`, ...against(base, leftOut(sets, SIGNALS, l2))])
  return `Every choice was made with the family of a set left out of the fit (${count} questions; of squad-ooc every fourth). A
signal is kept when it helps the mean AUROC by ${LEAST_GAIN} and at least five of eight families. Means of eight sets, AUROC and
coverage at 5 %, each set left out of the fit:

${markdownTable(
  ['model', 'AUROC', 'coverage at 5 %', 'AUROC against balanced, 95 % interval'],
  [
    ['`balanced`', ...means(base), ''],
    ['the model before this project, without its two signals of cosines', ...means(ten), differenceInterval(ten, base)],
    ['chosen anew for each set without its family', ...means(nested.reached), differenceInterval(nested.reached, base)],
  ],
)}

The last row is what choosing costs: forward selection among all ${CHOICES.length} signals below was run on seven families and measured on
the eighth.

${markdownTable(['set left out', 'chosen on the others', 'AUROC', 'coverage at 5 %'], nested.rows)}

Each signal by itself, and what the model of \`balanced\` has without it, or with it besides:

${markdownTable(
  ['signal', 'AUROC alone', 'coverage alone', 'in the model', 'AUROC', 'coverage', 'families better'],
  candidateRows.map(({ row }) => row),
)}

Other constants, one at a time:

${markdownTable(['instead of', 'variant', 'AUROC', 'coverage', 'families better'], [...variantRows, ...penaltyRows])}
`
}
