/** Document 003, advisory answers: its examples, asked of a route behind `ragGate` and of the exported makers. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { RagGateOptions } from '../../src/index.ts'
import {
  ADVISORY_USAGE,
  advisory,
  advisoryBadge,
  advisoryBanner,
  advisoryWarning,
  calculateConfidence,
  getAdvisoryFlag,
  handOverAdvisory,
  marketContextFrom,
  readSelfReport,
} from '../../packages/presets/src/advisory/index.ts'
import { retrievalQuality, sourceQuality } from '../../packages/presets/src/advisory/advisory-factors.ts'
import { aPassage, signalsOf } from '../fixtures/evidence.ts'
import { aGate, asOperator, bodyOf, type HandlerContext, STRONG } from '../fixtures/gate.ts'
import { asked, ranked, type Told, toldOperator } from './a-route.ts'

beforeEach(() => void vi.spyOn(console, 'warn').mockImplementation(() => undefined))
afterEach(() => vi.restoreAllMocks())

const FIELDS = { requiredFields: ['answer'], optionalFields: ['market_context'] }

/** What a route makes of a relevance, a kind of source and a model's reply. */
async function routed(relevance: number, source: string | undefined, reply: (c: HandlerContext) => Response) {
  const warnings: Parameters<NonNullable<RagGateOptions['onWarning']>>[0][] = []
  const metadata = source === undefined ? {} : { metadata: { source_kind: source } }
  const route = aGate({
    policy: advisory(FIELDS),
    finds: () => [
      { kind: 'cosine', entries: [{ passage: aPassage('a', { text: STRONG, ...metadata }), score: relevance }] },
    ],
    dependencies: { authenticate: asOperator },
    handler: (c) => {
      c.var.ragGate.report({ citedChunkIds: ['a'] })
      return reply(c)
    },
    onWarning: (warning) => void warnings.push(warning),
  })
  const response = await route.ask()
  return { response, warnings, decision: route.journal.events[0]!.decision }
}

const complete = (c: HandlerContext): Response => c.json({ answer: 'Prices rose.', market_context: 'rising' })
const withoutOptional = (c: HandlerContext): Response => c.json({ answer: 'Prices rose.' })
const withoutRequired = (c: HandlerContext): Response => c.json({ market_context: 'rising' })
const noJson = (c: HandlerContext): Response => c.text('Prices rose.')
const brokenJson = (c: HandlerContext): Response => {
  c.var.ragGate.report({ citedChunkIds: ['a'], structured: '{"answer": "Prices rose."' })
  return c.text('Prices rose.')
}

