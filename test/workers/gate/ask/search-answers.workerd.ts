/** Answers of a Worker without a model: the passages that were found, in both forms, and under policies that judge answers. */
import { env } from 'cloudflare:workers'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { grounding } from '../../../../packages/presets/src/answers/grounding.ts'
import { definePolicy, policySettings } from '../../../../src/core/policy/policy.ts'
import { balanced } from '../../../../src/presets/balanced/balanced.ts'
import { searchAnswer } from '../../../../workers/gate/ask/search-answer.ts'
import { bodyOfStream } from '../../../../packages/chat/src/completions.ts'
import { HANDBOOK, MIDDLING, STRONG } from '../../../fixtures/corpus.ts'
import { aPricedModel, MODEL } from '../../../fixtures/priced-model.ts'
import { ADMIN, workerOver } from '../../../worker-requests.ts'

const { post } = workerOver({ ...env })

interface Reply {
  readonly answer: string
  readonly answered_by?: string
  readonly caution?: string
  readonly passages?: readonly { readonly text: string }[]
}

beforeAll(async () => {
  await post('/v1/documents', { documents: HANDBOOK }, ADMIN)
})

afterEach(() => {
  vi.restoreAllMocks()
})

test('an answer of passages, as a stream, has the passages before the sentence, and is the same from the cache', async () => {
  const body = await (await post('/ask', { question: STRONG })).json<Reply>()
  expect(body).toMatchObject({ answered_by: 'search', passages: expect.any(Array) })
  const stream = await post('/ask', { question: STRONG, stream: true }, ADMIN)
  expect(stream.headers.get('content-type')).toBe('text/event-stream')
  const [first, second] = (await stream.text()).split('\n\n').map((event) => event.replace(/^data: /, ''))
  expect(JSON.parse(first!)).toMatchObject({ model: 'search', rag_gate: { passages: body.passages } })
  expect(JSON.parse(second!)).toMatchObject({ choices: [{ delta: { content: body.answer } }] })
  const again = await post('/ask', { question: STRONG, stream: true })
  expect(again.headers.get('cache-status')).toBe('rag-gate; hit')
  expect(bodyOfStream(await again.text())).toEqual(body)
})

test('a stored answer has an entity tag in the form in which it is stored, and in no other', async () => {
  const ask = (headers: Record<string, string> = {}) => post('/ask', { question: `${STRONG}??` }, headers, 'QUERY')
  await (await ask()).text()
  expect((await ask()).headers.get('etag')).toMatch(/^"\w{32}"$/)
  const stream = await ask({ accept: 'text/event-stream' })
  expect([stream.headers.get('content-type'), stream.headers.get('etag')]).toEqual(['text/event-stream', null])
})

test('an answer of passages has a caution when the verdict is advise', async () => {
  const reply = await (await post('/ask', { question: MIDDLING })).json<Reply>()
  expect(reply).toMatchObject({ verdict: 'advise', answered_by: 'search', caution: expect.stringContaining('verify') })
})

test('an answer of passages is never sent for an answer of a model, nor the reverse', async () => {
  const model = aPricedModel('Thirty-five days [1].')
  const question = `${STRONG}?`
  const answeredBy = async (bindings: object) =>
    (await (await workerOver({ ...env, ...bindings }).post('/ask', { question })).json<Reply>()).answered_by
  expect([await answeredBy({}), await answeredBy(MODEL), await answeredBy({})]).toEqual(['search', 'model', 'search'])
  expect(model).toHaveBeenCalledOnce()
})

test('without a model, a policy that judges answers causes config_invalid', async () => {
  const { gates, ...rest } = balanced()
  const settings = policySettings(definePolicy({ ...rest, name: 'judging', gates: [...gates, grounding()] }))
  const withModel = workerOver({ ...env, ...MODEL })
  const { id } = await (await withModel.post('/v1/policies/pushed', { settings }, ADMIN, 'PUT')).json<{ id: string }>()
  expect((await withModel.post('/v1/policy', { policy: id }, ADMIN, 'PUT')).status).toBe(200)
  const response = await workerOver({ ...env }).post('/ask', { question: STRONG })
  expect([response.status, await response.json()]).toMatchObject([500, { error: { code: 'config_invalid' } }])
})

test.each([
  [1, 'Found 1 passage for this question.'],
  [2, 'Found 2 passages for this question.'],
])('an answer of %d passages gives their number', (count, answer) => {
  const chunks = Array.from({ length: count }, (_, at) => ({
    id: `c${at}`,
    documentId: 'd',
    text: `${at}`,
    scores: {},
  }))
  expect(searchAnswer({ text: '', chunks, cut: false }).answer).toBe(answer)
})
