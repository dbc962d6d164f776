/** What a collection's labels gain if a reranker scores all its passages, or those of the uncertain middle. */
import { reranking } from '../../src/pipeline/reranking.ts'
import { binomialInterval } from '../../packages/calibration/src/binomial-interval.ts'
import { calibratePolicy } from '../../packages/calibration/src/calibrate-policy.ts'
import { hasReaderScores } from '../../packages/calibration/src/recorded-measures.ts'
import { meanOf } from '../../src/core/lib/statistics.ts'
import { confidenceOf } from '../../src/core/policy/confidence.ts'
import type { Policy } from '../../src/core/policy/policy.ts'
import { FAMILY_SETS, type LabelledQuestion } from '../evaluation/question-sets.ts'
import { standInReader } from '../evaluation/stand-in-reader.ts'
import { seededRandom } from '../seeded-random.ts'
import { type MeasuredLabel, measuredFamily } from './measured-families.ts'

const DRAWS = 200
const RISK = 0.05
const CERTAINTY = 0.9
const SIZES = [100]
const FITS = ['thresholds', 'weights'] as const

/** Results of one method over all draws of all families. */
interface Summed {
  made: number
  exceeded: number
  falseAcceptance: number
  coverage: number
}

/**
 * Calibrates on drawn labels of each family and counts on the others, for a reranker with given error rates.
 *
 * @param middle range of confidences in which it is called; none for always
 * @returns rows: labels of each kind, questions reranked, what is fitted, realised, exceeded, coverage
 */
export async function calibratedWithReader(
  policies: ReadonlyMap<string, Policy>,
  errors: number,
  seed: number,
  middle?: readonly [from: number, below: number],
): Promise<readonly string[][]> {
  const families: { readonly policy: Policy; readonly labels: readonly MeasuredLabel[] }[] = []
  for (const name of FAMILY_SETS) {
    const policy = policies.get(name)!
    const gate = (questions: readonly LabelledQuestion[]) => ({
      policy,
      reranker: reranking(standInReader(questions, errors, seed), middle && { between: middle }),
    })
    const labels = await measuredFamily(name, gate, false)
    families.push({ policy, labels })
  }
  const read = meanOf(
    families.map(({ labels }) => meanOf(labels.map(({ signals }) => (hasReaderScores(signals) ? 1 : 0)))),
  )
  return SIZES.flatMap((count) =>
    FITS.map((fit) => {
      const sums: Summed[] = families.map(({ policy, labels }) => drawn(policy, labels, count, fit, seed))
      const mean = (of: (sum: Summed) => number): string => meanOf(sums.map((sum) => of(sum) / sum.made)).toFixed(3)
      const total = (of: (sum: Summed) => number): number => sums.reduce((all, sum) => all + of(sum), 0)
      const [exceeded, made] = [total((sum) => sum.exceeded), total((sum) => sum.made)]
      const { low, high } = binomialInterval(exceeded, made)
      return [
        String(errors),
        middle === undefined ? 'always' : middle.join(' to '),
        read.toFixed(3),
        String(count),
        fit,
        mean((sum) => sum.falseAcceptance),
        `${(exceeded / made).toFixed(3)} (${low.toFixed(3)}–${high.toFixed(3)})`,
        mean((sum) => sum.coverage),
      ]
    }),
  )
}

function drawn(
  policy: Policy,
  labels: readonly MeasuredLabel[],
  count: number,
  fit: (typeof FITS)[number],
  seed: number,
): Summed {
  const random = seededRandom(seed)
  const kinds = [true, false].map((kind) => labels.filter(({ answerable }) => answerable === kind))
  const groups = new Map(labels.map((label, at) => [label, String(at)]))
  const sum: Summed = { made: 0, exceeded: 0, falseAcceptance: 0, coverage: 0 }
  for (let at = 0; at < DRAWS; at++) {
    const taken = kinds.flatMap((those) => {
      return Array.from({ length: count }, () => those[Math.floor(random() * those.length)]!)
    })
    const found = calibratePolicy(
      policy,
      taken.map((label) => ({ ...label, group: groups.get(label)! })),
      { name: 'bench', risk: RISK, certainty: CERTAINTY, fit },
    )
    if (found.kind !== 'calibrated') continue
    const seen = new Set(taken)
    const share = (kind: boolean): number => {
      const rest = labels.filter((label) => label.answerable === kind && !seen.has(label))
      const passed = rest.map(({ signals }) => confidenceOf(found.policy.confidence, signals) >= found.refuse.threshold)
      return meanOf(passed.map(Number))
    }
    const falseAcceptance = share(false)
    sum.made++
    sum.falseAcceptance += falseAcceptance
    sum.coverage += share(true)
    if (falseAcceptance > RISK) sum.exceeded++
  }
  return sum
}
