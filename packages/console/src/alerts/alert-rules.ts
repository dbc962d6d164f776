/** Rules that compare a running gate's figures with bounds. */
import type { PinDifference } from 'hono-rag-gate/core/policy'
import type { AlertKind } from 'hono-rag-gate/d1/schema'
import type { IndexRoom } from 'hono-rag-gate/ports'

/** Counts of the decisions in a period. */
export interface CountedDecisions {
  readonly decisions: number
  readonly refused: number
  /** Judged, but the request ended with a status of 500 or higher. */
  readonly failed: number
  /** 95th percentile of the response time, milliseconds; `null` if unknown. */
  readonly p95Ms: number | null
  /** Decisions by equal intervals of confidence, ascending. */
  readonly confidenceBins: readonly number[]
}

/** Bounds of the figures. */
export interface AlertBounds {
  /** Share of refusals above which the gate may be too strict, or documents missing. 0..1. @default 0.5 */
  readonly refusedAtMost?: number
  /** Share of refusals below which the gate may pass everything. 0..1. @default 0, which is never reached */
  readonly refusedAtLeast?: number
  /** Share of passes below which evidence is too often insufficient. 0..1. @default 0.8 */
  readonly passedAtLeast?: number
  /** Maximum share of judged questions that end with a status of 500 or higher. 0..1. @default 0.05 */
  readonly failedAtMost?: number
  /** Maximum 95th percentile of the response time, milliseconds. @default Infinity: never */
  readonly p95AtMostMs?: number
  /** Population stability index, beyond chance, from which confidences have shifted. 0 and up. @default 0.25 */
  readonly driftAtMost?: number
  /** Minimum number of decisions for an alert. @default 50 */
  readonly minDecisions?: number
}

/** A collection with a calibrated policy. */
export interface CalibratedCollection {
  /** What has changed since the calibration. */
  readonly differences: readonly PinDifference[]
  /** Decisions on the calibration questions, by twentieths of confidence; empty if not recorded. */
  readonly calibrated: readonly number[]
  /** The same for the latest decisions. */
  readonly latest: readonly number[]
}

/** A figure outside of its bound. */
export interface AlertFinding {
  readonly kind: AlertKind
  readonly value: number
  readonly bound: number
  readonly decisions: number
  readonly message: string
}

/** Hysteresis: an open alert closes only when its figure is within the bound by a tenth of it. */
const STILL_OPEN = 0.1

/**
 * Compares the latest decisions with bounds, and their confidences with those of an earlier period.
 *
 * @param open kinds of open alerts, which close only when the figure is well within the bound
 * @returns figures outside of their bounds; empty for too few decisions
 */
export function findAlerts(
  latest: CountedDecisions,
  earlier: CountedDecisions,
  bounds: AlertBounds = {},
  open: ReadonlySet<AlertKind> = new Set(),
): readonly AlertFinding[] {
  const { refusedAtMost = 0.5, refusedAtLeast = 0, passedAtLeast = 0.8, driftAtMost = 0.25, minDecisions = 50 } = bounds
  const { failedAtMost = 0.05, p95AtMostMs = Number.POSITIVE_INFINITY } = bounds
  const { decisions } = latest
  if (decisions < minDecisions) return []
  const refused = latest.refused / decisions
  const drift = earlier.decisions < minDecisions ? 0 : driftBeyondChance(latest.confidenceBins, earlier.confidenceBins)
  const found: AlertFinding[] = []
  const add = (kind: AlertKind, value: number, bound: number, message: string): void =>
    void found.push({ kind, value, bound, decisions, message })
  if (isOver('refusals_high', refused, refusedAtMost, open)) {
    add('refusals_high', refused, refusedAtMost, 'More questions are refused than expected: documents may lack answers')
  }
  if (
    refused + TOLERANCE <
    (open.has('refusals_low') ? Math.min(1, refusedAtLeast * (1 + STILL_OPEN)) : refusedAtLeast)
  ) {
    add('refusals_low', refused, refusedAtLeast, 'Fewer questions are refused than expected: too much may get through')
  }
  if (isOver('insufficiency_high', refused, 1 - passedAtLeast, open)) {
    add('insufficiency_high', 1 - refused, passedAtLeast, 'High evidence insufficiency rate detected')
  }
  const failed = latest.failed / decisions
  if (isOver('failures_high', failed, failedAtMost, open)) {
    add('failures_high', failed, failedAtMost, 'Questions end with an error: look at the model')
  }
  if (latest.p95Ms !== null && isOver('latency_high', latest.p95Ms, p95AtMostMs, open)) {
    add('latency_high', latest.p95Ms, p95AtMostMs, 'Answers take longer than expected')
  }
  if (isOver('confidence_drift', drift, driftAtMost, open)) {
    add('confidence_drift', drift, driftAtMost, 'Confidences have moved: questions or documents have changed')
  }
  return found
}

