/**
 * The ready Worker with models of Workers AI: workerd's own binding speaks to a service on loopback that answers in the shapes
 * of Workers AI. Miniflare takes the service for the proxy of a remote binding.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { originOf } from '../../scripts/in-workerd.ts'
import { migrate } from '../../scripts/local-gate.ts'
import { HANDBOOK, STRONG } from '../fixtures/corpus.ts'
import { type Answer, answering, type ScriptedUpstream, startUpstream } from '../fixtures/scripted-upstream.ts'
import { talking, wholeStream } from './streaming-model.ts'

const OWN = '@cf/meta/llama-3.3-70b-instruct-fp8-fast'
const ADMIN = 'admin-'.repeat(6)
const folder = mkdtempSync(join(tmpdir(), 'hono-rag-gate-workers-ai-'))
/** Workers AI, and an endpoint that speaks OpenAI's protocol. */
let service: ScriptedUpstream
let endpoint: ScriptedUpstream
let miniflare: Miniflare

/** What was asked of Workers AI: the model by the binding's header, and the rest. */
interface Asked {
  readonly model: string | undefined
  readonly inputs: Readonly<Record<string, unknown>>
}
const asked: Asked[] = []

const answerWith = (answer: Answer): void =>
  service.answerWith((response, request, body) => {
    const { inputs } = JSON.parse(body) as Asked
    asked.push({ model: request.headers['mf-header-cf-consn-model-id'] as string | undefined, inputs })
    answer(response, request, body)
  })

/** A whole answer in the shape of older models. */
const whole = (response: string, written = 7): Answer =>
  answering(JSON.stringify({ response, usage: { prompt_tokens: 120, completion_tokens: written, total_tokens: 127 } }))

/** The same in pieces: a number comes as one, and the tokens are counted at the end. */
const inPieces = (pieces: readonly (string | number)[], isWhole = true): Answer =>
  answering(
    [
      ...pieces.map((response) => ({ response, p: 'ab' })),
      ...(isWhole ? [{ response: '', usage: { prompt_tokens: 120, completion_tokens: 7 } }] : []),
    ]
      .map((piece) => `data: ${JSON.stringify(piece)}\n\n`)
      .join('') + (isWhole ? 'data: [DONE]\n\n' : ''),
    200,
    { 'content-type': 'text/event-stream' },
  )

/** Asks the Worker that has Workers AI alone, or the one where it stands in for an endpoint. */
async function ask(worker: 'alone' | 'behind', path: string, body?: object): Promise<Response> {
  return fetch(`${await originOf(miniflare, worker)}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${ADMIN}` },
    ...(body && { body: JSON.stringify(body) }),
  })
}

