import { describe, expect, it } from 'vitest'
import { allSignals, DEFAULT_POLICY, NAMED_POLICIES, POLICY_PARTS } from '../../../packages/presets/src/named/index.ts'
import { policySettings, resolvePolicy } from '../../../src/core/policy/policy.ts'

const made = Object.entries(NAMED_POLICIES).map(([name, make]) => [name, make()] as const)

describe('the named policies', () => {
  it('are these, and the default is one of them', () => {
    expect(DEFAULT_POLICY).toBe('balanced')
    expect(made.map(([name, policy]) => [name, policy.name])).toEqual([
      ['balanced', 'balanced'],
      ['balanced-strict', 'balanced'],
      ['balanced-graded', 'balanced-graded'],
      ['two-tier', 'two-tier'],
      ['weighted-signals', 'weighted-signals'],
      ['weighted-signals-renormalised', 'weighted-signals'],
      ['multi-gate', 'multi-gate'],
      ['legal-review', 'legal-review'],
      ['advisory', 'advisory'],
      ['sufficiency', 'sufficiency'],
    ])
  })

  it('all differ, and are made anew with the same id', () => {
    expect(new Set(made.map(([, { id }]) => id)).size).toBe(made.length)
    for (const [name, { id }] of made) expect(NAMED_POLICIES[name]!().id).toBe(id)
  })

  it.each(made)('%s is rebuilt from its settings', (_, policy) => {
    const settings: unknown = JSON.parse(JSON.stringify(policySettings(policy)))
    expect(resolvePolicy(settings, POLICY_PARTS).id).toBe(policy.id)
  })

  it("differ from the makers' defaults where a deployment needs it", () => {
    const settings = (name: string) => policySettings(NAMED_POLICIES[name]!())
    const thresholds = (name: string) => settings(name).gates.find(({ gate }) => gate === 'confidence-range')
    expect(thresholds('balanced-strict')).toMatchObject({ refuseBelow: 0.75, adviseBelow: 0.85 })
    expect(settings('weighted-signals').confidence).toMatchObject({ absentWeight: 'keep' })
    expect(settings('weighted-signals-renormalised').confidence).toMatchObject({ absentWeight: 'spread' })
    expect(settings('multi-gate').gates.map(({ gate }) => gate)).not.toContain('generation-confidence')
    expect(settings('sufficiency').gates).toContainEqual(expect.objectContaining({ overlap: 'citations' }))
  })

  it('have their signals listed together', () => {
    const names = new Set(allSignals().map(({ name }) => name))
    for (const [, { signals }] of made) for (const { name } of signals) expect(names).toContain(name)
    for (const name of ['curves', 'retrieval', 'topCosine']) expect(names).toContain(name)
  })
})
