import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../bench/seeded-random.ts'
import {
  findAlerts,
  findCalibrationAlerts,
  findRoomAlerts,
  stabilityIndex,
} from '../../../packages/console/src/alerts/alert-rules.ts'
import type { AlertKind } from '../../../d1/schema.ts'

const counted = (decisions: number, refused: number, confidenceBins = [decisions], failed = 0) => ({
  decisions,
  refused,
  failed,
  p95Ms: 400,
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
  ])('for %i decisions with %i refused finds %j', (decisions, refused, expected) => {
    expect(kinds(counted(decisions, refused), none)).toEqual(expected)
  })

  it('has the message of the reference document when fewer than 80 % pass', () => {
    const [found] = findAlerts(counted(100, 25), none)
    expect(found).toMatchObject({ message: 'High evidence insufficiency rate detected', value: 0.75, bound: 0.8 })
  })

  it('checks both directions with configurable bounds', () => {
    expect(kinds(counted(100, 1), none, { refusedAtLeast: 0.02 })).toEqual(['refusals_low'])
    expect(kinds(counted(100, 30), none, { refusedAtMost: 0.25, passedAtLeast: 0.5 })).toEqual(['refusals_high'])
    expect(kinds(counted(10, 9), none, { minDecisions: 10 })).toEqual(['refusals_high', 'insufficiency_high'])
  })

  it('watches errors and response times', () => {
    expect(kinds(counted(100, 0, [100], 5), none)).toEqual([])
    expect(kinds(counted(100, 0, [100], 6), none)).toEqual(['failures_high'])
    expect(kinds(counted(100, 0, [100], 6), none, { failedAtMost: 0.1 })).toEqual([])
    expect(kinds(counted(100, 0), none, { p95AtMostMs: 399 })).toEqual(['latency_high'])
    expect(kinds({ ...counted(100, 0), p95Ms: null }, none, { p95AtMostMs: 0 })).toEqual([])
  })

  it('finds no drift when two periods differ by chance', () => {
    const random = seededRandom(11)
    const draw = (size: number): number[] => {
      const drawn = Array.from({ length: 20 }, () => 0)
      for (let at = 0; at < size; at++) drawn[Math.floor(random() ** 0.7 * 20)]!++
      return drawn
    }
    let alarms = 0
    for (let at = 0; at < 1_000; at++) {
      alarms += kinds(counted(50, 0, draw(50)), counted(60, 0, draw(60))).length
    }
    expect(alarms / 1_000).toBeLessThan(0.01)
  })

  it('finds a drift of confidences when there is enough to compare with', () => {
    const before = counted(1_000, 0, [100, 200, 700])
    expect(kinds(counted(100, 0, [10, 20, 70]), before)).toEqual([])
    expect(kinds(counted(100, 0, [70, 20, 10]), before)).toEqual(['confidence_drift'])
    expect(kinds(counted(100, 0, [70, 20, 10]), counted(49, 0, [5, 10, 34]))).toEqual([])
    expect(kinds(counted(100, 0, [70, 20, 10]), counted(50, 0, [5, 10, 35]))).toEqual(['confidence_drift'])
  })

  it('says of each figure what it may mean', () => {
    const everything = { ...counted(100, 60, [100, 0], 10), p95Ms: 900 }
    const found = findAlerts(everything, counted(100, 0, [0, 100]), { refusedAtLeast: 0.7, p95AtMostMs: 800 })
    expect(found.map(({ kind, message }) => [kind, message])).toEqual([
      ['refusals_high', 'More questions are refused than expected: documents may lack answers'],
      ['refusals_low', 'Fewer questions are refused than expected: too much may get through'],
      ['insufficiency_high', 'High evidence insufficiency rate detected'],
      ['failures_high', 'Questions end with an error: look at the model'],
      ['latency_high', 'Answers take longer than expected'],
      ['confidence_drift', 'Confidences have moved: questions or documents have changed'],
    ])
  })
})

