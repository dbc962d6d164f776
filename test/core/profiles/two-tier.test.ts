import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { fuseConvex } from '../../../src/core/fusion.ts'
import { EMPTY_LEXICON } from '../../../src/core/lexicon.ts'
import { measure } from '../../../src/core/measure.ts'
import { judge } from '../../../src/core/policy.ts'
import { twoTier, type TwoTierOptions } from '../../../src/core/profiles/two-tier.ts'
import { isRagGateError } from '../../../src/errors.ts'
import { aRanking } from '../../fixtures/evidence.ts'

interface GoldenVector {
  readonly id: string
  readonly scores: readonly (number | boolean | null | { readonly $f: string })[]
  readonly shapes: string | readonly string[]
  readonly scores_are_reranked: boolean
  readonly params: Readonly<Record<string, number>>
  readonly expect: { readonly refuse?: boolean; readonly throws?: string }
}

/** Vectors beside the repository, where they are kept. */
const GOLDEN = new URL('../../../../shared/golden/golden-gate.json', import.meta.url)

function readVectors(): readonly GoldenVector[] {
  try {
    return (JSON.parse(readFileSync(GOLDEN, 'utf8')) as { vectors: GoldenVector[] }).vectors
  } catch {
    return []
  }
}

const NAMES: Readonly<Record<string, keyof TwoTierOptions>> = {
  relevance_threshold: 'relevanceThreshold',
  min_chunks: 'minChunks',
  retrieval_min_score: 'minScore',
  retrieval_min_ratio: 'minRatio',
}

/** What the profile says of a vector: its verdict, or the code of the error. */
function verdictOn({ scores, shapes, scores_are_reranked, params }: GoldenVector): string {
  const options = Object.fromEntries(Object.entries(params).map(([name, value]) => [NAMES[name] ?? name, value]))
  const missing = scores.map((_, at) => ['none', 'meta_missing', 'dict_other'].includes([shapes].flat()[at] ?? ''))
  // The gate sees what is left once unusable scores are dropped; that too many of them are a fault is tested elsewhere.
  const usable = scores.flatMap((score, at) => (typeof score === 'number' && !missing[at] ? [score] : []))
  try {
    const policy = twoTier(options)
    const evidence = fuseConvex([aRanking(scores_are_reranked ? 'grade' : 'bm25', usable)], { idfMass: 1, topK: 100 })
    return judge(policy, measure('question', evidence, EMPTY_LEXICON)).verdict
  } catch (thrown) {
    return isRagGateError(thrown) ? thrown.code : 'unexpected'
  }
}

const BOUNDARY = 'decision 3: the document wins at exactly the minimum, which passes'
const TOLERANCE = 'decision 2: a ratio within 1e-9 of its threshold passes'
const RUNNER_UP = 'decision 3: a runner-up at or below 0 meets the ratio, and the score test alone decides'
const BELOW = 'grades begin at 0: a threshold under them would let anything pass'
const MISSING = 'decision 1: a missing score is not 0; the chunk is dropped'
const BROKEN = 'decision 1: a score that is not finite is dropped, and what is left decides'

/** Where the profile differs from the older code on purpose: what it says, and by which decision of the design. */
const DIFFERENCES: Readonly<Record<string, readonly [verdict: string, because: string]>> = {
  g031: ['policy_invalid', BELOW],
  g050: ['refuse', BROKEN],
  g052: ['refuse', BROKEN],
  g053: ['refuse', BROKEN],
  g056: ['refuse', BROKEN],
  g058: ['refuse', BROKEN],
  g067: ['pass', MISSING],
  g068: ['pass', MISSING],
  g074: ['pass', BOUNDARY],
  g082: ['pass', TOLERANCE],
  g083: ['pass', TOLERANCE],
  g084: ['pass', TOLERANCE],
  g108: ['pass', RUNNER_UP],
  g110: ['pass', RUNNER_UP],
  g116: ['pass', RUNNER_UP],
  g117: ['pass', RUNNER_UP],
  g121: ['pass', RUNNER_UP],
}

describe('twoTier', () => {
  it('never advises, and never falls back to retrieval scores when the reranker graded', () => {
    const judgeScores = (grade: number): string => {
      const rankings = [aRanking('grade', [grade], ['a']), aRanking('bm25', [9], ['a'])]
      return judge(twoTier(), measure('x', fuseConvex(rankings, { idfMass: 1, topK: 9 }), EMPTY_LEXICON)).verdict
    }
    expect([0, 1, 2, 3].map(judgeScores)).toEqual(['refuse', 'refuse', 'pass', 'pass'])
  })

  it('takes all four constants of the document in one place', () => {
    const [graded, retrieval] = twoTier().gates
    expect(graded).toEqual({ gate: 'graded-relevance', relevanceThreshold: 2, minChunks: 1 })
    expect(retrieval).toEqual({ gate: 'retrieval-score', minScore: 0.05, minRatio: 1.2 })
    const options = { relevanceThreshold: 1, minChunks: 2, minScore: 0.1, minRatio: 1.5 }
    expect(twoTier(options).gates).toEqual([
      { gate: 'graded-relevance', relevanceThreshold: 1, minChunks: 2 },
      { gate: 'retrieval-score', minScore: 0.1, minRatio: 1.5 },
    ])
  })

  it('agrees with the golden vectors but for the listed differences', ({ skip }) => {
    const vectors = readVectors()
    if (vectors.length === 0) skip('the golden vectors are not beside the repository')
    const found = Object.fromEntries(
      vectors.flatMap((vector) => {
        const expected = vector.expect.refuse === undefined ? 'an error' : vector.expect.refuse ? 'refuse' : 'pass'
        const verdict = verdictOn(vector)
        return verdict === expected ? [] : [[vector.id, verdict]]
      }),
    )
    expect(found).toEqual(Object.fromEntries(Object.entries(DIFFERENCES).map(([id, [verdict]]) => [id, verdict])))
    expect(`${vectors.length - Object.keys(found).length} of ${vectors.length} agree`).toBe('96 of 113 agree')
  })
})
