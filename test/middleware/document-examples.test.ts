/** Examples of the reference documents, asked of a route. */
import { describe, expect, it } from 'vitest'
import type { Ranking } from '../../src/core/evidence/chunk.ts'
import { multiPartNeedsChunks, refuseTopics } from '../../src/core/policy/rules.ts'
import { advisory } from '../../src/presets/advisory/advisory.ts'
import { sufficiency } from '../../src/presets/sufficiency/sufficiency.ts'
import { weightedSignals } from '../../src/presets/weighted-signals/weighted-signals.ts'
import { twoTier } from '../../src/presets/two-tier/two-tier.ts'
import { aPassage } from '../fixtures/evidence.ts'
import { aGate, type AnswerBody, bodyOf, QUESTION, STRONG } from '../fixtures/gate.ts'

const ranked = (kind: Ranking['kind'], scores: readonly number[], documentId?: string): readonly Ranking[] => [
  {
    kind,
    entries: scores.map((score, at) => ({
      passage: aPassage(`chunk-${at}`, { text: STRONG, ...(documentId === undefined ? {} : { documentId }) }),
      score,
    })),
  },
]

const asked = async (options: Parameters<typeof aGate>[0], question = QUESTION): Promise<AnswerBody> =>
  bodyOf(await aGate(options).ask({ question }))

describe('document 000', () => {
  it('refuses .06 beside .055 also where both passages are of one document (R012)', async () => {
    const finds = () => ranked('bm25', [0.06, 0.055], 'handbook')
    expect(await asked({ policy: twoTier(), finds })).toMatchObject({ refused: true, reason_code: 'no_clear_winner' })
    const skipping = twoTier({ ratioWithinDocument: 'skipped' })
    expect(await asked({ policy: skipping, finds })).toMatchObject({ verdict: 'pass' })
  })

  it('judges an index that gives ranks alone (R004)', async () => {
    expect(await asked({ policy: twoTier(), finds: () => ranked('rrf', [2 / 61, 2 / 62]) })).toMatchObject({
      verdict: 'pass',
    })
    expect(await asked({ policy: twoTier(), finds: () => ranked('rrf', [0.001]) })).toMatchObject({
      reason_code: 'score_low',
    })
  })

  it('tells everybody what a rule says (R038, R039)', async () => {
    expect(await asked({ rules: [refuseTopics(['weather'])] }, 'How is the weather in the engine?')).toMatchObject({
      refused: true,
      reason_code: 'rule_refused',
      answer: 'Questions about weather not supported',
      refusal_reason: 'Questions about weather not supported',
    })
    const two = 'How does the engine start and who paints the blue door?'
    expect(await asked({ policy: twoTier(), rules: [multiPartNeedsChunks()] }, two)).toMatchObject({
      answer: 'Multi-part question requires more evidence',
    })
  })
})

describe('document 001', () => {
  it('warns before the first citation where the retrieval is flagged (R061), and floors what it shows (R084)', async () => {
    const finds = () => ranked('cross-encoder', [0.95, 0.4])
    const body = (await asked({
      policy: weightedSignals({ low: 0 }),
      finds,
      dependencies: { audience: 'operator' },
    })) as AnswerBody & { citations: string[]; detail: { explanation: { glance: { overall_confidence: number } } } }
    expect(body.verdict).toBe('advise')
    expect(body.citations[0]).toMatch(/^⚠️ (?:VERY )?LOW - /)
    expect(body.citations[1]).toMatch(/^\[1\] /)
    expect(body.citations).toHaveLength(3)
    const shown = body.detail.explanation.glance.overall_confidence
    expect(shown).toBeLessThanOrEqual(body.detail.confidence + 1e-9)
    expect(body.detail.confidence - shown).toBeLessThan(0.001)
    const forEverybody = (await asked({ policy: weightedSignals({ low: 0 }), finds })) as unknown as typeof body
    expect(forEverybody.citations).toHaveLength(1)
  })
})

describe('badges', () => {
  it.each([
    [0.95, '🟡 Medium', ' - Review Recommended'],
    [0.4, '🔴 Low', ' - Expert Review Required'],
  ])('of weighted signals have a figure for operators alone (R071): %d', async (score, before, after) => {
    const finds = () => ranked('cross-encoder', [score, score / 3])
    const judged = { policy: weightedSignals({ renormalise: true }), finds }
    const operator = await asked({ ...judged, dependencies: { audience: 'operator' } })
    const shown = `${Math.floor(operator.detail!.confidence * 100 + 1e-7) / 100}`
    const { text } = (operator as unknown as { badge: { text: string } }).badge
    expect(text).toMatch(new RegExp(`^${before} Confidence \\(0\\.\\d\\d\\)${after}$`, 'u'))
    expect(text).toContain(shown)
    expect(await asked(judged)).toMatchObject({ badge: { text: `${before} Confidence${after}` } })
  })

  const HALF = '⚠️ Advisory only — Confidence: 50%. Verify information with primary sources.'
  it.each([
    [[0.5], 'warning', '⚠ Medium Confidence', HALF, '⚠️ Advisory only. Verify information with primary sources.'],
    [[1], 'success', '✓ High Confidence', undefined, undefined],
  ] as const)(
    'of an advisory answer stand with its banner (R123, R124): %j',
    async (cosines, look, text, banner, forPublic) => {
      const given = { policy: advisory(), finds: () => ranked('cosine', cosines) }
      const operator = await asked({ ...given, dependencies: { audience: 'operator' } })
      const everybody = await asked(given)
      expect(operator).toMatchObject({ badge: { look, text } })
      expect(everybody).toMatchObject({ badge: { look, text } })
      expect((operator as { banner?: string }).banner).toBe(banner)
      expect((everybody as { banner?: string }).banner).toBe(forPublic)
    },
  )

  it('say nothing of an advisory answer that was not judged', async () => {
    const { ask, journal } = aGate({ policy: advisory(), finds: () => ranked('cosine', [0.5]) })
    await ask()
    expect(journal.handled[0]?.summary).not.toHaveProperty('badge')
  })
})

describe('document 003', () => {
  it('gives no points for plain text, and goes on (R113)', async () => {
    const response = await aGate({ policy: advisory(), handler: (c) => c.text('Turn the red key.') }).ask()
    expect(response.status).toBe(200)
    expect(response.headers.get('rag-gate')).toMatch(/^advise;/)
    expect(await response.text()).toContain('Turn the red key.')
  })
})

describe('document 004', () => {
  it('passes shares of .35 and .65 for an answer of one word (R143)', async () => {
    const handler: NonNullable<Parameters<typeof aGate>[0]>['handler'] = (c) => {
      const [a, b] = c.var.ragGate.evidence.chunks
      c.var.ragGate.report({
        attribution: {
          shares: [
            { chunkId: a!.id, share: 0.35 },
            { chunkId: b!.id, share: 0.65 },
          ],
        },
      })
      return c.json({ answer: 'Answer.' })
    }
    const { ask, journal } = aGate({ policy: sufficiency(), finds: [STRONG, 'Paint is blue.'], handler })
    expect(await bodyOf(await ask())).toMatchObject({ answer: 'Answer.' })
    expect(journal.events[0]?.decision).toMatchObject({ verdict: 'pass' })
    expect(journal.events[0]?.decision.findings.find(({ gate }) => gate === 'evidence-share')).toMatchObject({
      actual: 0.65,
      threshold: 0.5,
    })
  })
})
