import { askGate, settingsIn } from '../../fixtures/policy.ts'
import { describe, expect, it } from 'vitest'
import type { AnswerSignals } from '../../../src/core/answer/answer-signals.ts'
import {
  evidenceShare,
  type EvidenceShareOptions,
  evidenceShareGate,
} from '../../../packages/presets/src/sufficiency/evidence-share.ts'
import { answerSignalsOf } from '../../fixtures/answer.ts'
import { signalsOf } from '../../fixtures/evidence.ts'

const check = (options: EvidenceShareOptions, given: Partial<AnswerSignals>) =>
  askGate(evidenceShare(options), {
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
    [0.5 + 1e-9, 'pass', 'refuse'],
    [0.5 + 2e-9, 'pass', 'pass'],
    [0.4999, 'refuse', 'refuse'],
    [0.35, 'refuse', 'refuse'],
  ])('judges a share of %f against one half as %s, in strict mode as %s', (share, outcome, strict) => {
    expect(check({}, shared(share)).outcome).toBe(outcome)
    expect(check({ equality: 'refuses' }, shared(share)).outcome).toBe(strict)
  })

  it('names the first chunk with the largest share', () => {
    expect(check({}, shared(0.2, 0.4, 0.4))).toMatchObject({ actual: 0.4, threshold: 0.5, subject: 'chunk-1' })
  })

  it('sums the largest shares on request', () => {
    expect(check({ largest: 2 }, shared(0.2, 0.4, 0.4))).toMatchObject({ outcome: 'pass', actual: 0.8 })
    expect(check({ largest: 9 }, shared(0.7, 0.2, 0.1 + 1e-9)).actual).toBe(1)
  })

  const held = (unsupportedTermCount: number, termCount = 8) => ({
    overlaps: [{ chunkId: 'a', words: 1, terms: 1 }],
    termCount,
    unsupportedTermCount,
  })
  const derived = { noSupport: 'ignored' } as const

  it('refuses an answer that the chunks hardly contain, with the figures', () => {
    expect(check(derived, held(6))).toMatchObject({ outcome: 'pass' })
    expect(check(derived, held(7))).toMatchObject({ outcome: 'refuse', code: 'overlap_low', actual: 1, threshold: 0.5 })
    expect(check({ ...derived, minOverlap: 0 }, held(8))).toMatchObject({ outcome: 'pass' })
  })

  it('derives shares from citations, and counts uncited text as unsupported', () => {
    const cites = (first: number, second: number): Partial<AnswerSignals> => ({
      overlaps: [
        { chunkId: 'a', words: 9, terms: 4, cited: first },
        { chunkId: 'b', words: 9, terms: 4, cited: second },
      ],
      sentences: [3, 5].map((termCount) => ({
        termCount,
        termShare: 1,
        missingNumbers: 0,
        missingNames: 0,
        unknownCitations: 0,
      })),
      termCount: 8,
      unsupportedTermCount: 0,
    })
    const options = { overlap: 'citations' } as const
    expect(check(options, cites(5, 1))).toMatchObject({ outcome: 'pass', actual: 0.625, subject: 'a' })
    expect(check(options, cites(3, 1))).toMatchObject({ outcome: 'refuse', actual: 0.375 })
    expect(check({ ...options, noSupport: 'ignored' }, cites(3, 1))).toMatchObject({ outcome: 'pass', actual: 0.75 })
    expect(check(options, cites(0, 0))).toMatchObject({ outcome: 'refuse', actual: 0 })
    const older = { ...cites(5, 1), overlaps: [{ chunkId: 'a', words: 9, terms: 4 }] }
    expect(check(options, older)).toMatchObject({ outcome: 'refuse', code: 'shares_missing' })
  })

  it('does not mix reported shares with derived ones', () => {
    expect(check({}, { ...shared(0.35, 0.65), termCount: 1, unsupportedTermCount: 1 })).toMatchObject({
      outcome: 'pass',
      actual: 0.65,
    })
  })

  it('gives its reason with percentages', () => {
    expect(check({}, shared(0.35, 0.65 / 2)).message).toBe(
      'No passage supports enough of the answer. The largest share is 35.0% but the threshold is 50.0%.',
    )
    expect(check({}, shared(0.65)).message).toBe('The largest share is 65.0% and the threshold is 50.0%.')
    expect(check(derived, held(7)).message).toBe(
      "No passage supports enough of the answer. The chunks hold 12.5% of the answer's words but 25.0% are required.",
    )
  })

  it('counts an answer without words as not contained in the chunks', () => {
    expect(check(derived, held(0, 0))).toMatchObject({ code: 'overlap_low' })
    expect(check({ ...derived, minOverlap: 0 }, held(0, 0))).toMatchObject({ code: 'passed' })
  })

  const overlap = (chunkId: string, words: number, terms: number, confidence?: number) =>
    confidence === undefined ? { chunkId, words, terms } : { chunkId, words, terms, confidence }

  it('derives shares from common words, and counts words that no chunk contains', () => {
    const answer = { overlaps: [overlap('a', 1, 3), overlap('b', 3, 1)], termCount: 8, unsupportedTermCount: 4 }
    expect(check({}, answer)).toMatchObject({ actual: 3 / 8, subject: 'a' })
    expect(check({ noSupport: 'ignored' }, answer)).toMatchObject({ actual: 3 / 4, subject: 'a' })
    expect(check({ noSupport: 'ignored', overlap: 'words' }, answer)).toMatchObject({ actual: 3 / 4, subject: 'b' })
  })

  it('gives chunks without common words equal shares, or none when unsupported words count', () => {
    const answer = { overlaps: [overlap('a', 0, 0), overlap('b', 0, 0)] }
    expect(check({ noSupport: 'ignored' }, answer)).toMatchObject({ actual: 0.5, subject: 'a' })
    expect(check({}, answer)).toMatchObject({ code: 'share_low', actual: 0 })
    expect(check({}, { ...answer, unsupportedTermCount: 1 })).toMatchObject({ code: 'share_low', actual: 0 })
  })

  it('weights shares by the retrieval confidence of the chunks on request', () => {
    const answer = { overlaps: [overlap('chunk-0', 1, 1, 0.5), overlap('chunk-1', 1, 1, 1)], ...shared(0.6, 0.4) }
    expect(check({}, answer)).toMatchObject({ actual: 0.6, subject: 'chunk-0' })
    expect(check({ weighting: 'chunk-confidence' }, answer)).toMatchObject({ actual: 0.4, subject: 'chunk-1' })
  })

  it.each<[string, EvidenceShareOptions, Partial<AnswerSignals>]>([
    ['there are no chunks', {}, { overlaps: [] }],
    ['nothing was reported', {}, { reportedShares: [] }],
    ['the answer could not be read', {}, { readable: false, overlaps: [overlap('a', 3, 3)] }],
    ['one share is not a number', {}, shared(0.6, NaN)],
    [
      'one chunk has no confidence to weight it by',
      { weighting: 'chunk-confidence' },
      { overlaps: [overlap('a', 3, 3, 1), overlap('b', 3, 3)] },
    ],
  ])('refuses for missing shares when %s', (_, options, answer) => {
    expect(check(options, answer)).toEqual({
      outcome: 'refuse',
      code: 'shares_missing',
      message: 'There are no shares of support to judge',
    })
  })

  it('refuses without an answer', () => {
    const found = askGate(evidenceShare(), { signals: signalsOf(), confidence: 1 })
    expect(found).toMatchObject({ outcome: 'refuse', code: 'shares_missing' })
  })

  it.each<[EvidenceShareOptions, string, string]>([
    [{ threshold: 1.1 }, 'threshold', 'Threshold must be in [0.0, 1.0], got 1.1'],
    [{ threshold: -0.1 }, 'threshold', 'Threshold must be in [0.0, 1.0], got -0.1'],
    [{ threshold: NaN }, 'threshold', 'Threshold must be in [0.0, 1.0], got NaN'],
    [{ threshold: '0.5' as unknown as number }, 'threshold', 'Threshold must be in [0.0, 1.0], got 0.5'],
    [{ largest: 0 }, 'largest', 'largest must be a whole number from 1 to 100'],
    [{ largest: 1.5 }, 'largest', 'largest must be a whole number from 1 to 100'],
    [{ minOverlap: 1.1 }, 'minOverlap', 'minOverlap must be a number from 0 to 1'],
    [{ equality: 'maybe' as 'passes' }, 'equality', 'equality must be one of passes, refuses'],
    [{ weighting: 'rank' as 'none' }, 'weighting', 'weighting must be one of none, chunk-confidence'],
    [{ overlap: 'letters' as 'terms' }, 'overlap', 'overlap must be one of terms, words, citations'],
    [{ noSupport: '' as 'counted' }, 'noSupport', 'noSupport must be one of counted, ignored'],
  ])('rejects the options %j', (options, param, message) => {
    expect(() => evidenceShare(options)).toThrow(expect.objectContaining({ code: 'policy_invalid', param, message }))
  })

  it('accepts a threshold at either end of its range', () => {
    const thresholds = [0, 1].map((threshold) => settingsIn(evidenceShareGate, evidenceShare({ threshold })).threshold)
    expect(thresholds).toEqual([0, 1])
  })

  it('refuses unusable reported shares, even when words would give a share', () => {
    const overlaps = [{ chunkId: 'chunk-0', words: 3, terms: 3 }]
    expect(check({}, { overlaps })).toMatchObject({ outcome: 'pass' })
    expect(check({}, { overlaps, unusable: ['attribution'] })).toMatchObject({
      outcome: 'refuse',
      code: 'shares_invalid',
      message: 'The reported shares do not add up to 1, or name chunks that were not retrieved',
    })
  })
})
