import { describe, expect, test } from 'vitest'
import {
  bearer,
  createJsonEndpoint,
  type JsonEndpointOptions,
  prepareEndpoint,
  rootUrl,
} from '../../../packages/upstream/src/http/json-endpoint.ts'

const NAME = { role: 'llm', what: 'The model' } as const
const LIMITS = { timeoutMs: 1000, maxResponseBytes: 100, upstream: { retries: 0 } } as const

/** An endpoint that gets this response, and what was sent to it. */
function answered(response: () => Response, options: Partial<JsonEndpointOptions> = {}) {
  const sent: { url: string; init: RequestInit }[] = []
  const fetch = async (url: string, init: RequestInit) => {
    sent.push({ url, init })
    return response()
  }
  return { sent, ask: createJsonEndpoint(NAME, { url: 'https://llm.example/ask', ...LIMITS, fetch, ...options }) }
}

describe('a JSON endpoint', () => {
  test('posts a body and returns the parsed response', async () => {
    const { ask, sent } = answered(() => Response.json({ a: [1] }), { headers: { ...bearer('key'), 'x-a': 'b' } })
    expect(await ask({ q: 1 })).toEqual({ a: [1] })
    const headers = { 'content-type': 'application/json', authorization: 'Bearer key', 'x-a': 'b' }
    expect(sent).toMatchObject([{ url: 'https://llm.example/ask', init: { method: 'POST', body: '{"q":1}', headers } }])
  })

  test.each([
    ['https://a.test', '/v1/x', 'https://a.test/v1/x'],
    ['https://a.test/api//', '/v1/x', 'https://a.test/api/v1/x'],
    ['https://a.test/api/', '', 'https://a.test/api/'],
    ['https://a.test/api/', undefined, 'https://a.test/api/'],
  ])('at %s with the path %s is called at %s', (url, path, called) => {
    expect(prepareEndpoint({ url, ...(path !== undefined && { path }), ...LIMITS }).url).toBe(called)
  })

  test.each([
    [new Response('{', { status: 200 }), 'llm_bad_response', 'The model sent an unexpected response: not JSON'],
    [new Response('x'.repeat(101)), 'llm_bad_response', 'The model sent an unexpected response: too-large'],
    [Response.json({}, { status: 201 }), 'llm_bad_response', 'The model sent an unexpected response: status 201'],
    [Response.json({}, { status: 422 }), 'llm_bad_request', 'The model rejected the request: status 422'],
    [Response.json({}, { status: 503 }), 'llm_unavailable', 'The model cannot answer now'],
  ])('that sends %j fails with %s', async (response, code, message) => {
    await expect(answered(() => response).ask({})).rejects.toMatchObject({ code, message })
  })

  test.each([
    ['https://user:secret@a.test', undefined, 'url'],
    ['https:user:secret@a.test', '', 'url'],
    ['https://secret@a.test', '/v1', 'baseUrl'],
  ])('at %s is rejected, and the password not told', (url, path, param) => {
    const message = 'A URL with a user or password cannot be called: set a header'
    expect(() => createJsonEndpoint(NAME, { url, ...(path !== undefined && { path }), ...LIMITS })).toThrow(
      expect.objectContaining({ code: 'config_invalid', param, message }),
    )
  })

  test('may have an @ behind its host', () => {
    for (const url of ['https://a.test/@me', 'https://a.test?to=a@b', 'https://a.test/x:y@z'])
      expect(prepareEndpoint({ url, ...LIMITS }).url).toBe(url)
  })

  test.each([
    [{ authorization: 'Bearer ä\nb' }, undefined, 'headers'],
    [{ authorization: 'Bearer ä\nb' }, '/v1', 'apiKey'],
    [{ authorization: undefined as never }, '/v1', 'apiKey'],
    [{ 'x-key': 'a\nb' }, '/v1', 'headers'],
    [{ 'x key': 'a' }, undefined, 'headers'],
    [{ 'x-key': 7 as never }, undefined, 'headers'],
  ])('with the headers %j and the path %s is rejected', (headers, path, param) => {
    const message = 'A header or key is unset, or has characters that cannot be sent'
    expect(() => prepareEndpoint({ url: 'https://a.test', ...(path && { path }), ...LIMITS, headers })).toThrow(
      expect.objectContaining({ code: 'config_invalid', param, message }),
    )
  })

  test.each([
    ['https://a.test', true],
    ['HTTP://a.test/v1/', true],
    ['https://a.test?x=1', false],
    ['https://a.test#x', false],
    ['ftp://a.test', false],
    ['xhttps://a.test', false],
    ['https:', false],
    ['a.test', false],
    [new URL('https://a.test'), false],
    [undefined, false],
  ])('takes the root %s: %s', (url, isRoot) => {
    expect(rootUrl.holds(url)).toBe(isRoot)
  })
})
