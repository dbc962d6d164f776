import { policySettings } from '../../../src/core/policy/policy.ts'
import { describe, expect, it } from 'vitest'
import { fuse } from '../../../src/core/evidence/fusion.ts'
import { EMPTY_LEXICON } from '../../../src/core/text/lexicon.ts'
import { judge } from '../../../src/core/policy/judge.ts'
import { checkLines } from '../../../packages/presets/src/two-tier/check-lines.ts'
import { retrievalScore } from '../../../packages/presets/src/two-tier/retrieval-score.ts'
import { topRelevance } from '../../../packages/presets/src/two-tier/top-relevance.ts'
import { TWO_TIER_SETTINGS, twoTier, twoTierPreset } from '../../../packages/presets/src/two-tier/two-tier.ts'
import { aRanking } from '../../fixtures/evidence.ts'
import { measure } from '../../fixtures/english.ts'

describe('twoTier', () => {
  it('never advises, and never uses retrieval scores when the reranker graded', () => {
    const judgeScores = (grade: number): string => {
      const rankings = [aRanking('grade', [grade], ['a']), aRanking('bm25', [9], ['a'])]
      return judge(twoTier(), measure('x', fuse(rankings, { idfMass: 1, topK: 9 }), EMPTY_LEXICON)).verdict
    }
    expect([0, 1, 2, 3].map(judgeScores)).toEqual(['refuse', 'refuse', 'pass', 'pass'])
  })

  it('has all four constants of the document as options of one maker', () => {
    const [graded, retrieval] = policySettings(twoTier()).gates
    expect(graded).toEqual({ gate: 'graded-relevance', relevanceThreshold: 2, minChunks: 1 })
    expect(retrieval).toEqual({ gate: 'retrieval-score', minScore: 0.05, minRatio: 1.2 })
    const options = { relevanceThreshold: 1, minChunks: 2, minScore: 0.1, minRatio: 1.5 }
    expect(policySettings(twoTier(options)).gates).toEqual([
      { gate: 'graded-relevance', relevanceThreshold: 1, minChunks: 2 },
      { gate: 'retrieval-score', minScore: 0.1, minRatio: 1.5 },
    ])
  })

  it("supports the specification's settings for too many refusals and for false acceptances", () => {
    const verdicts = (options: Parameters<typeof twoTier>[0], kind: 'grade' | 'bm25', scores: readonly number[]) =>
      judge(twoTier(options), measure('x', fuse([aRanking(kind, scores)], { idfMass: 1, topK: 9 }), EMPTY_LEXICON))
        .verdict
    const { lenient, strict } = TWO_TIER_SETTINGS
    expect([undefined, lenient].map((options) => verdicts(options, 'grade', [1, 0]))).toEqual(['refuse', 'pass'])
    expect([undefined, strict].map((options) => verdicts(options, 'grade', [3, 2]))).toEqual(['pass', 'refuse'])
    expect([undefined, strict].map((options) => verdicts(options, 'bm25', [1.4, 1]))).toEqual(['pass', 'refuse'])
    expect(verdicts(strict, 'grade', [3, 3])).toBe('pass')
  })

  it('explains a decision by its checks, and grades by their facts', () => {
    const policy = twoTier()
    const signals = measure('x', fuse([aRanking('grade', [3, 1])], { idfMass: 1, topK: 9 }), EMPTY_LEXICON)
    const { facts, checks } = twoTierPreset.explain!({ signals, confidence: 1, band: 'high' }, policy.gates)
    expect(checks).toEqual(checkLines(signals, policy.gates))
    expect(checks).toHaveLength(3)
    const [graded, scored] = judge(policy, signals).findings
    expect(facts!(graded!)).toEqual([
      { label: 'Top chunk score', value: '3' },
      { label: 'Chunks above threshold (2)', value: '1' },
    ])
    expect(facts!(scored!)).toBeUndefined()
  })

  it('takes a wording, and only the wordings there are', () => {
    expect(policySettings(twoTier({ wording: 'specification' })).wording).toBe('specification')
    expect(policySettings(twoTier())).not.toHaveProperty('wording')
    expect(() => twoTier({ wording: 'loud' as never })).toThrow(expect.objectContaining({ code: 'policy_invalid' }))
    const fault = expect.objectContaining({ code: 'policy_invalid', param: 'minScores' })
    expect(() => twoTier({ minScores: 1 } as never)).toThrow(fault)
  })

  it('records the scores and the BM25 that it reads', () => {
    expect(twoTier().signals.map(({ name }) => name)).toEqual(expect.arrayContaining(['curves', 'topBm25']))
    const names = (reads: readonly { readonly name: string }[]) => reads.map(({ name }) => name)
    expect(names(topRelevance().model.reads!(topRelevance().settings))).toEqual(['curves', 'topBm25'])
    const gate = retrievalScore()
    expect(names(gate.gate.reads!(gate.settings))).toEqual(['curves'])
    expect(topRelevance().settings).toEqual({ kind: 'top-relevance' })
  })
})
