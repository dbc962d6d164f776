/** The lowest threshold of a confidence that a promise holds at: between two labels, where their number is between two counts. */
import { RATIO_TOLERANCE } from 'hono-rag-gate/core/lib'
import { logOdds } from './log-odds.ts'
import { lowestSafeThreshold, mostAllowed, type Promised } from './safe-threshold.ts'

/**
 * `lowestSafeThreshold` of confidences, and lower where there are more labels than the count that may get through takes:
 * as far below the best that must not pass, on the way to the next, as uses up the certainty. That holds where questions to
 * be refused get rarer the higher their log-odds are, from these two on. For every distribution of confidences it holds at
 * least as surely as if one more were let through. On average only whole counts are used.
 *
 * @param confidences of questions to be refused, 0..1; what is no number never gets through
 * @param step thresholds are multiples of it; above 0, to 1
 * @returns `undefined` when even 1 lets too many through, or there are too few
 * @see T. P. Hettmansperger and S. J. Sheather, "Confidence intervals based on interpolated order statistics", Statistics &
 *   Probability Letters 4(2), 1986
 */
export function lowestSafeConfidence(
  confidences: readonly number[],
  promised: Promised & { readonly step: number },
): number | undefined {
  const { risk, certainty, step } = promised
  const counted = lowestSafeThreshold(confidences, promised)
  if (counted === undefined || certainty === 'average') return counted
  const allowed = mostAllowed(confidences.length, promised)
  const best = confidences.filter(Number.isFinite).sort((a, b) => b - a)
  const [barred, next] = [best[allowed], best[allowed + 1]]
  // Equal ones may be many: nothing lies between them.
  if (barred === undefined || next === undefined || barred <= next) return counted
  const share = shareOfTheWay(confidences.length, allowed, risk, certainty)
  const odds = logOdds(barred) - share * (logOdds(barred) - logOdds(next))
  const between = Math.ceil(1 / (1 + Math.exp(-odds)) / step - RATIO_TOLERANCE) * step
  return share === 0 ? counted : Math.min(counted, Number(between.toFixed(9)))
}

/** How far one may go, 0..1, by bisection: the farther, the likelier the rate is above the risk. */
function shareOfTheWay(labels: number, allowed: number, risk: number, certainty: number): number {
  let safe = 0
  let unsafe = 1
  for (let halving = 0; halving < 30; halving++) {
    const middle = (safe + unsafe) / 2
    if (middle <= risk || chanceAbove(risk, labels, allowed, middle) <= 1 - certainty) safe = middle
    else unsafe = middle
  }
  return safe > risk ? safe : 0
}

/**
 * Chance that the rate at a threshold so far between two labels is above the risk. Where log-odds get rarer upwards, the
 * rate between two of them is at most what is between their rates, and those are order statistics of a uniform
 * distribution: sums of exponential variables E₁, E₂, … over their sum. So it is the chance that
 * (1 − r)(E₁ + … + Eₖ) + (c − r) Eₖ₊₁ is above r(Eₖ₊₂ + … + Eₙ₊₁), for k = allowed + 1, counted by how many of the latter
 * end before the former do.
 *
 * @param share c, above `risk`, to 1
 */
function chanceAbove(risk: number, labels: number, allowed: number, share: number): number {
  const barred = allowed + 1
  const others = labels - barred
  const goesOn = 1 - risk / share
  let logChance = barred * Math.log(risk)
  let below = 0
  for (let ended = 0; ended < others; ended++) {
    below += Math.exp(logChance) * (1 - goesOn ** (others - ended))
    logChance += Math.log((barred + ended) / (ended + 1)) + Math.log1p(-risk)
  }
  return 1 - below
}
