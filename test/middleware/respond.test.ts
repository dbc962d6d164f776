import { Hono } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { RagGateError, type RagGateErrorCode } from '../../src/errors.ts'
import { respondWithError } from '../../src/middleware/respond.ts'

let logged: ReturnType<typeof vi.spyOn>
beforeEach(() => {
  logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
})
afterEach(() => {
  logged.mockRestore()
})

async function answerTo(
  thrown: unknown,
  further?: Parameters<typeof respondWithError>[2],
): Promise<{ response: Response; text: string }> {
  const app = new Hono().get('/', (c) => respondWithError(c, thrown, further))
  const response = await app.request('/')
  return { response, text: await response.text() }
}

describe('respondWithError', () => {
  it.each<[RagGateErrorCode, number]>([
    ['question_required', 422],
    ['invalid_json', 400],
    ['unauthorized', 401],
    ['client_left', 499],
    ['method_not_allowed', 405],
    ['collection_not_found', 404],
    ['retriever_timeout', 504],
    ['retriever_bad_response', 502],
    ['internal', 500],
    // Another bundled copy may be newer.
    ['code_of_another_version' as RagGateErrorCode, 500],
  ])('answers %s with %d', async (code, status) => {
    const { response, text } = await answerTo(new RagGateError(code, 'A sentence', { param: 'field' }))
    expect(response.status).toBe(status)
    expect(JSON.parse(text)).toEqual({
      error: { code, message: 'A sentence', request_id: expect.stringMatching(/^[0-9a-f-]{36}$/), param: 'field' },
    })
    expect(response.headers.get('content-type')).toContain('application/json')
    expect(response.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null)
    expect(response.headers.get('allow')).toBe(status === 405 ? 'POST, QUERY' : null)
    expect(response.headers.get('retry-after')).toBeNull()
  })

  it.each([new Error('secret'), 'secret', null, undefined, { code: 'unauthorized', message: 'secret' }])(
    'answers an error from elsewhere with `internal`, and reveals nothing of it: %j',
    async (thrown) => {
      const { response, text } = await answerTo(thrown)
      expect(response.status).toBe(500)
      expect(JSON.parse(text)).toMatchObject({ error: { code: 'internal', message: 'Something went wrong' } })
      expect(text).not.toContain('secret')
    },
  )

  it("answers an application's own codes by its table, and keeps the gate's own statuses", async () => {
    const further = { quota_spent: 429, too_deep: 418 } as const
    const statusOf = async (thrown: unknown, table?: typeof further): Promise<number> =>
      (await answerTo(thrown, table)).response.status
    const spent = new RagGateError<'quota_spent'>('quota_spent', 'Enough for today')
    expect(await statusOf(spent, further)).toBe(429)
    expect(await statusOf(spent)).toBe(500)
    expect(await statusOf(new RagGateError<'other'>('other', 'x'), further)).toBe(500)
    expect(await statusOf(new RagGateError('too_deep', 'x'), further)).toBe(400)
    expect(await statusOf(new Error('quota_spent'), further)).toBe(500)
  })

  it('has types that reject a code that is not named', () => {
    // @ts-expect-error a code is never inferred from the call
    expect(new RagGateError('quota_spent', 'x').code).toBe('quota_spent')
    // @ts-expect-error a code of the gate is none of the application's
    expect(new RagGateError<'quota_spent'>('too_deep', 'x').code).toBe('too_deep')
  })

  it('accepts an error of another bundled copy by its name and code', async () => {
    const foreign = Object.assign(new Error('Too deep'), { name: 'RagGateError', code: 'too_deep' })
    expect((await answerTo(foreign)).response.status).toBe(400)
  })

  it('answers an HTTPException with the response that it carries', async () => {
    const res = new Response('No key', { status: 401, headers: { 'www-authenticate': 'Bearer realm="docs"' } })
    const { response, text } = await answerTo(new HTTPException(401, { res }))
    expect([response.status, text, response.headers.get('www-authenticate')]).toEqual([
      401,
      'No key',
      'Bearer realm="docs"',
    ])
    expect((await answerTo(new HTTPException(413, { message: 'Too large' }))).response.status).toBe(413)
    expect(logged).not.toHaveBeenCalled()
  })

  it('logs only errors of the server, with their request id', async () => {
    const { text, response } = await answerTo(new RagGateError('internal', 'x', { cause: new Error('why') }))
    const { request_id } = (JSON.parse(text) as { error: { request_id: string } }).error
    // Where OpenAI's client looks for it.
    expect(response.headers.get('x-request-id')).toBe(request_id)
    expect(logged).toHaveBeenCalledTimes(1)
    expect(String(logged.mock.calls[0]?.[0])).toContain(request_id)
    // An upstream's text may quote the question: of a cause only its kind and place are logged.
    expect(logged.mock.calls[0]).toHaveLength(1)
    expect(String(logged.mock.calls[0]?.[0])).not.toContain('why')
    await answerTo(new RagGateError('invalid_json', 'x'))
    expect(logged).toHaveBeenCalledTimes(1)
  })

  it.each([
    [0.2, '1'],
    [1, '1'],
    [2.2, '3'],
    [0, '1'],
  ])('sets Retry-After for %d seconds: %s', async (retryAfterSeconds, header) => {
    const { response } = await answerTo(new RagGateError('retriever_unavailable', 'x', { retryAfterSeconds }))
    expect(response.headers.get('retry-after')).toBe(header)
  })
})
