import { defineRule } from '../../src/core/policy/rules.ts'
import { describe, expect, test, vi } from 'vitest'
import { keywordCoverage } from '../../packages/presets/src/multi-gate/keyword-coverage.ts'
import { definePolicy, type Policy } from '../../src/core/policy/policy.ts'
import { answerQuestion } from '../../packages/models/src/answering/answer-question.ts'
import { generateWithEvidence } from '../../packages/models/src/answering/generate-with-evidence.ts'
import { answering, ASKED, SETTINGS, answered } from '../fixtures/answering.ts'
import { aGate, POLICY, QUESTION, STRONG, WEAK } from '../fixtures/gate.ts'

const PAINT = 'Paint is blue and dries slowly in the sun. '.repeat(3).trim()
const bodyOf = async (response: Response): Promise<Record<string, unknown>> =>
  (await response.json()) as Record<string, unknown>

describe('the context for the model', () => {
  test('that no longer contains the support is refused: what was cut is not judged', async () => {
    // The support stands in the second passage, and only the first fits.
    const finds = [PAINT, STRONG]
    const wide = aGate({ finds })
    expect(await bodyOf(await wide.ask())).toMatchObject({ verdict: 'pass' })
    const { ask, journal } = aGate({ finds, context: { maxLength: 200 } })
    expect(await bodyOf(await ask())).toMatchObject({ refused: true, reason_code: 'confidence_low' })
    expect(journal.handled).toEqual([])
    const [{ decision } = { decision: undefined }] = journal.events
    expect(decision).toMatchObject({ verdict: 'refuse', evidenceIds: ['chunk-0'], signals: { chunkCount: 1 } })
    expect(decision?.findings).toContainEqual(
      expect.objectContaining({
        gate: 'context',
        code: 'context_cut',
        outcome: 'skip',
        message: '1 of 2 passages fit into the context',
      }),
    )
  })

  test('passes without chunks that support nothing, which are left out and not measured', async () => {
    const { ask, journal } = aGate({ finds: [STRONG, PAINT, WEAK], context: { maxLength: 200 } })
    expect(await bodyOf(await ask())).toMatchObject({ verdict: 'pass' })
    const [gated] = journal.handled
    expect(gated?.decision).toMatchObject({ signals: { chunkCount: 2 } })
    expect(gated?.evidence.chunks).toHaveLength(2)
    expect(gated?.citations.map(({ number, id }) => [number, id])).toEqual([
      [1, 'chunk-0'],
      [2, 'chunk-1'],
    ])
    expect(gated?.context.chunks[1]?.text).toBe('Paint is blue and dries slowly in the sun.')
  })

  test('that is empty is refused with its own code, without a model call', async () => {
    const { ask, journal } = aGate({ finds: [`The engine starts with ${'a red key '.repeat(99)}`] })
    expect(await bodyOf(await ask())).toMatchObject({ verdict: 'pass' })
    const tight = aGate({
      finds: [`The engine starts with ${'a red key '.repeat(99)}`],
      context: { maxLength: 50, lengthOf: (text: string) => text.split(/\s+/).length },
    })
    expect(await bodyOf(await tight.ask())).toMatchObject({ refused: true, reason_code: 'context_empty', sources: [] })
    expect([journal.handled.length, tight.journal.handled.length]).toEqual([1, 0])
  })

  test('is measured by lengthOf as it will be sent', async () => {
    const counted = vi.fn<(text: string) => number>((text) => text.length / 4)
    const { ask, journal } = aGate({ finds: [STRONG, PAINT], context: { maxLength: 50, lengthOf: counted } })
    await ask()
    const text = journal.handled[0]?.context.text ?? ''
    expect(counted).toHaveBeenCalledWith(text)
    expect(text.length).toBeLessThanOrEqual(200)
  })

  test('has its budget in the answer key', async () => {
    const cache = new Map<string, unknown>()
    for (const maxLength of [1000, 1001]) {
      const { ask, journal } = aGate({ context: { maxLength } })
      await ask()
      cache.set(journal.stored[0]!.key, maxLength)
    }
    expect(cache.size).toBe(2)
  })

  test('is judged by the rules of the application too', async () => {
    const needsTwo = defineRule({
      id: 'two',
      check: ({ evidence }) =>
        evidence.chunks.length < 2 ? { outcome: 'refuse', message: 'One is not enough' } : null,
    })
    const finds = [STRONG, PAINT]
    const { ask } = aGate({ finds, rules: [needsTwo] })
    expect(await bodyOf(await ask())).toMatchObject({ verdict: 'pass' })
    const cut = aGate({ finds, rules: [needsTwo], context: { maxLength: 100 } })
    expect(await bodyOf(await cut.ask())).toMatchObject({ reason_code: 'rule_refused' })
  })
})

describe('an answer without HTTP', () => {
  const policy: Policy = definePolicy({ ...POLICY, gates: [...POLICY.gates, keywordCoverage()] })
  const settings = { ...SETTINGS, policy: () => policy }
  const asked = { ...ASKED, question: QUESTION }

  test('gets the context that was judged', async () => {
    const { ports, generations } = answering({ finds: [STRONG, PAINT], says: { text: STRONG } })
    const { answer } = await answered(ports, { ...settings, context: { maxLength: 200 } }, asked)
    expect(answer.status).toBe('success')
    const [first, second, ...more] = generations[0]?.chunks.map(({ text }) => text) ?? []
    expect([first, more]).toEqual([STRONG, []])
    expect(second).toMatch(/^(?:Paint is blue and dries slowly in the sun\. ?){1,2}$/)
  })

  test('is refused when the budget cuts its support, also with a decision made elsewhere', async () => {
    const { ports, generations } = answering({ finds: [PAINT, STRONG] })
    const { answer } = await answered(ports, { ...settings, context: { maxLength: 200 } }, asked)
    expect(answer.status).toBe('insufficient_evidence')
    const wide = answering({ finds: [PAINT, STRONG], says: { text: STRONG } })
    const { decision, evidence } = await answerQuestion(wide.ports, asked, settings)
    expect(decision.verdict).not.toBe('refuse')
    const task = { question: QUESTION, evidence, decision, policy }
    const made = await generateWithEvidence(ports.generator, task, { context: { maxLength: 200 } })
    expect(made.decision.verdict).toBe('refuse')
    const none = await generateWithEvidence(ports.generator, task, { context: { maxLength: 20 } })
    expect(none.decision.reason).toBe('context_empty')
    expect(generations).toEqual([])
  })
})
