import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import { CONSOLE_ROUTES } from '../../../packages/console/src/api/routes.ts'
import { OPERATIONS } from '../../../workers/gate/api/operations.ts'
import { ROUTES } from '../../../workers/gate/routes.ts'
import { ADMIN, post, send, workerOver } from '../../worker-requests.ts'

test('every route that is served is documented, and the reverse', () => {
  const ofConsole = CONSOLE_ROUTES.map(([method, path]) => [method, `/v1${path}`] as const)
  const served = [...ROUTES, ...ofConsole].map(
    ([method, path]) => `${method} ${path.replaceAll(/:(\w+)(\{.*?\})?/g, '{$1}')}`,
  )
  const described = OPERATIONS.map(({ method, path }) => `${method.toUpperCase()} ${path}`)
  // OpenAPI 3.1 has no word for it.
  const undescribed = 'QUERY /ask'
  // An asset.
  const asset = 'GET /v1/openapi.json'
  expect(served.length).toBeGreaterThan(20)
  expect([...served, asset].sort()).toEqual([...described, undescribed].sort())
})

test('the model can be read by its id, and others are 404', async () => {
  const AI = { run: async () => ({}) } as unknown as NonNullable<typeof env.AI>
  for (const [bindings, name] of [
    [env, 'search'],
    [{ ...env, AI, LLM_MODEL: '@cf/meta/llama' }, '@cf/meta/llama'],
  ] as const) {
    const worker = workerOver(bindings)
    const { data } = await (await worker.send('/v1/models')).json<{ data: object[] }>()
    const found = await worker.send(`/v1/models/${encodeURIComponent(name)}`)
    expect([found.status, await found.json()]).toEqual([200, data[0]])
    expect(data[0]).toMatchObject({ id: name, object: 'model' })
    // As the paths of OpenAI's API are, whatever stands in them.
    expect((await worker.send(`/v1/models/${name}`)).status).toBe(200)
    const missing = await worker.send('/v1/models/gpt-4o')
    expect([missing.status, await missing.json()]).toMatchObject([
      404,
      { error: { code: 'model_not_found', type: 'invalid_request_error' } },
    ])
    const wrong = await worker.send('/v1/models/search', { headers: { authorization: 'Bearer wrong' } })
    expect(wrong.status).toBe(401)
  }
})

describe('with a document', () => {
  const question = { question: 'How does the hatch open?' }
  beforeAll(async () => {
    const documents = [{ id: 'hatch', text: 'The hatch opens inwards.' }]
    await post('/v1/documents', { documents }, ADMIN)
  })

  test('a question can be sent by QUERY or POST, and other methods get 405 naming both', async () => {
    for (const method of ['POST', 'QUERY']) {
      const response = await post('/ask', question, {}, method)
      expect(response.status).toBe(200)
      expect(await response.json()).toMatchObject({ refused: false })
    }
    const other = await send('/ask', { method: 'PUT' })
    expect([other.status, other.headers.get('allow')]).toEqual([405, 'POST, QUERY'])
  })

  test('an unknown address is answered with JSON for any method', async () => {
    const assets = { fetch: async () => new Response(null, { status: 404 }) } as unknown as Fetcher
    const worker = workerOver({ ...env, ASSETS: assets })
    for (const method of ['GET', 'POST']) {
      const response = await worker.send('/v1/nowhere', { method })
      expect([response.status, await response.json()]).toMatchObject([404, { error: { code: 'not_found' } }])
    }
  })

  test('the API works without assets, and the page is 404', async () => {
    const worker = workerOver({ ...env, ASSETS: undefined as never })
    const page = await worker.send('/')
    expect([page.status, await page.json()]).toMatchObject([404, { error: { code: 'not_found' } }])
    expect((await worker.post('/ask', question, { 'accept-language': 'de' })).status).toBe(200)
  })
})
