import { answerJudge } from '../../src/middleware/answer-judge.ts'
import { describe, expect, test } from 'vitest'
import { balanced } from '../../src/presets/balanced/balanced.ts'
import { multiGate } from '../../packages/presets/src/multi-gate/index.ts'
import { aGate, bodyOf, QUESTION } from '../fixtures/gate.ts'

describe('the body member `stream`', () => {
  test('is left to the handler, and not part of the answer key', async () => {
    const seen: unknown[] = []
    const { ask, journal } = aGate({
      handler: async (c) => {
        seen.push(((await c.req.json()) as { stream?: boolean }).stream)
        return c.json({ answer: 'Turn the red key.' })
      },
    })
    for (const more of [{ stream: true }, { stream: false }, {}]) await ask({ question: QUESTION, ...more })
    expect(seen).toEqual([true])
    expect(journal.events.map(({ cache }) => cache)).toEqual(['miss', 'hit', 'hit'])
  })

  test.each(['yes', 1, null, []])('is rejected as %j', async (stream) => {
    const response = await aGate().ask({ question: QUESTION, stream })
    expect([response.status, await bodyOf(response)]).toMatchObject([422, { error: { code: 'stream_type' } }])
  })
})

test('a handler can read whether its answer is judged before it is sent', async () => {
  for (const [policy, isJudged] of [
    [balanced(), false],
    [multiGate(), true],
  ] as const) {
    const { ask, journal } = aGate({
      policy,
      mode: 'observe',
      answer: { judge: answerJudge({ generationConfidence: 'reported' }) },
    })
    await ask()
    expect(journal.handled.map(({ answerIsJudged }) => answerIsJudged)).toEqual([isJudged])
  }
})
