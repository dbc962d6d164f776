/** Answers that the model did not get to the end of, made whole: as JSON, or because the policy judges them. */
import { env } from 'cloudflare:workers'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { grounding } from '../../../../packages/presets/src/answers/grounding.ts'
import { definePolicy, policySettings } from '../../../../src/core/policy/policy.ts'
import { balanced } from '../../../../src/presets/balanced/balanced.ts'
import { HANDBOOK, STRONG } from '../../../fixtures/corpus.ts'
import { MODEL } from '../../../fixtures/priced-model.ts'
import { compositionFor } from '../../../../workers/gate/compose.ts'
import { ADMIN, workerOver } from '../../../worker-requests.ts'

const bindings = { ...env, ...MODEL }
const { post } = workerOver(bindings)
const ANSWER = 'Nightly backups of the billing database are kept for thirty-five days. [1]'

beforeAll(async () => {
  await post('/v1/documents', { documents: HANDBOOK }, ADMIN)
})

afterEach(() => {
  vi.restoreAllMocks()
})

const answeredFor = (finish_reason: 'stop' | 'length') =>
  vi
    .spyOn(globalThis, 'fetch')
    .mockImplementation(async () =>
      Response.json({ model: 'm', choices: [{ finish_reason, message: { content: ANSWER } }] }),
    )

/** Has every question of the tenant judged by a policy that judges answers, too. */
async function judgeAnswers(): Promise<void> {
  const { gates, ...rest } = balanced()
  const settings = policySettings(definePolicy({ ...rest, name: 'judging', gates: [...gates, grounding()] }))
  const { id } = await (await post('/v1/policies/pushed', { settings }, ADMIN, 'PUT')).json<{ id: string }>()
  expect((await post('/v1/policy', { policy: id }, ADMIN, 'PUT')).status).toBe(200)
}

test('a truncated answer in JSON has complete: false, and is not stored', async () => {
  const model = answeredFor('length')
  for (let time = 0; time < 2; time++) {
    expect(await (await post('/ask', { question: STRONG })).json()).toMatchObject({ answer: ANSWER, complete: false })
  }
  expect(model).toHaveBeenCalledTimes(2)
})

test('a reader who leaves a stream stops the model, which did not fail', async () => {
  const faults = vi.spyOn(compositionFor(bindings).faults, 'count')
  const event = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'Nightly ' } }] })}\n\n`
  const cancel = vi.fn<() => void>()
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    await scheduler.wait(10)
    controller.enqueue(new TextEncoder().encode(event))
  }
  vi.spyOn(globalThis, 'fetch').mockImplementation(
    async () =>
      new Response(new ReadableStream({ pull, cancel }), { headers: { 'content-type': 'text/event-stream' } }),
  )
  const { body } = await post('/ask', { question: STRONG, stream: true }, { 'cache-control': 'no-store' })
  const reader = body!.getReader()
  for (let read = 0; read < 2; read++) await reader.read()
  await reader.cancel()
  await scheduler.wait(50)
  expect([cancel.mock.calls.length, faults.mock.calls]).toEqual([1, []])
})

test.each([
  ['length', { complete: false }],
  ['stop', {}],
] as const)('a stream of a judged answer ends with the finish reason %s', async (reason, more) => {
  await judgeAnswers()
  const model = answeredFor(reason)
  const response = await post('/ask', { question: STRONG, stream: true })
  const chunks = (await response.text())
    .split('\n\n')
    .filter((event) => event.startsWith('data: {'))
    .map((event) => JSON.parse(event.slice(6)) as { choices: [{ finish_reason: string | null }]; rag_gate?: object })
  expect(chunks.map(({ choices: [{ finish_reason }] }) => finish_reason)).toEqual([null, null, reason])
  expect(chunks[0]!.rag_gate).toMatchObject({ refused: false, ...more })
  if (reason === 'stop') expect(chunks[0]!.rag_gate).not.toHaveProperty('complete')
  // It was made whole.
  expect(JSON.parse(model.mock.lastCall?.[1]?.body as string)).not.toMatchObject({ stream: true })
})
