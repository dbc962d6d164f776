import { describe, expect, it } from 'vitest'
import { latencyOf } from '../../../../packages/console/src/d1/statistics/latency.ts'
import { percentileMs } from '../../../../packages/console/src/d1/statistics/latency-bins.ts'
import { savingsOf } from '../../../../packages/console/src/d1/statistics/savings.ts'
import { countBy, inBins, mean, meansByName, namesIn } from '../../../../packages/console/src/d1/statistics/sums.ts'
import { totalsBy, totalsOf } from '../../../../packages/console/src/d1/statistics/totals.ts'

const counted = (...counts: Readonly<Record<string, number>>[]) => counts.map((each) => ({ counts: each }))

describe('savings', () => {
  it('are apart what was measured, what was estimated, and what nobody knows', () => {
    const groups = counted(
      {
        decisions: 6,
        savedByRefusal: 3,
        savedMeasured: 2,
        savedMeasuredInput: 200,
        savedMeasuredOutput: 40,
        savedPriced: 2,
        savedModelCost: 0.5,
        savedRetrievalCost: 0.125,
        'generationMs:sum': 1_001,
        'generationMs:count': 2,
      },
      {
        decisions: 4,
        savedByCache: 2,
        savedEstimated: 1,
        savedEstimatedInput: 10,
        savedEstimatedOutput: 3,
        savedPriced: 1,
        savedModelCost: 0.25,
        savedRetrievalCost: 1,
      },
    )
    expect(savingsOf(groups)).toEqual({
      callsAvoidedByRefusal: 3,
      callsAvoidedByCache: 2,
      shareAvoided: 0.5,
      measured: { calls: 2, inputTokens: 200, outputTokens: 40 },
      estimated: { calls: 1, inputTokens: 10, outputTokens: 3 },
      unknownCalls: 2,
      money: { calls: 3, modelCost: 0.75, retrievalCost: 1.125, net: -0.375 },
      // Five calls of 500.5 ms.
      generationMsSaved: 2_503,
    })
  })

  it('of nothing are no share, no money and no time', () => {
    expect(savingsOf([])).toMatchObject({ shareAvoided: null, money: null, generationMsSaved: null, unknownCalls: 0 })
    expect(savingsOf(counted({ decisions: 2 }))).toMatchObject({ shareAvoided: 0, money: null })
  })
})

describe('percentiles', () => {
  it('are of the nearest rank, whatever the order of the bins', () => {
    const bins = new Map([
      [10, 1],
      [2, 50],
      [0, 49],
    ])
    const ends = (bin: number) => [1.1 ** (bin - 1), 1.1 ** bin] as const
    expect(percentileMs(bins, 0)).toBe(1)
    expect(percentileMs(bins, 0.49)).toBe(1)
    for (const [share, bin] of [
      [0.5, 2],
      [0.99, 2],
      [1, 10],
    ] as const) {
      const [from, to] = ends(bin)
      const at = percentileMs(bins, share)!
      // As far above the lower end as below the upper, in proportion.
      expect(at / from - 1, `${share}`).toBeCloseTo(1 - at / to, 2)
      expect([at > from, at < to]).toEqual([true, true])
    }
    expect([percentileMs(new Map(), 0.5), percentileMs(new Map([[3, 0]]), 0.5)]).toEqual([null, null])
  })

  it('of groups are over all of them', () => {
    const groups = counted(
      { 'latencyBins:0': 50, 'confidenceBins:30': 9 },
      { 'latencyBins:0': 40, 'latencyBins:7': 10 },
    )
    const slow = percentileMs(new Map([[7, 1]]), 1)
    expect(latencyOf(groups)).toEqual({ counted: 100, p50: 1, p90: 1, p95: slow, p99: slow })
  })
})

