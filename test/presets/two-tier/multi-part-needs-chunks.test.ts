import { describe, expect, it } from 'vitest'
import { multiPartNeedsChunks } from '../../../packages/presets/src/two-tier/multi-part-needs-chunks.ts'
import type { Rule } from '../../../src/core/policy/rules.ts'
import { scoredEvidence, signalsOf } from '../../fixtures/evidence.ts'

const ask = (rule: Rule, question: string, evidence: ReturnType<typeof graded>) =>
  rule.ask({ question, evidence, signals: signalsOf() })

/** One chunk for each grade; one that has none where there are none. */
const graded = (grades: readonly number[]) =>
  scoredEvidence(grades.length === 0 ? [{ scores: {} }] : grades.map((grade) => ({ scores: { grade } })))

describe('multiPartNeedsChunks', () => {
  it.each([
    ['Who pays and who earns?', [3, 1], 1],
    ['Who pays or who earns?', [1, 0], 0],
    ['Who pays and who earns?', [], 1],
  ])('refuses too little evidence for a question with several parts: %s', (question, grades, actual) => {
    expect(ask(multiPartNeedsChunks(), question, graded(grades))).toMatchObject([
      {
        outcome: 'refuse',
        message: 'Multi-part question requires more evidence',
        publicText: 'Multi-part question requires more evidence',
        actual,
        threshold: 2,
      },
    ])
  })

  it.each([
    ['Who brands sand?', [1]],
    ['Who pays and who earns?', [2, 2]],
  ])('gives no finding for %s', (question, grades) => {
    expect(ask(multiPartNeedsChunks(), question, graded(grades))).toEqual([])
  })

  it('rejects invalid options when it is made', () => {
    for (const minChunks of [0, 1.5, 21]) {
      const message = 'minChunks must be a whole number from 1 to 20'
      const fault = { code: 'config_invalid', param: 'minChunks', message }
      expect(() => multiPartNeedsChunks({ minChunks })).toThrow(expect.objectContaining(fault))
    }
    for (const relevanceThreshold of [3.1, -0.1, NaN]) {
      const message = 'relevanceThreshold must be a number from 0 to 3'
      const fault = { code: 'config_invalid', param: 'relevanceThreshold', message }
      expect(() => multiPartNeedsChunks({ relevanceThreshold })).toThrow(expect.objectContaining(fault))
    }
    for (const options of [{ minChunks: 1 }, { relevanceThreshold: 0 }, { relevanceThreshold: 3 }]) {
      expect(() => multiPartNeedsChunks(options)).not.toThrow()
    }
  })

  it('has its settings in its id', () => {
    expect(multiPartNeedsChunks().id).toBe('multi-part-needs-chunks:2:2')
    expect(multiPartNeedsChunks({ minChunks: 3, relevanceThreshold: 1 }).id).toBe('multi-part-needs-chunks:3:1')
  })
})
