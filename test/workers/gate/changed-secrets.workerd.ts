/** Secrets are changed without a moment in which one of them does not count. */
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { HANDBOOK, OFF_TOPIC } from '../../fixtures/corpus.ts'
import { ADMIN, workerOver } from '../../worker-requests.ts'

const PRESENT = 'present-token-0123456789abcdef0123456789abcdef'

test('the token before counts for any tenant, as the present one does, until it is taken away', async () => {
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

test('feedback on an answer that the secret before signed is taken', async () => {
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
