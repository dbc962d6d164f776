/** What `certainty: 'average'` guarantees: the mean over draws, and the upper bound reported beside it. */
import { binomialInterval } from '../../packages/calibration/src/binomial-interval.ts'
import { lowestSafeThreshold, mostAllowed, upperBound } from '../../packages/calibration/src/safe-threshold.ts'
import { meanOf } from '../../src/core/lib/statistics.ts'
import { markdownTable } from '../markdown-table.ts'
import { seededRandom } from '../seeded-random.ts'

/** A question of a family, with the general policy's confidence. */
export interface ScoredLabel {
  readonly answerable: boolean
  readonly score: number
}

/** Draws, and the guarantee. */
export interface AverageOptions {
  readonly sizes: readonly number[]
  readonly draws: number
  readonly risk: number
  readonly seed: number
}

const BESIDE = 0.9

/**
 * Draws labels with replacement and counts on all questions of the family, of which they are a fair sample.
 *
 * @param families by name
 */
export function onAverageTable(
  families: ReadonlyMap<string, readonly ScoredLabel[]>,
  { sizes, draws, risk, seed }: AverageOptions,
): string {
  const promised = { risk, certainty: 'average' } as const
  const rows = sizes.map((size) => {
    const allowed = mostAllowed(size, promised)
    const atMost = upperBound(Math.max(0, allowed), size, BESIDE)
    const means: { readonly name: string; readonly falseAcceptance: number; readonly coverage: number }[] = []
    let [above, made] = [0, 0]
    for (const [name, labels] of families) {
      const random = seededRandom(seed)
      const scores = (kind: boolean): number[] =>
        labels.filter(({ answerable }) => answerable === kind).map(({ score }) => score)
      const [answerable, refusable] = [scores(true), scores(false)]
      const rates: number[] = []
      const covered: number[] = []
      for (let draw = 0; draw < draws; draw++) {
        const drawn = Array.from({ length: size }, () => refusable[Math.floor(random() * refusable.length)]!)
        const threshold = lowestSafeThreshold(drawn, { ...promised, step: 0.0001 })
        if (threshold === undefined) continue
        const share = (all: readonly number[]): number => all.filter((score) => score >= threshold).length / all.length
        rates.push(share(refusable))
        covered.push(share(answerable))
      }
      if (rates.length === 0) continue
      above += rates.filter((rate) => rate > atMost).length
      made += rates.length
      means.push({ name, falseAcceptance: meanOf(rates), coverage: meanOf(covered) })
    }
    const worst = means.toSorted((a, b) => b.falseAcceptance - a.falseAcceptance)[0]
    if (worst === undefined) return [String(size), 'none', 'n/a', 'n/a', 'n/a', 'n/a', 'n/a']
    const { low, high } = binomialInterval(above, made)
    return [
      String(size),
      String(allowed),
      meanOf(means.map((mean) => mean.falseAcceptance)).toFixed(3),
      `${worst.falseAcceptance.toFixed(3)} ${worst.name}`,
      atMost.toFixed(3),
      `${(above / made).toFixed(3)} (${low.toFixed(3)}–${high.toFixed(3)})`,
      meanOf(means.map((mean) => mean.coverage)).toFixed(3),
    ]
  })
  const head = ['n', 'may pass', 'realised, mean', 'highest family', 'at most, certainty .9', 'exceeded', 'coverage']
  return markdownTable(head, rows)
}
