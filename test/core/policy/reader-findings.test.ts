import { expect, it } from 'vitest'
import { confidenceBy } from '../../../src/core/policy/confidence.ts'
import { definePolicy, type Policy } from '../../../src/core/policy/policy.ts'
import { readerFindings } from '../../../src/core/policy/reader-findings.ts'
import { minTopCosine } from '../../../src/core/gates/min-top-cosine.ts'

const policyWith = (countsReader?: () => boolean): Policy => {
  const model = {
    kind: 'plain',
    validate: () => undefined,
    confidence: () => 0.5,
    ...(countsReader && { countsReader }),
  }
  const confidence = confidenceBy(model, { kind: 'plain' })
  return definePolicy({ name: 'mine', confidence, bands: { high: 1, medium: 1, low: 1 }, gates: [minTopCosine()] })
}

it.each(['failed', 'timeout'] as const)(
  'a reader with the outcome %s refuses when the confidence depends on its scores',
  (outcome) => {
    expect(
      readerFindings(
        policyWith(() => true),
        outcome,
      ),
    ).toEqual([
      {
        gate: 'reranker',
        stage: 'pre-generation',
        outcome: 'refuse',
        code: 'reader_failed',
        message: 'The question could not be judged',
      },
    ])
    expect(
      readerFindings(
        policyWith(() => false),
        outcome,
      ),
    ).toEqual([])
    expect(readerFindings(policyWith(), outcome)).toEqual([])
  },
)

it.each(['ok', 'none', 'skipped', undefined] as const)('a reader with the outcome %s refuses nothing', (outcome) => {
  expect(
    readerFindings(
      policyWith(() => true),
      outcome as never,
    ),
  ).toEqual([])
})
