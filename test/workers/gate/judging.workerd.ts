/** A rule that is added to the composition holds by every route that a question can come by. */
import { env } from 'cloudflare:workers'
import { refuseTopics } from 'hono-rag-gate'
import { beforeAll, expect, it } from 'vitest'
import { compositionFor } from '../../../workers/gate/compose.ts'
import { HANDBOOK, STRONG } from '../../fixtures/corpus.ts'
import { ADMIN, workerOver } from '../../worker-requests.ts'

const bindings = { ...env }
const { post } = workerOver(bindings)

beforeAll(async () => {
  const composition = compositionFor(bindings)
  Object.assign(composition, { judging: { ...composition.judging, rules: [refuseTopics(['backups'])] } })
  await post('/v1/documents', { documents: HANDBOOK }, ADMIN)
})

it.each([
  ['/ask', { question: STRONG }],
  ['/v1/chat/completions', { model: 'search', messages: [{ role: 'user', content: STRONG }] }],
  ['/v1/tools/search', { query: STRONG }],
  ['/v1/judgements', { question: STRONG }],
])('%s applies the rules of the deployment', async (path, body) => {
  const reply = await post(path, body, ADMIN)
  expect(await reply.text()).toContain('rule_refused')
})