describe('the confidence', () => {
  it.each([
    ['everything at its best', 1, 'government', complete, 0.4 + 0.3 + 0.3],
    ['a regulator', 1, 'regulatory', complete, 0.4 + 0.25 + 0.3],
    ['market data', 1, 'market-data', complete, 0.4 + 0.2 + 0.3],
    ['a third party', 1, 'third-party', complete, 0.4 + 0.1 + 0.3],
    ['optional fields missing', 1, 'government', withoutOptional, 0.4 + 0.3 + 0.2],
    ['required fields missing', 1, 'government', withoutRequired, 0.4 + 0.3 + 0.1],
    ['no JSON', 1, 'government', noJson, 0.4 + 0.3 + 0],
    ['a high relevance', 0.7, 'government', complete, 0.3 + 0.3 + 0.3],
    ['broken JSON', 1, 'government', brokenJson, 0.4 + 0.3 + 0],
    ['a source of no kind', 1, undefined, complete, 0.4 + 0 + 0.3],
    ['a relevance a little lower', 0.99, undefined, complete, 0.4 - 0.001 / 0.3 + 0.3],
    ['a medium relevance', 0.5, 'government', complete, 0.2 + 0.3 + 0.3],
    ['a relevance half way to high', 0.6, 'government', complete, 0.25 + 0.3 + 0.3],
    ['a low relevance', 0.25, 'government', complete, 0.15 + 0.3 + 0.3],
    ['none', 0, 'government', complete, 0.1 + 0.3 + 0.3],
  ] as const)(
    'adds its three factors, and passes from .7: %s (R111, R112, R113, R114, R115)',
    async (_, relevance, source, reply, expected) => {
      const { decision } = await routed(relevance, source, reply)
      expect(decision.confidence).toBeCloseTo(expected, 12)
      expect(decision.verdict).toBe(expected >= 0.7 ? 'pass' : 'advise')
    },
  )

  it('is clipped to 0..1, without binary rounding errors at the threshold (R114)', () => {
    expect([
      calculateConfidence(0.4, 0.2, 0.1),
      calculateConfidence(1, 0.3, 0.3),
      calculateConfidence(-1, 0, 0),
    ]).toEqual([0.7, 1, 0])
  })

  it('uses the mean quality of the cited sources, or 0 without any (R112)', () => {
    expect(sourceQuality(['government', 'third-party'])).toBeCloseTo(0.2, 12)
    expect(sourceQuality([])).toBe(0)
  })

  it('has a level, and its answer is passed on at each level (R110, R115, R116, R121)', async () => {
    const seen = await Promise.all(
      (
        [
          [1, 'government', complete],
          [0.5, 'government', complete],
          [0.3, 'third-party', complete],
          [0.1, undefined, noJson],
        ] as const
      ).map(async ([relevance, source, reply]) => {
        const { decision, response } = await routed(relevance, source, reply)
        return [
          getAdvisoryFlag(decision.confidence),
          decision.verdict,
          response.status,
          (await response.text()).length > 0,
        ]
      }),
    )
    expect(seen).toEqual([
      ['HIGH_CONFIDENCE', 'pass', 200, true],
      ['MEDIUM_CONFIDENCE', 'pass', 200, true],
      ['LOW_CONFIDENCE', 'advise', 200, true],
      ['VERY_LOW_CONFIDENCE', 'advise', 200, true],
    ])
    expect(Object.values(ADVISORY_USAGE)).toEqual([
      'Use directly, cite sources',
      'Use with caution, verify',
      'Advisory only, verify required',
      'Do not use, flag for review',
    ])
  })

  it('without evidence is 0, and the question is refused (R111)', async () => {
    expect(await toldOperator({ policy: advisory(), finds: [] })).toMatchObject({
      refused: true,
      reason_code: 'no_evidence',
      detail: { confidence: 0 },
    })
    expect(retrievalQuality(signalsOf({ chunkCount: 0 }))).toBe(0)
  })

  it('gives no points for plain text, without a refusal (R113)', async () => {
    const response = await aGate({ policy: advisory(), handler: (c) => c.text('Turn the red key.') }).ask()
    expect(response.status).toBe(200)
    expect(response.headers.get('rag-gate')).toMatch(/^advise;/)
    expect(await response.text()).toContain('Turn the red key.')
  })
})

it.each([
  [0.9, 'HIGH_CONFIDENCE'],
  [0.8999, 'MEDIUM_CONFIDENCE'],
  [0.7, 'MEDIUM_CONFIDENCE'],
  [0.6999, 'LOW_CONFIDENCE'],
  [0.5, 'LOW_CONFIDENCE'],
  [0.4999, 'VERY_LOW_CONFIDENCE'],
] as const)('the level of %d is %s (R115, R116, R119)', (confidence, level) => {
  expect(getAdvisoryFlag(confidence)).toBe(level)
})

describe('the two tests that the document prints (R125)', () => {
  it('should flag low confidence responses', () => expect(getAdvisoryFlag(0.5)).toBe('LOW_CONFIDENCE'))
  it('should allow high confidence responses', () => expect(getAdvisoryFlag(0.85)).toBe('MEDIUM_CONFIDENCE'))
})

