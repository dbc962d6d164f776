import { describe, expect, it } from 'vitest'
import { answerWithRetries, type RewriteRequest } from '../../packages/models/src/answering/answer-with-retries.ts'
import { sufficiency } from '../../packages/presets/src/sufficiency/sufficiency.ts'
import { type AnsweringFixture, answering, ASKED, MURDER, SETTINGS } from '../fixtures/answering.ts'

const BETTER = 'What does section 302 say?'
/** Only the better question finds anything. */
const FINDS: AnsweringFixture = {
  finds: (question) => (question === BETTER ? [MURDER] : []),
  says: { text: MURDER },
}

describe('answerWithRetries', () => {
  it('asks again in the rewritten words of a suggestion', async () => {
    const { ports } = answering(FINDS)
    const requests: RewriteRequest[] = []
    const { fault, question, attempts, decision } = await answerWithRetries(ports, ASKED, {
      ...SETTINGS,
      rewrite: (request) => {
        requests.push(request)
        return ` ${BETTER}  `
      },
    })
    expect([fault, decision.verdict, question]).toEqual([undefined, 'pass', BETTER])
    expect(attempts.map((attempt) => [attempt.question, attempt.decision.reason])).toEqual([
      [ASKED.question, 'no_evidence'],
      [BETTER, 'passed'],
    ])
    expect(requests).toEqual([
      {
        question: ASKED.question,
        suggestion: 'Use the words of the documents',
        attempt: 1,
      },
    ])
    expect(new Set(attempts.map((attempt) => attempt.decision.id)).size).toBe(2)
    expect(new Set(attempts.map((attempt) => attempt.decision.policyId)).size).toBe(1)
    expect(decision).toBe(attempts[1]?.decision)
  })

  it('stops after maxRetries or the last suggestion, and returns the refusal', async () => {
    const { ports } = answering(FINDS)
    const suggestions: string[] = []
    const rewrite = ({ suggestion, attempt }: RewriteRequest): string => {
      suggestions.push(suggestion)
      return `Question ${attempt}?`
    }
    const once = await answerWithRetries(ports, ASKED, { ...SETTINGS, rewrite })
    expect([once.attempts.length, once.decision.reason]).toEqual([2, 'no_evidence'])
    // Without evidence there are two suggestions: a third retry has none to follow.
    const thrice = await answerWithRetries(ports, ASKED, { ...SETTINGS, rewrite, maxRetries: 3 })
    expect(thrice.attempts).toHaveLength(3)
    expect(new Set(suggestions).size).toBe(2)
    const never = await answerWithRetries(ports, ASKED, { ...SETTINGS, rewrite, maxRetries: 0 })
    expect(never.attempts).toHaveLength(1)
  })

  it.each([
    ['fails', (): Promise<never> => Promise.reject(new Error('down'))],
    ['returns null', (): null => null],
    ['returns an empty text', (): string => '  '],
    ['returns the same question', (): string => `${ASKED.question} `],
  ] as const)('returns the first refusal when the rewriter %s', async (_, rewrite) => {
    const { ports } = answering(FINDS)
    const { decision, attempts } = await answerWithRetries(ports, ASKED, { ...SETTINGS, rewrite, maxRetries: 3 })
    expect([decision.reason, attempts.length]).toEqual(['no_evidence', 1])
  })

  it('stops when the rewriter repeats an earlier question', async () => {
    const { ports } = answering(FINDS)
    const rewrite = ({ attempt }: RewriteRequest) => (attempt === 1 ? 'What is murder?' : ASKED.question)
    const { attempts } = await answerWithRetries(ports, ASKED, { ...SETTINGS, rewrite, maxRetries: 3 })
    expect(attempts.map(({ question }) => question)).toEqual([ASKED.question, 'What is murder?'])
  })

  it('takes a question alone', async () => {
    const { ports } = answering(FINDS)
    const { generator, retriever } = ports
    const rewrite = ({ question }: RewriteRequest) => (question === 'How?' ? BETTER : null)
    const { attempts } = await answerWithRetries({ generator, retriever }, 'How?', { rewrite })
    expect(attempts.map(({ question }) => question)).toEqual(['How?', BETTER])
  })

  it('does not rewrite after an answer with a caution', async () => {
    const { ports } = answering({ finds: [MURDER], says: { text: MURDER } })
    const policy = () => sufficiency({ dangerouslyDisableGates: true })
    const rewrite = () => BETTER
    const { attempts, decision } = await answerWithRetries(ports, ASKED, { ...SETTINGS, policy, rewrite })
    expect([attempts.length, decision.verdict]).toEqual([1, 'advise'])
  })

  it('does not rewrite after an answer or a failed model call', async () => {
    const rewrite = (): never => {
      throw new Error('there is nothing to rewrite')
    }
    const answered = answering({ finds: [MURDER], says: { text: MURDER } })
    const failed = answering({ finds: [MURDER], says: () => Promise.reject(new Error('down')) })
    const statuses = await Promise.all(
      [answered, failed].map(async ({ ports }) => {
        const { decision, fault, attempts } = await answerWithRetries(ports, ASKED, {
          ...SETTINGS,
          rewrite,
          maxRetries: 3,
        })
        return [fault ?? decision.reason, attempts.length]
      }),
    )
    expect(statuses).toEqual([
      ['passed', 1],
      ['llm_unavailable', 1],
    ])
  })

  it.each([undefined, {}, { rewrite: 'in other words' }])('rejects %j as the rewriter', async (options) => {
    const { ports } = answering()
    await expect(answerWithRetries(ports, ASKED, options as never)).rejects.toMatchObject({
      code: 'config_invalid',
      param: 'rewrite',
    })
  })

  it.each([-1, 4, 0.5, NaN])('rejects %d retries', async (maxRetries) => {
    const { ports } = answering(FINDS)
    await expect(
      answerWithRetries(ports, ASKED, { ...SETTINGS, rewrite: () => null, maxRetries }),
    ).rejects.toMatchObject({
      code: 'config_invalid',
    })
  })
})
