/** Secrets are changed without a moment in which one of them does not count. */
import { env } from 'cloudflare:workers'
import { expect, test, vi } from 'vitest'
import { HANDBOOK, OFF_TOPIC } from '../../fixtures/corpus.ts'
import { ADMIN, workerOver } from '../../worker-requests.ts'

const PRESENT = 'present-token-0123456789abcdef0123456789abcdef'

test('the former admin token is valid for any tenant, like the present one, until it is removed', async () => {
  const both = workerOver({ ...env, ADMIN_TOKEN: PRESENT, ADMIN_TOKEN_BEFORE: env.ADMIN_TOKEN! })
  const statuses = async (worker: typeof both) =>
    Promise.all(
      [PRESENT, env.ADMIN_TOKEN, `${PRESENT}x`].map(
        async (token) =>
          (await worker.send('/v1/decisions?tenant=acme', { headers: { authorization: `Bearer ${token}` } })).status,
      ),
    )
  expect(await statuses(both)).toEqual([200, 200, 401])
  expect(await statuses(workerOver({ ...env, ADMIN_TOKEN: PRESENT }))).toEqual([200, 401, 401])
})

test('feedback on an answer signed with the former secret is accepted', async () => {
  const before = 'feedback-secret-before-0123456789abcdef'
  const asked = workerOver({ ...env, FEEDBACK_KEY: before })
  await asked.post('/v1/documents', { documents: HANDBOOK }, ADMIN)
  const answer = (await asked.post('/ask', { question: OFF_TOPIC })).headers.get('rag-gate-feedback')
  const FEEDBACK_KEY = 'feedback-secret-present-0123456789abcdef'
  const said = { answer, rating: 'wrong' }
  const changed = workerOver({ ...env, FEEDBACK_KEY, FEEDBACK_KEY_BEFORE: before })
  expect((await changed.post('/v1/feedback', said)).ok).toBe(true)
  expect((await workerOver({ ...env, FEEDBACK_KEY }).post('/v1/feedback', said)).status).toBe(404)
})

test('while secrets are changed one by one, each step answers, accepts feedback on earlier answers, and keeps counts', async () => {
  const { ADMIN_TOKEN: token, QUESTION_HMAC_KEY: key } = env
  const FEEDBACK_KEY_BEFORE = key!
  const changed = { QUESTION_HMAC_KEY: 'hmac-key-present-0123456789abcdef', QUESTION_HMAC_KEY_ID: '2' }
  const steps = [
    {},
    { ADMIN_TOKEN_BEFORE: token!, FEEDBACK_KEY_BEFORE },
    { ADMIN_TOKEN: PRESENT, ADMIN_TOKEN_BEFORE: token!, FEEDBACK_KEY_BEFORE },
    { ADMIN_TOKEN: PRESENT, ADMIN_TOKEN_BEFORE: token!, FEEDBACK_KEY_BEFORE, ...changed },
  ]
  await workerOver(env).post('/v1/documents', { documents: HANDBOOK }, ADMIN)
  const answers: string[] = []
  const principal = `changed-${crypto.randomUUID()}`
  for (const step of steps) {
    const worker = workerOver({ ...env, ...step })
    expect((await worker.send('/health')).status).toBe(200)
    const asked = await worker.post('/ask', { question: `${OFF_TOPIC} ${principal}` }, ADMIN)
    answers.push(asked.headers.get('rag-gate-feedback')!)
    for (const answer of answers) {
      expect((await worker.post('/v1/feedback', { answer, rating: 'wrong' })).ok).toBe(true)
    }
  }
  const last = workerOver({ ...env, ...steps.at(-1) })
  const ids = answers.map((answer) => answer.split('.')[0]!)
  const keyIds = async () =>
    Promise.all(
      ids.map(
        async (id) =>
          (await last.send(`/v1/decisions/${id}`, { headers: ADMIN })).json() as Promise<Record<string, unknown>>,
      ),
    ).then((all) => all.map(({ hmac_key_id: keyId }) => keyId))
  await vi.waitFor(async () =>
    expect(await keyIds()).toEqual([
      expect.stringMatching(/^1/),
      expect.stringMatching(/^1/),
      expect.stringMatching(/^1/),
      expect.stringMatching(/^2/),
    ]),
  )
})