describe('sums', () => {
  it('by name contain those that did not occur, and a group without decisions as 0', () => {
    const groups = [
      { name: 'pass', counts: { decisions: 2 } },
      { name: 'pass', counts: { decisions: 3 } },
      { name: 'other', counts: {} },
    ]
    expect(countBy<(typeof groups)[number], string>(groups, ({ name }) => name, { pass: 0, refuse: 0 })).toEqual({
      pass: 5,
      refuse: 0,
      other: 0,
    })
  })

  it('make means over what was counted', () => {
    const groups = counted({ 'totalMs:sum': 30, 'totalMs:count': 2 }, { 'totalMs:sum': 60, 'totalMs:count': 1 }, {})
    expect([mean(groups, 'totalMs'), mean(groups, 'retrievalMs')]).toEqual([30, null])
  })

  it('make means by name, sorted, without those that nothing was counted of', () => {
    const groups = counted(
      { 'answerGates:b:count': 1, 'answerGates:b:sum': 0.5, 'answerGates:none:count': 0, 'answerGates:none:sum': 0 },
      { 'answerGates:a:count': 4, 'answerGates:a:sum': 1, 'answerGates:b:count': 1, 'answerGates:b:sum': 1 },
      { 'answerGatesToo:c:count': 1, 'answerGatesToo:c:sum': 1 },
    )
    const means = meansByName(groups, 'answerGates', namesIn(groups))
    expect(Object.entries(means)).toEqual([
      ['a', { counted: 4, mean: 0.25 }],
      ['b', { counted: 2, mean: 0.75 }],
    ])
  })

  it('by bin are over all groups', () => {
    const groups = counted(
      { 'confidenceBins:3': 1, 'latencyBins:3': 8 },
      { 'confidenceBins:3': 2, 'confidenceBins:19': 4 },
    )
    expect([...inBins(groups, 'confidenceBins')]).toEqual([
      [3, 3],
      [19, 4],
    ])
  })
})

describe('totals', () => {
  const group = (policy: string, decisions: number) =>
    ({ policy, verdict: 'pass', cache: 'miss', counts: { decisions, modelCalls: 1 } }) as const

  it('by name are the most frequent first, then by name', () => {
    const groups = [group('b', 2), group('a', 1), group('c', 4), group('a', 1), group('d', 2)]
    const totals = totalsBy(groups, ({ policy }) => policy)
    expect(totals.map(({ name, decisions, modelCalls }) => [name, decisions, modelCalls])).toEqual([
      ['c', 4, 1],
      ['a', 2, 2],
      ['b', 2, 1],
      ['d', 2, 1],
    ])
  })

  it('have every figure by its kind', () => {
    const counts = { decisions: 4, escalated: 1, 'confidence:sum': 2, 'confidence:count': 4, savedByCache: 1 }
    const gates = { 'answerGates:grounding:count': 2, 'answerGates:grounding:sum': 1 }
    const groups = [
      { verdict: 'pass', cache: 'hit', counts: { ...counts, ...gates } },
      { verdict: 'refuse', cache: 'miss', counts: { decisions: 1 } },
    ] as const
    expect(totalsOf(groups)).toMatchObject({
      decisions: 5,
      escalated: 1,
      meanConfidence: 0.5,
      answerGates: { grounding: { counted: 2, mean: 0.5 } },
      byVerdict: { pass: 4, advise: 0, refuse: 1 },
      byCache: { hit: 4, miss: 1, bypass: 0 },
      savings: { callsAvoidedByCache: 1, shareAvoided: 0.2 },
    })
  })

  it('of nothing are zeros, and means that are null', () => {
    expect(totalsOf([])).toMatchObject({
      decisions: 0,
      meanConfidence: null,
      meanTotalMs: null,
      answerGates: {},
      byVerdict: { pass: 0, advise: 0, refuse: 0 },
      byCache: { hit: 0, 'evidence-hit': 0, miss: 0, bypass: 0, stale: 0 },
    })
    expect(totalsOf([])).not.toHaveProperty('confidenceBins')
    expect(totalsOf([])).not.toHaveProperty('savedByCache')
  })
})
