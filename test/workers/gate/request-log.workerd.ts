/** What is told of each request: a line of JSON, and its place in the caller's trace, which models are told as well. */
import { env } from 'cloudflare:workers'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import type { GateBindings } from '../../../workers/gate/bindings.ts'
import { HANDBOOK, STRONG } from '../../fixtures/corpus.ts'
import { ADMIN, workerOver } from '../../worker-requests.ts'

const MODEL = { LLM_BASE_URL: 'https://models.test/v1', LLM_API_KEY: 'canary-key', LLM_MODEL: 'test-model' }
const bindings: GateBindings = { ...env, ...MODEL, REQUEST_LOG: 'json' }
const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = `00-${TRACE_ID}-00f067aa0ba902b7-01`

beforeAll(async () => {
  await workerOver(env).post('/v1/documents', { documents: HANDBOOK }, ADMIN)
})
afterEach(() => {
  vi.restoreAllMocks()
})

interface Line {
  readonly [name: string]: unknown
  readonly trace_id: string
  readonly request_id: string
}

function listen(): Line[] {
  const lines: Line[] = []
  vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(JSON.parse(line) as Line))
  vi.spyOn(console, 'error').mockReturnValue()
  return lines
}

test('a request is logged in one line without caller or question, and its trace is passed to the model', async () => {
  const lines = listen()
  const asked: Headers[] = []
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (_url, init) => {
    asked.push(new Headers(init?.headers))
    return Response.json({
      choices: [{ message: { role: 'assistant', content: 'Turn the key [1].' }, finish_reason: 'stop' }],
    })
  })
  const headers = { traceparent: PARENT, tracestate: 'vendor=1', 'cf-connecting-ip': '203.0.113.7' }
  const response = await workerOver(bindings).post('/ask', { question: STRONG }, headers)
  expect(response.status).toBe(200)
  await response.text()
  await vi.waitFor(() => expect(lines).toHaveLength(1))
  const [line] = lines
  expect(line).toEqual({
    message: 'request',
    method: 'POST',
    route: '/ask',
    status: 200,
    ms: expect.any(Number),
    request_id: response.headers.get('x-request-id'),
    trace_id: TRACE_ID,
    span_id: expect.stringMatching(/^[0-9a-f]{16}$/),
    rag_gate: expect.stringContaining('pass'),
  })
  expect(JSON.stringify(lines)).not.toMatch(/203\.0|canary/)
  expect(asked.map((sent) => [sent.get('traceparent'), sent.get('tracestate')])).toEqual([
    [`00-${TRACE_ID}-${String(line!['span_id'])}-01`, 'vendor=1'],
  ])
})

test.each([
  undefined,
  'nonsense',
  `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
  `ff-${TRACE_ID}-00f067aa0ba902b7-01`,
  PARENT.toUpperCase(),
])('a new trace is started for the header %s', async (traceparent) => {
  const lines = listen()
  await workerOver(bindings).send('/health', traceparent === undefined ? {} : { headers: { traceparent } })
  await vi.waitFor(() => expect(lines).toHaveLength(1))
  expect(lines[0]!.trace_id).toMatch(/^[0-9a-f]{32}$/)
  expect(lines[0]!.trace_id).not.toBe(TRACE_ID)
})

test('an error is logged with its code and the id of its answer', async () => {
  const lines = listen()
  const response = await workerOver(bindings).post('/ask', { question: '' })
  const { error } = await response.json<{ error: { code: string; request_id: string } }>()
  await vi.waitFor(() => expect(lines).toHaveLength(1))
  expect(lines[0]).toMatchObject({ status: response.status, code: error.code, request_id: error.request_id })
})

test('nothing is logged by default', async () => {
  const lines = listen()
  await workerOver({ ...env }).send('/health')
  expect(lines).toEqual([])
})
