import { describe, expect, it } from 'vitest'
import { CELL } from '../../../../d1/figures.ts'
import {
  type CountedGroup,
  groupsOf,
  isWanted,
  overTime,
} from '../../../../packages/console/src/d1/statistics/groups.ts'

const CELLS = {
  first: JSON.stringify(['pass', 'high', 'hit', 'enforce', 'passed', 'served', 'wiki', 'balanced@1']),
  second: JSON.stringify(['refuse', 'low', 'miss', 'observe', 'weak', 'failed', 'manual', 'strict@2']),
}

/** A row of the rollups. */
function row(startMs: number, counts: Readonly<Record<string, Readonly<Record<string, number>>>>, tenant = 'acme') {
  return { spanMs: 3_600_000, startMs, tenant, part: 0, counts } as Parameters<typeof groupsOf>[0][number]
}

const FIRST = {
  verdict: 'pass',
  band: 'high',
  cache: 'hit',
  mode: 'enforce',
  reason: 'passed',
  outcome: 'served',
  collection: 'wiki',
  policyId: 'balanced@1',
} as const
const SECOND = {
  verdict: 'refuse',
  band: 'low',
  cache: 'miss',
  mode: 'observe',
  reason: 'weak',
  outcome: 'failed',
  collection: 'manual',
  policyId: 'strict@2',
} as const

describe('groupsOf', () => {
  it('has a group for each combination of each row, in order', () => {
    const rows = [row(0, { [CELLS.first]: {}, [CELLS.second]: {} }), row(1, { [CELLS.first]: {} }, 'globex')]
    expect(groupsOf(rows)).toEqual([
      { startMs: 0, tenant: 'acme', ...FIRST, counts: {} },
      { startMs: 0, tenant: 'acme', ...SECOND, counts: {} },
      { startMs: 1, tenant: 'globex', ...FIRST, counts: {} },
    ])
  })

  it('names the figures, and counts a mean over all decisions but those without a value', () => {
    const stored = { n: 10, c: 4.5, '-c': 1, t: 300, '-g': 8, sr: 2, pm: 0.25, b7: 3, l12: 4, 'a:grounding:count': 2 }
    const [first, second] = groupsOf([row(0, { [CELLS.first]: stored, [CELLS.second]: { n: 3, '-t': 3 } })])
    expect(first?.counts).toEqual({
      decisions: 10,
      'confidence:sum': 4.5,
      'confidence:count': 9,
      'totalMs:sum': 300,
      'totalMs:count': 10,
      'retrievalMs:count': 10,
      'generationMs:count': 2,
      savedByRefusal: 2,
      savedModelCost: 0.25,
      'confidenceBins:7': 3,
      'latencyBins:12': 4,
      'answerGates:grounding:count': 2,
    })
    expect(second?.counts).toMatchObject({ 'totalMs:count': 0, 'confidence:count': 3 })
  })

  it('leaves the name of a figure that there is no more, and of counts without decisions', () => {
    const [group] = groupsOf([row(0, { [CELLS.first]: { zz: 4, '-zz': 1, '7': 2 } })])
    expect(group?.counts).toEqual({ zz: 4, '-zz': 1, '7': 2 })
  })
})

describe('isWanted', () => {
  const [group] = groupsOf([row(0, { [CELLS.first]: {} })]) as [CountedGroup]

  it.each(CELL)('compares %s', (name) => {
    expect(isWanted(group, { [name]: FIRST[name] })).toBe(true)
    expect(isWanted(group, { [name]: SECOND[name] })).toBe(false)
    expect(isWanted(group, { ...FIRST, [name]: SECOND[name] })).toBe(false)
  })

  it('takes all without a filter, and what came from the cache as cached', () => {
    expect(isWanted(group, {})).toBe(true)
    const cached = (['hit', 'evidence-hit', 'stale', 'miss', 'bypass'] as const).map((cache) =>
      isWanted({ ...group, cache }, { cache: 'cached' }),
    )
    expect(cached).toEqual([true, true, true, false, false])
    expect(isWanted({ ...group, reason: 'cached' }, { reason: 'cached' })).toBe(true)
    expect(isWanted(group, { reason: 'cached' })).toBe(false)
  })
})

describe('overTime', () => {
  it('adds up what differs in time alone, and leaves what was given', () => {
    const given = groupsOf([
      row(0, { [CELLS.first]: { m: 1, i: 5 }, [CELLS.second]: { m: 10 } }),
      row(1, { [CELLS.first]: { m: 2, o: 7 } }),
      row(1, { [CELLS.first]: { m: 100 } }, 'globex'),
    ])
    expect(overTime(given).map(({ tenant, verdict, counts }) => [tenant, verdict, counts])).toEqual([
      ['acme', 'pass', { modelCalls: 3, inputTokens: 5, outputTokens: 7 }],
      ['acme', 'refuse', { modelCalls: 10 }],
      ['globex', 'pass', { modelCalls: 100 }],
    ])
    expect(given[0]?.counts).toEqual({ modelCalls: 1, inputTokens: 5 })
  })

  it.each(CELL)('keeps apart what differs in %s', (name) => {
    const given = [FIRST, { ...FIRST, [name]: SECOND[name] }].map((cell) => ({
      startMs: 0,
      tenant: 'acme',
      ...cell,
      counts: {},
    }))
    expect(overTime(given)).toHaveLength(2)
  })
})
