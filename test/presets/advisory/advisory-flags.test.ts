import { describe, expect, it } from 'vitest'
import {
  ADVISORY_USAGE,
  advisoryBadge,
  advisoryBanner,
  advisoryLook,
  advisoryWarning,
  getAdvisoryFlag,
  handOverAdvisory,
  marketContextFrom,
  readSelfReport,
  type SelfReport,
  shouldUseAdvisory,
} from '../../../packages/presets/src/advisory/advisory-flags.ts'
import {
  advisoryFactors,
  calculateConfidence,
  retrievalQuality,
  sourceQuality,
} from '../../../packages/presets/src/advisory/advisory-factors.ts'
import { answerSignalsOf } from '../../fixtures/answer.ts'
import { aCurve, signalsOf } from '../../fixtures/evidence.ts'

describe('document 003', () => {
  it("gives the flags and usage of the specification's four examples", () => {
    expect([0.5, 0.85, 0.9, 0.7, 0.69, 0.49, NaN].map(getAdvisoryFlag)).toEqual([
      'LOW_CONFIDENCE',
      'MEDIUM_CONFIDENCE',
      'HIGH_CONFIDENCE',
      'MEDIUM_CONFIDENCE',
      'LOW_CONFIDENCE',
      'VERY_LOW_CONFIDENCE',
      'VERY_LOW_CONFIDENCE',
    ])
    expect(ADVISORY_USAGE).toEqual({
      HIGH_CONFIDENCE: 'Use directly, cite sources',
      MEDIUM_CONFIDENCE: 'Use with caution, verify',
      LOW_CONFIDENCE: 'Advisory only, verify required',
      VERY_LOW_CONFIDENCE: 'Do not use, flag for review',
    })
  })

  it.each([NaN, Infinity, -Infinity])('does not trust a confidence of %d', (confidence) => {
    expect(getAdvisoryFlag(confidence)).toBe('VERY_LOW_CONFIDENCE')
    expect(shouldUseAdvisory(confidence)).toBe(false)
    expect(advisoryWarning(confidence)).toBe('[RAG Adapter] Low confidence (unknown < 0.7). Advisory-only.')
    expect(advisoryBadge(confidence).text).toBe('⚠ Low Confidence - Verify Required')
    expect(advisoryBanner(confidence)?.text).toContain('Confidence: 0%.')
    expect(handOverAdvisory({ confidence, summary: 's' }).event?.payload.confidence).toBe(0)
  })

  it('warns with two decimals below the threshold', () => {
    expect(advisoryWarning(0.5)).toBe('[RAG Adapter] Low confidence (0.50 < 0.7). Advisory-only.')
    expect(advisoryWarning(0.7)).toBeUndefined()
    // Rounded, they would read like the threshold itself.
    expect(advisoryWarning(0.698)).toContain('(0.69 < 0.7)')
    expect(advisoryBanner(0.699)?.text).toContain('Confidence: 69%.')
    expect(advisoryBanner(0.58)?.text).toContain('Confidence: 58%.')
    expect(advisoryWarning(undefined)).toBe('[RAG Adapter] Low confidence (unknown < 0.7). Advisory-only.')
  })

  it('passes on a weak advisory with its flag and the event to record', () => {
    const weak = { confidence: 0.69, summary: 's' }
    expect(handOverAdvisory(weak)).toEqual({
      ragAdvisory: weak,
      ragAdvisoryFlag: 'LOW_CONFIDENCE',
      event: {
        eventType: 'RAG_ADVISORY_LOW_CONFIDENCE',
        payload: { confidence: 0.69, threshold: 0.7, summary: 's' },
      },
    })
    const strong = { confidence: 0.7, summary: 's' }
    expect(handOverAdvisory(strong)).toEqual({ ragAdvisory: strong })
  })

  it('passes market context to a decision only from the threshold on', () => {
    expect(marketContextFrom({ confidence: 0.7, market_context: 'm' })).toEqual({ marketInfo: 'm' })
    expect(marketContextFrom({ confidence: 0.7 })).toStrictEqual({})
    expect(marketContextFrom({ confidence: 0.69, market_context: 'm' })).toEqual({
      warning: '[Decision Engine] RAG advisory has low confidence, using engine-only logic',
    })
  })

  it("shows the document's badge and banner below the thresholds", () => {
    const badge = (text: string, backgroundColor: string, color: string) => ({
      text,
      style: { padding: '4px 8px', borderRadius: 4, fontSize: 11, backgroundColor, color },
    })
    expect(advisoryBadge(0.7)).toEqual(badge('✓ High Confidence', '#E8F5E9', '#2E7D32'))
    expect(advisoryBadge(0.69)).toEqual(badge('⚠ Medium Confidence', '#FFF3E0', '#E65100'))
    expect(advisoryBadge(0.5)).toEqual(advisoryBadge(0.69))
    expect(advisoryBadge(0.49)).toEqual(badge('⚠ Low Confidence - Verify Required', '#FFEBEE', '#C62828'))
    expect([0.7, 0.5, 0.49, Infinity].map(advisoryLook)).toEqual(['success', 'warning', 'danger', 'danger'])
    expect(advisoryBanner(0.7)).toBeUndefined()
    expect(advisoryBanner(0.69)?.style).toEqual({
      padding: '8px 12px',
      backgroundColor: '#FFF3E0',
      border: '1px solid #FFC107',
      borderRadius: 6,
      fontSize: 12,
      color: '#856404',
      marginTop: 8,
    })
    expect(advisoryBanner(0.69)?.text).toBe(
      '⚠️ Advisory only — Confidence: 69%. Verify information with primary sources.',
    )
  })

  it.each<[unknown, SelfReport]>([
    ['{"summary":"s","confidence":null}', { summary: 's', fault: 'confidence_missing' }],
    ['{"summary":7,"confidence":0.5}', { confidence: 0.5 }],
    ['{"confidence":1.5}', { confidence: 1 }],
    ['{"confidence":-1}', { confidence: 0 }],
    ['{"confidence":1e999}', { fault: 'confidence_invalid' }],
    ['Here it is: {"summary":"s","confidence":0.5}. Good luck!', { summary: 's', confidence: 0.5 }],
    ['no object', { fault: 'no_json' }],
    ['} {', { fault: 'no_json' }],
    ['{broken}', { fault: 'no_json' }],
    ['{', { fault: 'no_json' }],
    [undefined, { fault: 'no_json' }],
    [{ confidence: 0.5 }, { fault: 'no_json' }],
  ])('parses a reply of %j', (reply, expected) => {
    expect(readSelfReport(reply)).toEqual(expected)
  })

  it('distinguishes a missing confidence from 0 and from text', () => {
    expect(readSelfReport('{"summary":"s"}')).toEqual({ summary: 's', fault: 'confidence_missing' })
    expect(readSelfReport('Sure: {"confidence":0}')).toEqual({ confidence: 0 })
    expect(readSelfReport('{"confidence":"high"}')).toEqual({ fault: 'confidence_invalid' })
  })
})

