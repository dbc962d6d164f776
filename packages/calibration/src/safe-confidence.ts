/** The lowest confidence threshold with a guarantee, interpolated between two labels. */
import { RATIO_TOLERANCE } from 'hono-rag-gate/core/lib'
import { logOdds } from './log-odds.ts'
import { lowestSafeThreshold, mostAllowed, type Promised } from './safe-threshold.ts'

/**
 * Like `lowestSafeThreshold` for confidences, but interpolated: the number of labels usually allows more than the whole
 * number of accepted questions, and the threshold is lowered from the highest rejected label towards the next until the
 * certainty is used up. The guarantee assumes that from these two labels upwards the density of unanswerable questions
 * decreases with their log-odds. For every other distribution it holds at least as well as if one more were accepted.
 * With `average`, there is no interpolation.
 *
 * @param confidences of unanswerable questions, 0..1; non-finite ones are never accepted
 * @param step thresholds are multiples of it; above 0, to 1
 * @returns `undefined` if even 1 accepts too many, or there are too few labels
 * @see T. P. Hettmansperger and S. J. Sheather, "Confidence intervals based on interpolated order statistics",
 *   Statistics & Probability Letters 4(2), 1986
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
  // Equal confidences cannot be interpolated.
  if (barred === undefined || next === undefined || barred <= next) return counted
  const share = shareOfTheWay(confidences.length, allowed, risk, certainty)
  const odds = logOdds(barred) - share * (logOdds(barred) - logOdds(next))
  const between = Math.ceil(1 / (1 + Math.exp(-odds)) / step - RATIO_TOLERANCE) * step
  return share === 0 ? counted : Math.min(counted, Number(between.toFixed(9)))
}

/** How far to interpolate, 0..1, by bisection: the further, the more likely the rate exceeds the risk. */
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
 * Probability that the rate at an interpolated threshold exceeds the risk. If the density decreases with the log-odds,
 * the rate at the threshold is at most the linear interpolation of the rates at the two labels. These are order
 * statistics of a uniform distribution: sums of exponential variables E₁, E₂, … divided by their total. So this is the
 * probability that (1 − r)(E₁ + … + Eₖ) + (c − r) Eₖ₊₁ > r(Eₖ₊₂ + … + Eₙ₊₁) with k = allowed + 1, counted by how many
 * of the latter end before the former do.
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
