/** `GATE_MODE=observe`: a deployment that is tried out before it refuses anybody. */
import { env } from 'cloudflare:workers'
import { beforeAll, expect, it } from 'vitest'
import { HANDBOOK, OFF_TOPIC } from '../../fixtures/corpus.ts'
import { ADMIN, workerOver } from '../../worker-requests.ts'

const { post, send } = workerOver({ ...env, GATE_MODE: 'observe', STORE_QUESTIONS_DAYS: '30' })

beforeAll(async () => {
  await post('/v1/documents', { documents: HANDBOOK }, ADMIN)
})

it.each([
  ['/ask', { question: OFF_TOPIC }],
  ['/v1/chat/completions', { model: 'search', messages: [{ role: 'user', content: OFF_TOPIC }] }],
])('%s answers a question that would be refused, and reports the verdict', async (path, body) => {
  const reply = await post(path, body)
  expect(reply.headers.get('rag-gate')).toMatch(/^refuse;.*mode=observe/)
  const told = await reply.json<{ rag_gate?: object }>()
  expect(told.rag_gate ?? told).toMatchObject({ refused: false, verdict: 'refuse', answered_by: 'search' })
})

it('observed refusals are counted separately, and agents still get no weak passages', async () => {
  const found = await post('/v1/tools/search', { query: OFF_TOPIC })
  expect(await found.json()).toMatchObject({ data: [], metadata: { refused: true } })
  const stats = await send('/v1/stats', { headers: ADMIN })
  expect(await stats.json()).toMatchObject({ by_mode: { observe: 2, enforce: 1 } })
})

it("a user's rating is of the answer that was sent, a reviewer's of the verdict", async () => {
  const answer = (await post('/ask', { question: OFF_TOPIC })).headers.get('rag-gate-feedback') ?? ''
  const read = async (path: string) => (await send(path, { headers: ADMIN })).json<Record<string, unknown>>()
  const expectAnswerable = async (answerable: boolean): Promise<void> => {
    expect(await read('/v1/labels')).toMatchObject({ labels: [{ question: OFF_TOPIC, answerable }] })
    const refusals = answerable ? { right: 0, wrong: 1 } : { right: 1, wrong: 0 }
    expect(await read('/v1/feedback')).toMatchObject({ policies: [{ refusals, answers: { right: 0, wrong: 0 } }] })
  }
  for (const [rating, answerable] of [
    ['wrong', false],
    ['right', true],
  ] as const) {
    expect((await post('/v1/feedback', { answer, rating })).status).toBe(201)
    await expectAnswerable(answerable)
  }
  const path = `/v1/decisions/${answer.split('.')[0]}/label`
  expect((await post(path, { rating: 'right' }, ADMIN, 'PUT')).status).toBe(200)
  await expectAnswerable(false)
})