describe('an open alert', () => {
  const open = (...names: AlertKind[]) => new Set(names)

  it.each([
    ['refusals_high', 0.51, 0.46, 0.45],
    ['insufficiency_high', 0.21, 0.19, 0.18],
  ] as const)('%s stays open until its figure is a tenth within the bound', (kind, opens, stays, closes) => {
    const found = (refused: number, isOpen: boolean) =>
      kinds(counted(1_000, refused * 1_000), none, {}, isOpen ? open(kind) : open()).includes(kind)
    expect([found(opens, false), found(stays, false), found(stays, true), found(closes, true)]).toEqual([
      true,
      false,
      true,
      false,
    ])
  })

  it('of every other kind stays open likewise', () => {
    const drifted = [counted(100, 0, [70, 20, 10]), counted(1_000, 0, [100, 200, 700])] as const
    const { value } = findAlerts(...drifted)[0]!
    const calibrated = [{ differences: [], calibrated: [100, 200, 700, 0], latest: [700, 200, 100, 0] }]
    const { value: moved } = findCalibrationAlerts(calibrated)[0]!
    for (const [kind, find] of [
      ['failures_high', (state) => findAlerts(counted(1_000, 0, [1_000], 46), none, {}, state)],
      ['latency_high', (state) => findAlerts(counted(100, 0), none, { p95AtMostMs: 420 }, state)],
      ['confidence_drift', (state) => findAlerts(...drifted, { driftAtMost: value * 1.05 }, state)],
      ['calibration_drift', (state) => findCalibrationAlerts(calibrated, { driftAtMost: moved * 1.05 }, state)],
    ] satisfies readonly [AlertKind, (state: ReadonlySet<AlertKind>) => readonly { readonly kind: AlertKind }[]][]) {
      expect([kind, find(open()).length]).toEqual([kind, 0])
      expect(find(open(kind)).map((each) => each.kind)).toEqual([kind])
    }
  })

  it('for too few refusals stays open until they exceed the bound by a tenth', () => {
    const found = (refused: number) =>
      kinds(counted(1_000, refused), none, { refusedAtLeast: 0.1 }, open('refusals_low')).length
    expect([found(99), found(109), found(110)]).toEqual([1, 1, 0])
    // All of them is as much as there can be.
    expect(
      kinds(counted(100, 100), none, { refusedAtLeast: 1, refusedAtMost: 1, passedAtLeast: 0 }, open('refusals_low')),
    ).toEqual([])
  })

  it('does not open and close repeatedly when a figure varies around its bound', () => {
    const random = seededRandom(3)
    let state: ReadonlySet<AlertKind> = open()
    let changes = 0
    for (let look = 0; look < 200; look++) {
      const found = new Set(kinds(counted(1_000, 490 + Math.floor(random() * 21)), none, { passedAtLeast: 0 }, state))
      if (found.size !== state.size) changes++
      state = found
    }
    expect(changes).toBe(1)
  })
})

describe('stabilityIndex', () => {
  it('is the sum of (p − q) · ln(p / q)', () => {
    expect(stabilityIndex([50, 50], [80, 20])).toBeCloseTo(-0.3 * Math.log(0.5 / 0.8) + 0.3 * Math.log(0.5 / 0.2), 12)
    expect(stabilityIndex([3, 7], [30, 70])).toBeCloseTo(0, 12)
  })

  it('is finite when a bin is empty, and 0 without decisions', () => {
    expect(stabilityIndex([100, 0], [0, 100])).toBeGreaterThan(5)
    expect(Number.isFinite(stabilityIndex([100, 0], [0, 100]))).toBe(true)
    expect(stabilityIndex([], [1])).toBe(0)
    expect(stabilityIndex([0, 0], [1, 2])).toBe(0)
    expect(stabilityIndex([1, 2], [0, 0])).toBe(0)
  })

  it('does not depend on bins that are empty in both, however many decisions either has', () => {
    expect(stabilityIndex([10, 0], [1_000, 0])).toBe(0)
    expect(stabilityIndex([10, 0], [500, 500])).toBeGreaterThan(0.1)
  })
})