beforeAll(async () => {
  service = await startUpstream(() => undefined)
  endpoint = await startUpstream(() => undefined)
  migrate(folder)
  const modules = inject('gateModules')
  const serve = (name: string, settings: Readonly<Record<string, string>>) => ({
    ...inject('gateOptions'),
    name,
    modules: [...modules],
    modulesRoot: dirname(modules[0]!.path),
    unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
    // Its type is that of another copy of URL.
    ai: { binding: 'AI', remoteProxyConnectionString: new URL(service.url) as never },
    bindings: { ADMIN_TOKEN: ADMIN, QUESTION_HMAC_KEY: 'hmac-'.repeat(8), LLM_TIMEOUT_SECONDS: '1', ...settings },
  })
  const first = { LLM_BASE_URL: `${endpoint.url}/v1`, LLM_API_KEY: 'key', LLM_MODEL: 'first' }
  miniflare = new Miniflare(
    convertV4MiniflareOptions({
      resourcePersistencePath: join(folder, 'v3'),
      workers: [
        serve('alone', { LLM_MODEL: OWN }),
        serve('behind', { ...first, LLM_FALLBACKS: JSON.stringify([{ model: OWN }]) }),
      ],
    }),
  )
  await ask('alone', '/v1/documents', { documents: HANDBOOK })
})
afterAll(async () => {
  await miniflare?.dispose()
  await service?.stop()
  await endpoint?.stop()
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(() => void asked.splice(0))

let count = 0
/** The same for the judge, and another one for the cache. */
const question = (): string => STRONG + '?'.repeat(count++)

interface Completion {
  readonly choices: readonly { readonly message: { readonly content: string }; readonly finish_reason: string }[]
  readonly usage: object
  readonly model: string
}

describe('a model of Workers AI', () => {
  const complete = (more: object = {}): Promise<Response> =>
    ask('alone', '/v1/chat/completions', { model: OWN, messages: [{ role: 'user', content: question() }], ...more })

  test('answers in one response, with its tokens', async () => {
    answerWith(whole('Thirty-five days [1].'))
    const response = await complete({ temperature: 0.2 })
    expect(await response.json()).toMatchObject({
      choices: [{ message: { content: 'Thirty-five days [1].' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 120, completion_tokens: 7 },
    })
    expect(asked).toEqual([{ model: OWN, inputs: expect.objectContaining({ max_tokens: 800, temperature: 0.2 }) }])
    expect(JSON.stringify(asked[0]!.inputs['messages'])).toContain('<passage number=')
  })

  test('streams an answer, with its tokens', async () => {
    answerWith(inPieces(['Thirty-', 5, ' days [1].']))
    const text = await (await complete({ stream: true, stream_options: { include_usage: true } })).text()
    const said = [...text.matchAll(/"delta":\{"content":"([^"]+)"/g)].map(([, piece]) => piece)
    expect(said.join('')).toBe('Thirty-5 days [1].')
    expect(text).toContain('"finish_reason":"stop"')
    expect(text).toContain('"completion_tokens":7')
    expect(text.trimEnd()).toMatch(/data: \[DONE\]$/)
    expect(Object.keys(asked[0]!.inputs)).not.toContain('stream_options')
  })

  test("that answers in OpenAI's format is supported", async () => {
    service.answerWith((response, request, body) => {
      const { inputs } = JSON.parse(body) as Asked
      talking(wholeStream(['Thirty-', 'five.']))(response, request, JSON.stringify(inputs))
    })
    expect(await (await complete({ stream: true })).text()).toContain('"content":"five."')
    const body = await (await complete()).json()
    expect((body as Completion).choices[0]!.message.content).toBe('Thirty-five days [1].')
  })

  test('that reached its token limit is truncated, and its answer is not stored', async () => {
    answerWith(whole('Thirty-five', 800))
    const messages = [{ role: 'user', content: question() }]
    for (let at = 0; at < 2; at++) {
      const body = await (await ask('alone', '/v1/chat/completions', { model: OWN, messages })).json()
      expect((body as Completion).choices[0]!.finish_reason).toBe('length')
    }
    expect(asked).toHaveLength(2)
  })

  const failing = (status: number, internalCode: number): Answer =>
    answering(JSON.stringify({ internalCode, name: 'secret', description: 'secret' }), status)
  test.each<[string, Answer, number, string]>([
    ['there is no such model', failing(400, 5007), 502, 'llm_bad_request'],
    ['the account may not ask it', failing(403, 5018), 503, 'llm_misconfigured'],
    ['the daily allocation is used up', failing(429, 3036), 503, 'llm_unavailable'],
    ['the model is out of time', failing(408, 3007), 503, 'llm_unavailable'],
    ['the service fails', failing(500, 3000), 503, 'llm_unavailable'],
    ['it says nothing', answering('{}'), 502, 'llm_bad_response'],
    ['it is silent', () => undefined, 504, 'llm_timeout'],
  ])('when %s, causes an error with the same code, streamed or not', async (_, answer, status, code) => {
    answerWith(answer)
    for (const stream of [false, true]) {
      const response = await complete({ stream })
      const text = await response.text()
      expect([response.status, JSON.parse(text)]).toMatchObject([status, { error: { code } }])
      expect(text).not.toContain('secret')
    }
  })

  test('that breaks off has its text sent, and an error', async () => {
    answerWith(inPieces(['Thirty-'], false))
    const text = await (await complete({ stream: true })).text()
    expect(text).toContain('Thirty-')
    expect(text).toContain('llm_unavailable')
    expect(text).not.toContain('"finish_reason":"stop"')
  })
})

describe('an endpoint with a model of Workers AI as fallback', () => {
  const recordedModels = async (): Promise<(string | null)[]> => {
    const { decisions } = (await (await ask('behind', '/v1/decisions')).json()) as { decisions: { model: string }[] }
    return decisions.map(({ model }) => model)
  }

  test('has the model that answered in its records', async () => {
    answerWith(whole('Thirty-five days [1].'))
    endpoint.answerWith(answering('secret', 503))
    expect((await ask('behind', '/ask', { question: question() })).status).toBe(200)
    expect((await recordedModels())[0]).toBe(OWN)
    endpoint.answerWith(talking(wholeStream(['Thirty-five days [1].'])))
    expect((await ask('behind', '/ask', { question: question() })).status).toBe(200)
    expect((await recordedModels())[0]).toBe('m-1')
  })
})
