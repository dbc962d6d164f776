/** What limits coverage: the coverage with more knowledge about the unanswerable questions than labels give. */
import { logOdds } from '../../packages/calibration/src/log-odds.ts'
import { binomialInterval } from '../../packages/calibration/src/binomial-interval.ts'
import { lowestSafeConfidence } from '../../packages/calibration/src/safe-confidence.ts'
import { lowestSafeThreshold, type Promised } from '../../packages/calibration/src/safe-threshold.ts'
import { meanOf } from '../../src/core/lib/statistics.ts'
import { markdownTable } from '../markdown-table.ts'
import { seededRandom } from '../seeded-random.ts'
import type { ScoredLabel } from './on-average.ts'

/** Draws, and the guarantee. */
export interface BoundsOptions extends Promised {
  readonly certainty: number
  readonly sizes: readonly number[]
  readonly draws: number
  readonly seed: number
}

/** By name: computes a limit for each draw, from the draws of log-odds and from all of them. */
type Limits = (draws: readonly (readonly number[])[], all: readonly number[], options: BoundsOptions) => number[]

const counting =
  (threshold: typeof lowestSafeThreshold): Limits =>
  (draws, _, { risk, certainty }) =>
    draws.map((drawn) => {
      const found = threshold(
        drawn.map((odds) => 1 / (1 + Math.exp(-odds))),
        { risk, certainty, step: 0.0001 },
      )
      return found === undefined ? Infinity : logOdds(found)
    })

const WAYS: Readonly<Record<string, Limits>> = {
  'whole counts': counting(lowestSafeThreshold),
  'between two labels': counting(lowestSafeConfidence),
  // The smallest distance above the labels' mean that keeps the guarantee in exactly enough of these draws.
  'all is known but where they lie': (draws, all, { risk, certainty }) => {
    const limit = limitOf(all, risk)
    const above = draws.map((drawn) => limit - meanOf(drawn)).sort((a, b) => a - b)
    const distance = above[Math.ceil(certainty * above.length) - 1]!
    return draws.map((drawn) => meanOf(drawn) + distance)
  },
  'all is known': (draws, all, { risk }) => draws.map(() => limitOf(all, risk)),
}

/** The lowest log-odds such that at most the risk is at or above it. */
function limitOf(all: readonly number[], risk: number): number {
  const falling = all.toSorted((a, b) => b - a)
  return falling[Math.floor(risk * all.length + 1e-9)]! + 1e-9
}

/** Draws labels with replacement and counts on all questions of the family. @param families by name */
export function boundsTable(families: ReadonlyMap<string, readonly ScoredLabel[]>, options: BoundsOptions): string {
  const { sizes, draws, risk, seed } = options
  const rows = sizes.flatMap((size) =>
    Object.entries(WAYS).map(([name, limits]) => {
      const means: { readonly falseAcceptance: number; readonly coverage: number }[] = []
      let exceeded = 0
      for (const labels of families.values()) {
        const random = seededRandom(seed)
        const odds = (kind: boolean): number[] =>
          labels.filter(({ answerable }) => answerable === kind).map(({ score }) => logOdds(score))
        const [answerable, refusable] = [odds(true), odds(false)]
        const drawn = Array.from({ length: draws }, () =>
          Array.from({ length: size }, () => refusable[Math.floor(random() * refusable.length)]!),
        )
        const share = (all: readonly number[], limit: number): number =>
          all.filter((each) => each >= limit).length / all.length
        const found = limits(drawn, refusable, options)
        const rates = found.map((limit) => share(refusable, limit))
        exceeded += rates.filter((rate) => rate > risk).length
        means.push({
          falseAcceptance: meanOf(rates),
          coverage: meanOf(found.map((limit) => share(answerable, limit))),
        })
      }
      const made = draws * families.size
      const { low, high } = binomialInterval(exceeded, made)
      return [
        String(size),
        name,
        meanOf(means.map(({ falseAcceptance }) => falseAcceptance)).toFixed(3),
        `${(exceeded / made).toFixed(3)} (${low.toFixed(3)}–${high.toFixed(3)})`,
        meanOf(means.map(({ coverage }) => coverage)).toFixed(3),
      ]
    }),
  )
  return markdownTable(['n', 'how', 'realised false acceptance', 'exceeded', 'coverage'], rows)
}