describe('findCalibrationAlerts', () => {
  const bins = (counts: Readonly<Record<number, number>>) => Array.from({ length: 20 }, (_, at) => counts[at] ?? 0)
  const low = bins({ 2: 60, 3: 40 })
  const high = bins({ 17: 60, 18: 40 })
  const found = (...collections: Parameters<typeof findCalibrationAlerts>[0][number][]) =>
    findCalibrationAlerts(collections).map(({ kind }) => kind)

  it.each([
    ['unchanged confidences', { differences: [], calibrated: low, latest: low }, []],
    ['changed confidences', { differences: [], calibrated: low, latest: high }, ['calibration_drift']],
    [
      'confidences changed within a bin',
      { differences: [], calibrated: bins({ 16: 100 }), latest: bins({ 19: 100 }) },
      [],
    ],
    ['too few decisions', { differences: [], calibrated: low, latest: bins({ 17: 49 }) }, []],
    ['no confidences recorded at calibration', { differences: [], calibrated: [], latest: high }, []],
    ['other documents', { differences: ['lexicon'], calibrated: [], latest: [] }, ['calibration_outdated']],
    [
      'another embedding',
      { differences: ['embedding'], calibrated: low, latest: high },
      ['calibration_outdated', 'calibration_drift'],
    ],
  ] as const)('finds the alerts of a collection with %s', (_, collection, kinds) =>
    expect(found(collection)).toEqual(kinds),
  )

  it('finds changed confidences from fifty decisions on', () => {
    const fifty = bins({ 17: 50 })
    expect(found({ differences: [], calibrated: bins({ 2: 50 }), latest: fifty })).toEqual(['calibration_drift'])
  })

  it('counts the collections that changed and their decisions, and says what to do', () => {
    const changed = { differences: ['lexicon'], calibrated: low, latest: high } as const
    const all = findCalibrationAlerts([changed, changed, { ...changed, differences: [] }])
    expect(all).toMatchObject([
      {
        kind: 'calibration_outdated',
        value: 2,
        decisions: 200,
        message: 'A collection has changed since its policy was calibrated: run eval, and calibrate again',
      },
      {
        kind: 'calibration_drift',
        message: 'Confidences have moved since the calibration: label new questions, and calibrate again',
      },
    ])
  })

  it('reports the worst of several collections', () => {
    const same = { differences: [], calibrated: low, latest: low }
    const [drift] = findCalibrationAlerts([same, { differences: [], calibrated: low, latest: high }, same])
    expect(drift).toMatchObject({ kind: 'calibration_drift', decisions: 100 })
    expect(found(same, same)).toEqual([])
  })

  it('is rarely found by chance', () => {
    const random = seededRandom(7)
    const draw = (size: number): number[] => {
      const drawn = bins({})
      for (let at = 0; at < size; at++) drawn[Math.floor(random() ** 0.7 * 20)]!++
      return drawn
    }
    let alarms = 0
    for (let at = 0; at < 2_000; at++)
      alarms += found({ differences: [], calibrated: draw(50), latest: draw(50) }).length
    expect(alarms / 2_000).toBeLessThan(0.005)
  })
})

describe('findRoomAlerts', () => {
  const of = (usedBytes: number, ...open: AlertKind[]) =>
    findRoomAlerts({ usedBytes, limitBytes: 1000 }, 5, new Set(open)).map(({ kind }) => kind)

  it('opens above four fifths, and closes a tenth of that below', () => {
    expect(of(800)).toEqual([])
    expect(of(801)).toEqual(['index_nearly_full'])
    expect(of(721, 'index_nearly_full')).toEqual(['index_nearly_full'])
    expect(of(720, 'index_nearly_full')).toEqual([])
    const [found] = findRoomAlerts({ usedBytes: 900, limitBytes: 1000 }, 5)
    expect(found).toMatchObject({ value: 0.9, decisions: 5, message: 'The index is nearly full: remove documents' })
  })

  it('is not found when the size of the index is unknown', () => expect(findRoomAlerts(undefined, 5)).toEqual([]))
})
