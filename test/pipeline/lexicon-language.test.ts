import { describe, expect, it } from 'vitest'
import { createStaticCollections } from '../../src/adapters/static-collections.ts'
import { confidenceRange } from '../../src/core/gates/confidence-range.ts'
import { logistic } from '../../src/core/policy/logistic.ts'
import { definePolicy } from '../../src/core/policy/policy.ts'
import type { Language } from '../../src/core/text/language.ts'
import { buildLexicon } from '../../src/core/text/lexicon.ts'
import { english } from '../../src/language/english/english.ts'
import { gateQuestion } from '../../src/pipeline/gate-question.ts'
import type { GateWarning } from '../../src/pipeline/question-settings.ts'
import { plainCollection } from '../../src/ports/collections.ts'
import { answering, ASKED, SETTINGS } from '../fixtures/answering.ts'
import { aGate, POLICY, STRONG } from '../fixtures/gate.ts'
import { quietErrors } from '../fixtures/quiet-console.ts'
import type { Signal } from '../../src/core/signals/signal.ts'

quietErrors()

const chunksKnown: Signal<number> = { name: 'chunksKnown', measure: ({ lexicon }) => lexicon.chunkCount }
const TEXTS = [STRONG, 'Paint is blue.', 'Brakes squeal.']

function asking(read: Language | undefined, counted: Language | undefined, texts = TEXTS) {
  const warnings: GateWarning[] = []
  const policy = definePolicy({
    name: 'own',
    confidence: logistic({ intercept: 0, weights: { sentenceCoverage: 1 }, provenance: 'test' }),
    bands: { high: 0.9, medium: 0.8, low: 0.1 },
    gates: [confidenceRange({ refuseBelow: 0, adviseBelow: 0 })],
    records: [chunksKnown],
    ...(read && { language: read }),
  })
  const collections = createStaticCollections([
    { id: 'default', tenant: 'default', lexicon: buildLexicon(texts, counted) },
  ])
  const { ask, journal } = aGate({
    policy,
    dependencies: { collections },
    finds: [STRONG],
    onWarning: (warning) => void warnings.push(warning),
  })
  return { ask, journal, warnings }
}

describe('a collection lexicon', () => {
  it.each([undefined, null, 5, {}, 'english'])(
    'that is not a lexicon causes lexicon_unreadable: %j',
    async (lexicon) => {
      const collections = createStaticCollections([
        { id: 'default', tenant: 'default', lexicon: buildLexicon(TEXTS, english) },
      ])
      // It gives what its type forbids.
      const given = { ...collections, lexicon: async () => lexicon as never }
      const response = await aGate({ dependencies: { collections: given } }).ask()
      expect([response.status, await response.json()]).toMatchObject([
        503,
        { error: { code: 'lexicon_unreadable', message: 'There is no such lexicon' } },
      ])
    },
  )

  it.each([
    ['english', english, english],
    ['no language', undefined, undefined],
  ])('in the language of the policy is used: %s', async (_, read, counted) => {
    const { ask, journal, warnings } = asking(read, counted)
    expect((await ask()).status).toBe(200)
    expect(journal.events[0]?.decision.signals).toHaveProperty('chunksKnown', 3)
    expect(warnings).toEqual([])
  })

  it.each([
    ['of none', english, undefined, /is neutral, the policy english/],
    ['of English', undefined, english, /is english, the policy neutral/],
  ])('%s is not used when the policy has another language, with a warning', async (_, read, counted, message) => {
    const { ask, journal, warnings } = asking(read, counted)
    expect((await ask()).status).toBe(200)
    expect(journal.events[0]?.decision.signals).toHaveProperty('chunksKnown', 0)
    expect(warnings).toEqual([{ code: 'lexicon_language', message: expect.stringMatching(message) }])
  })

  it('without a word needs no warning, whatever its language', async () => {
    const { ask, warnings } = asking(english, undefined, [])
    expect((await ask()).status).toBe(200)
    expect(warnings).toEqual([])
  })

  it('in another language is left out also without onWarning', async () => {
    const { ports } = answering()
    const lexicon = buildLexicon(TEXTS, undefined)
    const find = async (tenant: string, id: string) => plainCollection({ tenant, id, lexiconId: '1' })
    const collections = { find, lexicon: async () => lexicon }
    const policy = definePolicy({ ...POLICY, records: [chunksKnown] })
    const gated = await gateQuestion({ ...ports, collections }, { ...SETTINGS, policy: () => policy }, ASKED)
    expect(gated).toMatchObject({ decision: { signals: { chunksKnown: 0 } } })
  })
})