describe('the factors', () => {
  const quality = (cosine: number) => retrievalQuality(signalsOf({ curves: { cosine: aCurve(cosine) } }))

  it('of retrieval rise with the cosine within the bounds of the document', () => {
    expect([0, 0.5, 0.7, 1].map((cosine) => Math.round(quality(cosine) * 1e9) / 1e9)).toEqual([0.1, 0.2, 0.3, 0.4])
    // Halfway between two bounds is halfway between what they give.
    expect([0.25, 0.6, 0.85].map((cosine) => Math.round(quality(cosine) * 1e9) / 1e9)).toEqual([0.15, 0.25, 0.35])
    const rising = Array.from({ length: 101 }, (_, at) => quality(at / 100))
    expect(rising).toEqual([...rising].sort((a, b) => a - b))
    expect(retrievalQuality(signalsOf({ chunkCount: 0 }))).toBe(0)
    expect([quality(NaN), quality(Infinity), quality(-Infinity)]).toEqual([NaN, NaN, NaN])
  })

  it('of sources are the mean over the cited sources', () => {
    expect(sourceQuality([])).toBe(0)
    expect(sourceQuality(['government', 'third-party'])).toBeCloseTo(0.2, 12)
    expect(sourceQuality(['regulatory', 'market-data', 'unknown'])).toBeCloseTo(0.15, 12)
  })

  it.each([
    [
      'a cross-encoder before anything else',
      { 'cross-encoder': aCurve(0.5), grade: aCurve(3), cosine: aCurve(1) },
      0.2,
    ],
    ['grades before cosine, divided by 3', { grade: aCurve(1.5), cosine: aCurve(1) }, 0.2],
    ['cosine before BM25', { cosine: aCurve(0.25) }, 0.15],
    ['BM25 divided by its maximum of 2.2', {}, 0.2],
    ['1 for a score above 1', { cosine: aCurve(1.00001) }, 0.4],
    ['0 for a score below 0', { cosine: aCurve(-1) }, 0.1],
  ])('of retrieval use %s', (_, curves, expected) => {
    expect(retrievalQuality(signalsOf({ curves, topBm25: 1.1 }))).toBeCloseTo(expected, 12)
  })

  it('are added within 0..1 without the rounding error of tenths', () => {
    expect(calculateConfidence(0.4, 0.2, 0.1)).toBe(0.7)
    expect([calculateConfidence(0.9, 0.9, 0.9), calculateConfidence(-1, 0, 0)]).toEqual([1, 0])
  })

  it('of an answer are 0 before there is one, and NaN when its fields were not looked for', () => {
    const fields = { requiredFields: ['a'], optionalFields: [] }
    const signals = signalsOf({ curves: { cosine: aCurve(1) } })
    expect(advisoryFactors(fields, signals)).toEqual({
      retrievalQuality: 0.4,
      sourceQuality: 0,
      responseQuality: 0,
      confidence: 0.4,
    })
    const structure = { valid: true, lookedFor: ['a'], missing: [] }
    const answer = answerSignalsOf({ citedSources: ['government'], structure })
    expect(advisoryFactors(fields, signals, answer)).toEqual({
      retrievalQuality: 0.4,
      sourceQuality: 0.3,
      responseQuality: 0.3,
      confidence: 1,
    })
    expect(advisoryFactors(fields, signals, answerSignalsOf()).responseQuality).toBe(0)
    const unlooked = answerSignalsOf({ structure: { ...structure, lookedFor: [] } })
    expect(advisoryFactors(fields, signals, unlooked).confidence).toBeNaN()
  })
})
