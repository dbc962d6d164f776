import { describe, expect, it } from 'vitest'
import type { AnswerSignals } from '../../../src/core/answer-signals.ts'
import { evidenceShare, evidenceShareGate, type EvidenceShareOptions } from '../../../src/core/gates/evidence-share.ts'
import { answerSignalsOf } from '../../fixtures/answer.ts'
import { signalsOf } from '../../fixtures/evidence.ts'

const check = (options: EvidenceShareOptions, given: Partial<AnswerSignals>) =>
  evidenceShareGate.check(evidenceShare(options), {
    signals: signalsOf(),
    confidence: 1,
    answer: answerSignalsOf(given),
  })

const shared = (...shares: number[]): Partial<AnswerSignals> => ({
  reportedShares: shares.map((share, at) => ({ chunkId: `chunk-${at}`, share })),
})

describe('evidenceShare', () => {
  it.each([
    [0.65, 'pass', 'pass'],
    [0.5, 'pass', 'refuse'],
    [0.5 - 1e-12, 'pass', 'refuse'],
    [0.5 + 1e-12, 'pass', 'refuse'],
    [0.4999, 'refuse', 'refuse'],
    [0.35, 'refuse', 'refuse'],
  ])('at a share of %f of one half finds %s, in strict mode %s', (share, outcome, strict) => {
    expect(check({}, shared(share)).outcome).toBe(outcome)
    expect(check({ equality: 'refuses' }, shared(share)).outcome).toBe(strict)
  })

  it('names the first chunk with the largest share', () => {
    expect(check({}, shared(0.2, 0.4, 0.4))).toMatchObject({ actual: 0.4, threshold: 0.5, subject: 'chunk-1' })
  })

  it('adds up the largest when that is asked for', () => {
    expect(check({ largest: 2 }, shared(0.2, 0.4, 0.4))).toMatchObject({ outcome: 'pass', actual: 0.8 })
    expect(check({ largest: 9 }, shared(0.7, 0.2, 0.1 + 1e-9)).actual).toBe(1)
  })

  it('refuses an answer that the chunks hardly hold, whatever share is reported', () => {
    const held = (unsupportedTermCount: number) => ({ ...shared(1), termCount: 8, unsupportedTermCount })
    expect(check({}, held(6))).toMatchObject({ outcome: 'pass' })
    expect(check({}, held(7))).toMatchObject({ outcome: 'refuse', code: 'overlap_low', actual: 0.125, threshold: 0.25 })
    expect(check({ minOverlap: 0 }, held(8))).toMatchObject({ outcome: 'pass' })
  })

  it('refuses what was reported and cannot be used, also when words would give a share', () => {
    const overlaps = [{ chunkId: 'chunk-0', words: 3, terms: 3 }]
    expect(check({}, { overlaps })).toMatchObject({ outcome: 'pass' })
    expect(check({}, { overlaps, unusable: ['attribution'] })).toMatchObject({ code: 'shares_invalid' })
  })
})