/** Share of an index's capacity from which there is an alert, early enough to make room. */
const NEARLY_FULL = 0.8

/**
 * Finds whether an index is nearly full.
 *
 * @param room `undefined` if unknown
 */
export function findRoomAlerts(
  room: IndexRoom | undefined,
  decisions: number,
  open: ReadonlySet<AlertKind> = new Set(),
): readonly AlertFinding[] {
  const kind = 'index_nearly_full'
  const value = room === undefined ? 0 : room.usedBytes / room.limitBytes
  if (!isOver(kind, value, NEARLY_FULL, open)) return []
  const message = 'The index is nearly full: remove documents'
  return [{ kind, value, bound: NEARLY_FULL, decisions, message }]
}

/** Tolerance for rounding: 1 - .8 is slightly less than .2. */
const TOLERANCE = 1e-9

function isOver(kind: AlertKind, value: number, bound: number, open: ReadonlySet<AlertKind>): boolean {
  return value > (open.has(kind) ? bound * (1 - STILL_OPEN) : bound) + TOLERANCE
}

/** Number of intervals in which confidences are compared; few, because there may be few questions. */
const PARTS = 5

/**
 * Finds whether calibrations are outdated: whether collections have changed since, and whether confidences have shifted
 * from those of the calibration questions.
 */
export function findCalibrationAlerts(
  collections: readonly CalibratedCollection[],
  { driftAtMost = 0.25, minDecisions = 50 }: Pick<AlertBounds, 'driftAtMost' | 'minDecisions'> = {},
  open: ReadonlySet<AlertKind> = new Set(),
): readonly AlertFinding[] {
  const found: AlertFinding[] = []
  const changed = collections.filter(({ differences }) => differences.length > 0)
  if (changed.length > 0) {
    const message = 'A collection has changed since its policy was calibrated: run eval, and calibrate again'
    const decisions = changed.reduce((sum, { latest }) => sum + decisionsOf(latest), 0)
    found.push({ kind: 'calibration_outdated', value: changed.length, bound: 0, decisions, message })
  }
  const drifts = collections
    .filter((each) => [each.latest, each.calibrated].every((bins) => decisionsOf(bins) >= minDecisions))
    .map(({ latest, calibrated }) => ({ drift: driftBeyondChance(latest, calibrated), decisions: decisionsOf(latest) }))
    .sort((a, b) => b.drift - a.drift)
  const [worst] = drifts
  if (worst !== undefined && isOver('calibration_drift', worst.drift, driftAtMost, open)) {
    const message = 'Confidences have moved since the calibration: label new questions, and calibrate again'
    const { drift: value, decisions } = worst
    found.push({ kind: 'calibration_drift', value, bound: driftAtMost, decisions, message })
  }
  return found
}

function decisionsOf(bins: readonly number[]): number {
  return bins.reduce((sum, count) => sum + count, 0)
}

/** The 99 % quantile of χ² with four degrees of freedom, for five intervals. */
const CHANCE = 13.28

/**
 * The stability index over five intervals, minus its 99 % quantile for two samples of one distribution: χ²(1/n + 1/m).
 *
 * @see B. Yurdakul, Statistical Properties of the Population Stability Index, 2018
 */
function driftBeyondChance(latest: readonly number[], calibrated: readonly number[]): number {
  const [a, b] = [inParts(latest), inParts(calibrated)]
  return Math.max(0, stabilityIndex(a, b) - CHANCE * (1 / decisionsOf(a) + 1 / decisionsOf(b)))
}

function inParts(bins: readonly number[]): number[] {
  const parts = Array.from({ length: PARTS }, () => 0)
  for (const [at, count] of bins.entries()) parts[Math.floor((at * PARTS) / bins.length)]! += count
  return parts
}

/** Added to bins without decisions, so that no logarithm is infinite. */
const HALF_A_DECISION = 0.5

/**
 * The population stability index: Σ (p − q) · ln(p / q) over bins. 0 for equal shares; above .25 usually counts as a
 * shift.
 *
 * @returns 0 and up; 0 if either has no decisions
 */
export function stabilityIndex(latest: readonly number[], earlier: readonly number[]): number {
  const [all, before] = [decisionsOf(latest), decisionsOf(earlier)]
  if (all === 0 || before === 0) return 0
  return latest.reduce((index, count, at) => {
    const other = earlier[at] ?? 0
    if (count === 0 && other === 0) return index
    const p = Math.max(count, HALF_A_DECISION) / all
    const q = Math.max(other, HALF_A_DECISION) / before
    return index + (p - q) * Math.log(p / q)
  }, 0)
}
