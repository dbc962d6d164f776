import { describe, expect, it } from 'vitest'
import { findAlerts, stabilityIndex } from '../../../src/core/calibration/alert-rules.ts'

const counted = (decisions: number, refused: number, confidenceBins = [decisions]) => ({
  decisions,
  refused,
  confidenceBins,
})
const kinds = (...given: Parameters<typeof findAlerts>) => findAlerts(...given).map(({ kind }) => kind)
const none = counted(0, 0)

describe('findAlerts', () => {
  it.each([
    [100, 0, []],
    [100, 20, []],
    [100, 21, ['insufficiency_high']],
    [100, 50, ['insufficiency_high']],
    [100, 51, ['refusals_high', 'insufficiency_high']],
    [49, 49, []],
  ])('of %i decisions with %i refused finds %j', (decisions, refused, expected) => {
    expect(kinds(counted(decisions, refused), none)).toEqual(expected)
  })

  it('says what the reference says when fewer than 80 % pass', () => {
    const [found] = findAlerts(counted(100, 25), none)
    expect(found).toMatchObject({ message: 'High evidence insufficiency rate detected', value: 0.75, bound: 0.8 })
  })

  it('watches both directions, by bounds of its own', () => {
    expect(kinds(counted(100, 1), none, { refusedAtLeast: 0.02 })).toEqual(['refusals_low'])
    expect(kinds(counted(100, 30), none, { refusedAtMost: 0.25, passedAtLeast: 0.5 })).toEqual(['refusals_high'])
    expect(kinds(counted(10, 9), none, { minDecisions: 10 })).toEqual(['refusals_high', 'insufficiency_high'])
  })

  it('finds confidences that have moved, when there is enough to compare with', () => {
    const before = counted(1_000, 0, [100, 200, 700])
    expect(kinds(counted(100, 0, [10, 20, 70]), before)).toEqual([])
    expect(kinds(counted(100, 0, [70, 20, 10]), before)).toEqual(['confidence_drift'])
    expect(kinds(counted(100, 0, [70, 20, 10]), counted(49, 0, [5, 10, 34]))).toEqual([])
  })
})

describe('stabilityIndex', () => {
  it('is the sum of (p − q) · ln(p / q)', () => {
    expect(stabilityIndex([50, 50], [80, 20])).toBeCloseTo(-0.3 * Math.log(0.5 / 0.8) + 0.3 * Math.log(0.5 / 0.2), 12)
    expect(stabilityIndex([3, 7], [30, 70])).toBeCloseTo(0, 12)
  })

  it('is finite where a bin is empty, and 0 where there is nothing', () => {
    expect(stabilityIndex([100, 0], [0, 100])).toBeGreaterThan(5)
    expect(Number.isFinite(stabilityIndex([100, 0], [0, 100]))).toBe(true)
    expect(stabilityIndex([], [1])).toBe(0)
    expect(stabilityIndex([0, 0], [1, 2])).toBe(0)
  })
})
