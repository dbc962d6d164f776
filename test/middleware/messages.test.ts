import { describe, expect, it } from 'vitest'
import type { RagGateOptions } from '../../src/middleware/options.ts'
import { ragGate } from '../../src/middleware/rag-gate.ts'
import { twoTier } from '../../packages/presets/src/two-tier/index.ts'
import { aGate, POLICY } from '../fixtures/gate.ts'
import { quietErrors } from '../fixtures/quiet-console.ts'

quietErrors()

const OWN = { answer: 'Dazu steht hier nichts.' }

describe('the option messages', () => {
  const make = (options: Partial<RagGateOptions>): unknown =>
    ragGate({ policy: POLICY, dependencies: () => ({}) as never, ...options })

  it("replaces the policy's texts for codes of its gates, the engine and the rules", async () => {
    const { ask } = aGate({ messages: { no_evidence: OWN, rule_refused: OWN, confidence_low: OWN }, finds: [] })
    expect(await (await ask()).json()).toMatchObject({
      answer: OWN.answer,
      refusal_reason: 'No relevant information found in documents',
    })
  })

  it.each([
    ['no_evidnce', undefined],
    ['relevance_low', undefined],
    ['confidence_low', twoTier()],
    ['toString', undefined],
  ])('is rejected for %s, a code that the policy never gives', (code, policy) => {
    expect(() => make({ messages: { [code]: OWN }, ...(policy && { policy }) })).toThrow(
      expect.objectContaining({
        code: 'config_invalid',
        param: `messages.${code}`,
        message: expect.stringContaining('known are passed, '),
      }),
    )
  })

  it.each([
    [[], 'messages'],
    ['Nichts.', 'messages'],
    [null, 'messages'],
    [{ no_evidence: 'Nichts.' }, 'messages.no_evidence'],
    [{ no_evidence: { text: 'Nichts.' } }, 'messages.no_evidence.text'],
    [{ no_evidence: { answer: 1 } }, 'messages.no_evidence.answer'],
    [{ no_evidence: { suggestions: 'Nichts.' } }, 'messages.no_evidence.suggestions'],
  ])('is rejected when it contains invalid texts: %j', (messages, param) => {
    expect(() => make({ messages: messages as never })).toThrow(
      expect.objectContaining({ code: 'config_invalid', param }),
    )
  })

  it.each([{ no_evidence: { answer: undefined } }, () => ({ answer: undefined })])(
    "keeps the policy's texts when its own are undefined: %j",
    async (messages) => {
      const { ask } = aGate({ messages: messages as never, finds: [] })
      expect(await (await ask()).json()).toMatchObject({ answer: expect.stringContaining(' ') })
    },
  )

  it.each<[unknown, string]>([
    [() => 'Nichts.', 'messages.no_evidence'],
    [async () => OWN, 'messages.no_evidence'],
    [() => ({ answer: 1 }), 'messages.no_evidence.answer'],
    [Object.assign(() => OWN, { key: () => undefined }), 'messages.key'],
    [Object.assign(() => OWN, { key: async () => 'de' }), 'messages.key'],
  ])('is rejected at the request when its function returns invalid texts: %s', async (messages, param) => {
    const { ask } = aGate({ messages: messages as never, finds: [] })
    expect(await (await ask()).json()).toMatchObject({ error: { code: 'config_invalid', param } })
  })

  it('are those of each caller, also in a stored refusal', async () => {
    const texts: Record<string, string> = { de: 'Dazu steht hier nichts.', fr: 'Rien.' }
    const { ask, journal } = aGate({
      messages: (_code, c) => ({ answer: texts[c.req.header('accept-language') ?? ''] ?? 'Nothing.' }),
      finds: [],
    })
    for (const language of ['de', 'fr', 'de', 'fr']) {
      const response = await ask(undefined, { 'accept-language': language })
      expect(await response.json()).toMatchObject({ answer: texts[language] })
    }
    expect(journal.events.map(({ cache }) => cache)).toEqual(['miss', 'miss', 'hit', 'hit'])
  })

  it('may have codes of only one of several policies', async () => {
    const { ask } = aGate({
      messages: { no_evidence: OWN, similarity_low: OWN },
      policy: () => twoTier(),
      finds: [],
    })
    expect(await (await ask()).json()).toMatchObject({ answer: OWN.answer })
  })
})
