import { env } from 'cloudflare:workers'
import { describe, expect, test, vi } from 'vitest'
import { CONSOLE_ROUTES } from '../../packages/console/src/api/routes.ts'
import { ROUTES } from '../../workers/gate/routes.ts'
import { ADMIN, post, send, workerOver } from '../worker-requests.ts'

const READ = [...ROUTES, ...CONSOLE_ROUTES.map(([method, path]) => [method, `/v1${path}`] as const)].flatMap(
  ([method, path]) => (method === 'GET' && path.startsWith('/v1/') ? [path] : []),
)

const kept = ({ headers }: Response): unknown => [
  /\bno-store\b|max-age=0/.test(headers.get('cache-control') ?? ''),
  headers.get('x-content-type-options'),
]

describe('responses with private content', () => {
  test.each(READ)('are not cacheable, and are served as JSON only: %s', async (path) => {
    for (const headers of [ADMIN, {}]) {
      const response = await send(path.replace(':id', 'none'), { headers })
      expect(kept(response)).toEqual([true, 'nosniff'])
      await response.body?.cancel()
    }
  })

  test('include those to writes, answers and errors', async () => {
    const documents = [{ id: 'note', text: 'The hatch opens inwards.' }]
    expect(kept(await post('/v1/documents', { documents }, ADMIN))).toEqual([true, 'nosniff'])
    expect(kept(await post('/ask', { question: 'How does the hatch open?' }))).toEqual([true, 'nosniff'])
    expect(kept(await post('/ask', { question: 'How?', topK: 1 }))).toEqual([true, 'nosniff'])
  })

  test.each([
    ['POST', '/ask/'],
    ['PUT', '/ask'],
    ['DELETE', '/mcp/'],
    ['POST', '/health'],
    ['GET', '/health/'],
    ['GET', '/nowhere'],
    ['POST', '/'],
    ['POST', `/${'x'.repeat(9000)}`],
  ])('include that to %s %s', async (method, path) => {
    const assets = { fetch: async () => new Response(null, { status: 404 }) } as unknown as Fetcher
    const { send: ask } = workerOver({ ...env, ASSETS: assets })
    const body = method === 'GET' ? {} : { body: '{"question":"How does the hatch open?"}' }
    const response = await ask(path, { method, headers: { 'content-type': 'application/json' }, ...body })
    expect(kept(response)).toEqual([true, 'nosniff'])
  })

  test('include those under wrong settings', async () => {
    vi.spyOn(console, 'error').mockReturnValue()
    const { send: ask } = workerOver({ ...env, GATE_MODE: 'on' })
    const response = await ask('/health')
    expect([response.status, kept(response)]).toEqual([500, [true, 'nosniff']])
  })
})