describe('a weak advisory', () => {
  it("causes a warning in the document's words, with two decimals (R118)", async () => {
    const { warnings, decision } = await routed(0.5, undefined, complete)
    expect(decision.confidence).toBeCloseTo(0.5, 12)
    expect(warnings.map(({ message }) => message)).toEqual([
      '[RAG Adapter] Low confidence (0.50 < 0.7). Advisory-only.',
    ])
    expect(advisoryWarning(0.5)).toBe(warnings[0]!.message)
    expect((await routed(1, 'government', complete)).warnings).toEqual([])
    const onWarning = vi.fn<() => void>()
    await asked({ policy: advisory(), finds: [], onWarning })
    expect(onWarning).not.toHaveBeenCalled()
  })

  it('is passed on with flag and event, without its market context (R119, R120, R121, R122)', () => {
    const weak = { confidence: 0.5, summary: 'Prices may rise.', market_context: 'rising' }
    expect(handOverAdvisory(weak)).toEqual({
      ragAdvisory: weak,
      ragAdvisoryFlag: 'LOW_CONFIDENCE',
      event: {
        eventType: 'RAG_ADVISORY_LOW_CONFIDENCE',
        payload: { confidence: 0.5, threshold: 0.7, summary: 'Prices may rise.' },
      },
    })
    expect(marketContextFrom(weak)).toEqual({
      warning: '[Decision Engine] RAG advisory has low confidence, using engine-only logic',
    })
    const strong = { ...weak, confidence: 0.7 }
    expect(handOverAdvisory(strong)).toEqual({ ragAdvisory: strong })
    expect(marketContextFrom(strong)).toEqual({ marketInfo: 'rising' })
  })

  it.each([
    ['{"confidence": 0}', { confidence: 0 }],
    ['{"confidence": 1.7, "summary": "s"}', { confidence: 1, summary: 's' }],
    ['{"confidence": -0.5}', { confidence: 0 }],
    ['My answer: {"confidence": 0.8}. Bye.', { confidence: 0.8 }],
    ['{"confidence": "0.8"}', { fault: 'confidence_invalid' }],
    ['{"summary": "s"}', { summary: 's', fault: 'confidence_missing' }],
    ['none', { fault: 'no_json' }],
  ])("parses a model's own confidence: %s (R117)", (reply, read) => expect(readSelfReport(reply)).toEqual(read))
})

describe('badge and banner', () => {
  it.each([
    [0.7, '✓ High Confidence', '#E8F5E9', '#2E7D32'],
    [0.5, '⚠ Medium Confidence', '#FFF3E0', '#E65100'],
    [0.49, '⚠ Low Confidence - Verify Required', '#FFEBEE', '#C62828'],
  ])("for %d have the document's words and colours (R123, R124)", (confidence, text, backgroundColor, color) => {
    expect(advisoryBadge(confidence)).toEqual({
      text,
      style: { padding: '4px 8px', borderRadius: 4, fontSize: 11, backgroundColor, color },
    })
    const banner = advisoryBanner(confidence)
    if (confidence >= 0.7) expect(banner).toBeUndefined()
    else
      expect(banner).toEqual({
        text: `⚠️ Advisory only — Confidence: ${(confidence * 100).toFixed(0)}%. Verify information with primary sources.`,
        style: {
          padding: '8px 12px',
          backgroundColor: '#FFF3E0',
          border: '1px solid #FFC107',
          borderRadius: 6,
          fontSize: 12,
          color: '#856404',
          marginTop: 8,
        },
      })
  })

  it.each([
    [0.699, 69],
    [0.58, 58],
    [0, 0],
  ])('for %d the banner shows %d %% (R124)', (confidence, percent) => {
    expect(advisoryBanner(confidence)?.text).toContain(`Confidence: ${percent}%.`)
  })

  const HALF = '⚠️ Advisory only — Confidence: 50%. Verify information with primary sources.'
  const FOR_PUBLIC = '⚠️ Advisory only. Verify information with primary sources.'
  it.each([
    [[0.5], 'low', 'Advisory only', 'warning', '⚠ Medium Confidence', HALF, FOR_PUBLIC],
    [[1], 'medium', 'The evidence supports an answer', 'success', '✓ High Confidence', undefined, undefined],
    [
      [0.1],
      'very-low',
      'Advisory only: do not use',
      'danger',
      '⚠ Low Confidence - Verify Required',
      HALF.replace('50', '42'),
      FOR_PUBLIC,
    ],
  ] as const)('are in the response of a route (R110, R116, R123, R124): %j', async (...example) => {
    const [cosines, band, reason, look, text, banner, forPublic] = example
    const given = { policy: advisory(), finds: () => ranked('cosine', cosines) }
    const operator: Told = await toldOperator(given)
    const everybody = await asked(given)
    expect(operator).toMatchObject({ band, detail: { reason }, badge: { look, text } })
    expect(everybody).toMatchObject({ badge: { look, text } })
    expect(operator['banner']).toBe(banner)
    expect(everybody['banner']).toBe(forPublic)
    // Below .5 it is not to be used.
    expect(everybody['usable']).toBe(look === 'danger' ? false : undefined)
  })

  it('are empty for an answer that was not judged', async () => {
    const { ask, journal } = aGate({ policy: advisory(), finds: () => ranked('cosine', [0.5]) })
    await bodyOf(await ask())
    expect(journal.handled[0]?.summary).not.toHaveProperty('badge')
  })
})
