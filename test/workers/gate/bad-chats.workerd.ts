/** What is wrong with a chat completion, and with the credentials of an operator: a code for each, and nothing is asked. */
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { STRONG } from '../../fixtures/corpus.ts'
import { quietErrors } from '../../fixtures/quiet-console.ts'
import { post, send } from '../../worker-requests.ts'

quietErrors()

const messages = [{ role: 'user', content: STRONG }]

it.each<[object, number, string, string]>([
  [{ messages: [] }, 422, 'question_required', 'messages'],
  [{ messages: 'x' }, 422, 'question_type', 'messages'],
  [{ messages: [{ role: 'wizard', content: 'x' }] }, 422, 'question_type', 'messages'],
  [{ messages: [{ role: 'user', content: 7 }] }, 422, 'question_type', 'messages'],
  [{ messages, temperature: 3 }, 422, 'parameter', 'temperature'],
  [{ messages, temperature: 'abc' }, 422, 'parameter', 'temperature'],
  [{ messages, temperature: -1 }, 422, 'parameter', 'temperature'],
  [{ messages, max_tokens: 0 }, 422, 'parameter', 'max_tokens'],
  [{ messages, max_tokens: -1 }, 422, 'parameter', 'max_tokens'],
  [{ messages, functions: [] }, 422, 'unknown_field', 'functions'],
  [{ messages, response_format: { type: 'json_object' } }, 422, 'parameter', 'response_format'],
  [{ messages, stream: 'yes' }, 422, 'stream_type', 'stream'],
  [{ messages, minScore: 0 }, 422, 'unknown_field', 'minScore'],
  [{ messages, rag_gate: { gate: false } }, 422, 'unknown_field', 'rag_gate'],
])('the chat %j is answered %i %s', async (body, status, code, param) => {
  const response = await post('/v1/chat/completions', { model: 'search', ...body })
  expect([response.status, await response.json()]).toMatchObject([
    status,
    { error: { code, param, type: 'invalid_request_error' } },
  ])
})

it.each([
  'Bearer',
  'Bearerx',
  'Bearer ',
  `Bearer ${env.ADMIN_TOKEN}, Bearer ${env.ADMIN_TOKEN}`,
  `Bearerx${env.ADMIN_TOKEN}`,
  `Basic ${btoa(`admin:${env.ADMIN_TOKEN}`)}`,
  `Bearer ${'a'.repeat(10_000)}`,
  'Bearer \u00e4\u00f6',
])('the credentials %.30s are none', async (authorization) => {
  const answered = async (headers: HeadersInit): Promise<unknown[]> => {
    const response = await send('/v1/keys', { headers })
    const { error } = await response.json<{ error: { code: string; message: string } }>()
    return [
      response.status,
      response.headers.has('www-authenticate'),
      response.headers.get('cache-control'),
      error.code,
    ]
  }
  expect(await answered({ authorization })).toEqual([401, true, expect.stringContaining('no-store'), 'unauthorized'])
})
