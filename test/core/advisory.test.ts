import { describe, expect, it } from 'vitest'
import {
  ADVISORY_USAGE,
  advisoryBadge,
  advisoryBanner,
  advisoryWarning,
  getAdvisoryFlag,
  handOverAdvisory,
  marketContextFrom,
  readSelfReport,
} from '../../src/core/advisory.ts'
import { retrievalQuality, sourceQuality } from '../../src/core/advisory-factors.ts'
import { aCurve, signalsOf } from '../fixtures/evidence.ts'

describe('document 003', () => {
  it("has the document's own examples, four flags and their usage", () => {
    expect([0.5, 0.85, 0.9, 0.7, 0.69, 0.49, NaN].map(getAdvisoryFlag)).toEqual([
      'LOW_CONFIDENCE',
      'MEDIUM_CONFIDENCE',
      'HIGH_CONFIDENCE',
      'MEDIUM_CONFIDENCE',
      'LOW_CONFIDENCE',
      'VERY_LOW_CONFIDENCE',
      'VERY_LOW_CONFIDENCE',
    ])
    expect(Object.keys(ADVISORY_USAGE)).toHaveLength(4)
  })

  it('warns with two decimals below the threshold', () => {
    expect(advisoryWarning(0.5)).toBe('[RAG Adapter] Low confidence (0.50 < 0.7). Advisory-only.')
    expect(advisoryWarning(0.7)).toBeUndefined()
    expect(advisoryWarning(NaN)).toContain('unknown')
  })

  it('hands a weak advisory over with its flag and the event to record', () => {
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

  it('gives market context to a decision only from the threshold on', () => {
    expect(marketContextFrom({ confidence: 0.7, market_context: 'm' })).toEqual({ marketInfo: 'm' })
    expect(marketContextFrom({ confidence: 0.69, market_context: 'm' })).toEqual({
      warning: '[Decision Engine] RAG advisory has low confidence, using engine-only logic',
    })
  })

  it('shows badge and banner in the sizes of the document', () => {
    expect(advisoryBadge(0.7).style).toMatchObject({ padding: '4px 8px', borderRadius: 4, fontSize: 11 })
    expect(advisoryBanner(0.69)).toMatchObject({
      text: '⚠️ Advisory only — Confidence: 69%. Verify information with primary sources.',
      style: { border: '1px solid #FFC107', color: '#856404' },
    })
    expect(advisoryBadge(NaN).text).toContain('Verify Required')
  })

  it('tells a missing confidence from 0 and from a word', () => {
    expect(readSelfReport('{"summary":"s"}')).toEqual({ summary: 's', fault: 'confidence_missing' })
    expect(readSelfReport('Sure: {"confidence":0}')).toEqual({ confidence: 0 })
    expect(readSelfReport('{"confidence":"high"}')).toEqual({ fault: 'confidence_invalid' })
  })
})

describe('the factors', () => {
  const quality = (cosine: number) => retrievalQuality(signalsOf({ curves: { cosine: aCurve(cosine) } }))

  it('of retrieval rise within the bounds of the document', () => {
    expect([0, 0.5, 0.7, 1].map((cosine) => Math.round(quality(cosine) * 1e9) / 1e9)).toEqual([0.1, 0.2, 0.3, 0.4])
    const rising = Array.from({ length: 101 }, (_, at) => quality(at / 100))
    expect(rising).toEqual([...rising].sort((a, b) => a - b))
    expect(retrievalQuality(signalsOf({ chunkCount: 0 }))).toBe(0)
    expect(quality(NaN)).toBeNaN()
  })

  it('of sources are the mean over those cited', () => {
    expect(sourceQuality([])).toBe(0)
    expect(sourceQuality(['government', 'third-party'])).toBeCloseTo(0.2, 12)
    expect(sourceQuality(['regulatory', 'market-data', 'unknown'])).toBeCloseTo(0.15, 12)
  })
})
