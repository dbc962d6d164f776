/** No dependency that never answers holds a request: each has a deadline, and what becomes of the question then is said. */
import { reranking } from '../../src/pipeline/reranking.ts'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { AnswerCache } from '../../src/ports/answer-cache.ts'
import { aGate, type AnswerBody, type GateFixture } from '../fixtures/gate.ts'

const never = (): Promise<never> => new Promise(() => undefined)
const TIMEOUT_MS = 150
const retrieval = { timeoutMs: TIMEOUT_MS }
const storeOf = (hanging: Partial<AnswerCache>): AnswerCache => ({
  get: async () => null,
  put: async () => undefined,
  delete: async () => undefined,
  ...hanging,
})

beforeEach(() => {
  for (const method of ['warn', 'error'] as const) vi.spyOn(console, method).mockReturnValue()
})
afterEach(() => vi.restoreAllMocks())

interface Hanging {
  readonly gate: GateFixture
  /** Of the response: the error's code, or the verdict that stands without the dependency. */
  readonly ends: string
  /** Milliseconds. */
  readonly within: number
}

const HANGING: Readonly<Record<string, Hanging>> = {
  authenticate: { gate: { dependencies: { authenticate: never } }, ends: '503 store_unavailable', within: 1000 },
  'the collections': {
    gate: { dependencies: { collections: { find: never, lexicon: never } } },
    ends: '503 store_unavailable',
    within: 1000,
  },
  'the retriever': { gate: { finds: never }, ends: '504 retriever_timeout', within: 1000 },
  'the reranker': {
    gate: {
      dependencies: { reranker: reranking({ model: 'm', kind: 'grade', rerank: never }, { timeoutMs: TIMEOUT_MS }) },
    },
    ends: '200 pass',
    within: 1000,
  },
  'the cache, read': { gate: { cache: { store: storeOf({ get: never }) } }, ends: '200 pass', within: 3000 },
  'the purges': {
    gate: { cache: { purges: { known: never, purge: never, maxAgeSeconds: 1 } } },
    ends: '200 pass',
    within: 1000,
  },
}

it.each(Object.entries(HANGING))(
  'a hanging dependency is not awaited longer than its limit: %s',
  async (_, { gate, ends, within }) => {
    const begunMs = performance.now()
    const response = await aGate({ retrieval, ...gate }).ask()
    const { error, verdict } = (await response.json()) as AnswerBody
    expect(`${response.status} ${error?.code ?? verdict}`).toBe(ends)
    expect(performance.now() - begunMs).toBeLessThan(3 * within)
  },
)

it('a hanging coalescer is not awaited longer than twice the time limit of a leader', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const asking = aGate({ retrieval, cache: { coalescer: { join: never, leaderTimeoutMs: 5000 } } }).ask()
    await vi.advanceTimersByTimeAsync(10_600)
    expect((await asking).status).toBe(200)
  } finally {
    vi.useRealTimers()
  }
})

it('an error thrown by authenticate is passed on, also an HTTPException', async () => {
  const { HTTPException } = await import('hono/http-exception')
  const thrown = new HTTPException(418, { message: 'Not here' })
  const { ask } = aGate({ dependencies: { authenticate: () => Promise.reject(thrown) } })
  expect((await ask()).status).toBe(418)
})
