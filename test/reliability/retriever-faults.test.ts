/** Faults F1 to F16 of a retriever, over real sockets, through the whole gate: never a pass, never a model call. */
import { gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { seededRandom } from '../../bench/seeded-random.ts'
import { createUpstashRetriever, type UpstashRetrieverOptions } from '../../packages/upstash/src/index.ts'
import { minTopCosine } from '../../src/core/gates/min-top-cosine.ts'
import { definePolicy } from '../../src/core/policy/policy.ts'
import { aGate, type GateFixture, POLICY, STRONG, WEAK } from '../fixtures/gate.ts'
import { type Answer, answering, type ScriptedUpstream, startUpstream } from '../fixtures/scripted-upstream.ts'
import { examples } from '../properties.ts'

const CAP = 1024 * 1024

const rows = (...scored: readonly (readonly [id: string, score: unknown, text?: string])[]) =>
  scored.map(([id, score, data = STRONG]) => ({ id, score, data }))
const result = (dense: unknown, sparse: unknown = []): string => JSON.stringify({ result: [dense, sparse] })
const GOOD = answering(result(rows(['a', 0.9]), rows(['a', 4])))

let upstream: ScriptedUpstream

beforeEach(async () => {
  upstream = await startUpstream(GOOD)
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
})

afterEach(async () => {
  await upstream.stop()
  vi.restoreAllMocks()
})

/** A gate whose index is the scripted server. */
function gateOver(answer: Answer, options: Partial<UpstashRetrieverOptions> = {}, gate: GateFixture = {}) {
  upstream.answerWith(answer)
  const retriever = createUpstashRetriever({ url: upstream.url, token: 'secret', filledBy: 'gate', ...options })
  return aGate({ ...gate, dependencies: { retriever }, cache: { store: undefined } })
}

interface Answered {
  readonly error?: { readonly code: string }
  readonly refused?: boolean
  readonly answer?: string
}

/** Asks once: status, body, upstream calls, model calls, and how long it took. */
async function askOnce(answer: Answer, options: Partial<UpstashRetrieverOptions> = {}, gate: GateFixture = {}) {
  const { ask, journal } = gateOver(answer, options, gate)
  const before = upstream.calls()
  const begunMs = performance.now()
  const response = await ask()
  const tookMs = performance.now() - begunMs
  const body = (await response.json()) as Answered
  return { response, body, calls: upstream.calls() - before, models: journal.handled.length, tookMs }
}

test('a question with a good search result passes (control of the tests below)', async () => {
  expect(await askOnce(GOOD)).toMatchObject({ models: 1, calls: 1, response: { status: 200 } })
})

const hanging: Answer = () => undefined
const hangingBody: Answer = (response) => void response.writeHead(200).write('{"result":[[')
const dripping: Answer = (response) => {
  response.writeHead(200)
  const timer = setInterval(() => response.write(' '), 20)
  response.on('close', () => clearInterval(timer))
}

/** The budget, with room for a machine that is busy: without it there would be no end, and with a retry two calls. */
const WITHIN_MS = 3300 + 6700

describe('F1, F2, F14: an index that never finishes', () => {
  test.each([
    ['never answers', hanging],
    ['sends headers and hangs', hangingBody],
    ['drips byte by byte', dripping],
  ])('%s: gets 504 within the default budget of 3.3 s', async (_name, answer) => {
    const { response, body, calls, models, tookMs } = await askOnce(answer)
    expect(response.status).toBe(504)
    expect(body.error?.code).toBe('retriever_timeout')
    expect(calls).toBe(1)
    expect(models).toBe(0)
    expect(tookMs).toBeLessThan(WITHIN_MS)
  })

  test('asked 300 questions at once, keeps each within the budget', async () => {
    const { ask, journal } = gateOver(hanging, { timeoutMs: 500 })
    const begunMs = performance.now()
    const statuses = await Promise.all(Array.from({ length: 300 }, async () => (await ask()).status))
    expect(performance.now() - begunMs).toBeLessThan(WITHIN_MS)
    expect(new Set(statuses)).toEqual(new Set([504]))
    expect(journal.handled).toEqual([])
  })
})

describe('F3: a connection that breaks', () => {
  test.each<[string, Answer]>([
    ['is reset', (response) => void response.socket?.resetAndDestroy()],
    ['closes before the headers', (response) => void response.socket?.destroy()],
    [
      'closes in the middle of the body',
      (response) => {
        response.writeHead(200, { 'content-length': '1000' }).write('{"result":')
        setTimeout(() => response.socket?.destroy(), 5)
      },
    ],
  ])('that %s gets one retry, then 503', async (_name, answer) => {
    const { response, body, calls, models } = await askOnce(answer)
    expect(response.status).toBe(503)
    expect(body.error?.code).toBe('retriever_unavailable')
    expect(calls).toBe(2)
    expect(models).toBe(0)
  })

  test('that is refused gets 503', async () => {
    const { url } = upstream
    await upstream.stop()
    const retriever = createUpstashRetriever({ url, token: 'secret' })
    const { ask, journal } = aGate({ dependencies: { retriever } })
    expect((await ask()).status).toBe(503)
    expect(journal.handled).toEqual([])
    upstream = await startUpstream(GOOD)
  })

  test('that breaks once passes with the retry', async () => {
    let broken = false
    const { response, calls } = await askOnce((...exchange) => {
      if (broken) return GOOD(...exchange)
      broken = true
      exchange[0].socket?.destroy()
    })
    expect(response.status).toBe(200)
    expect(calls).toBe(2)
  })
})

describe('F4 to F8: an index that answers with an error', () => {
  test('with 429 and Retry-After is not called again earlier, and Retry-After is passed on', async () => {
    const { response, body, calls, models } = await askOnce(answering('{}', 429, { 'retry-after': '2' }))
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('2')
    expect(body.error?.code).toBe('retriever_unavailable')
    expect(calls).toBe(1)
    expect(models).toBe(0)
  })

  test.each<[string, Answer, number, string, number]>([
    ['500 in JSON', answering('{"error":"secret","status":500}', 500), 503, 'retriever_unavailable', 2],
    ['502 in HTML', answering('<h1>secret</h1>', 502), 503, 'retriever_unavailable', 2],
    ['401', answering('{"error":"secret"}', 401), 503, 'retriever_misconfigured', 1],
    ['403', answering('{"error":"secret"}', 403), 503, 'retriever_misconfigured', 1],
    [
      '422 for another dimension',
      answering('{"error":"Invalid vector dimension: 2, expected: 256"}', 422),
      503,
      'embedding_mismatch',
      1,
    ],
  ])('with %s maps to its status and code', async (_name, answer, status, code, expectedCalls) => {
    const { response, body, calls, models } = await askOnce(answer)
    expect(response.status).toBe(status)
    expect(body.error?.code).toBe(code)
    expect(JSON.stringify(body)).not.toContain('secret')
    expect(calls).toBe(expectedCalls)
    expect(models).toBe(0)
  })

  test('with 302 to another host is not followed', async () => {
    const other = await startUpstream(GOOD)
    const { response, body, models } = await askOnce(answering('', 302, { location: `${other.url}/query-data/x` }))
    expect(response.status).toBe(502)
    expect(body.error?.code).toBe('retriever_bad_response')
    expect(other.calls()).toBe(0)
    expect(models).toBe(0)
    await other.stop()
  })
})

describe('F9: a malformed response', () => {
  test.each([
    ['JSON that breaks off', '{"result":[[{"id":"a","score":0.9,"da'],
    ['result null', '{"result":null}'],
    ['an object', '{"result":{}}'],
    ['a string', '{"result":"Aborted"}'],
    ['an error with status 200', '{"error":"Aborted","status":500}'],
    ['a result beside an error', '{"error":"x","result":[[],[]]}'],
    ['a bare list', '[[],[]]'],
    ['a flat list', JSON.stringify({ result: rows(['a', 0.9], ['b', 0.8]) })],
    ['rows that are texts', result(['a'])],
    ['a row without text', result([{ id: 'a', score: 0.9 }])],
    ['nothing', ''],
  ])('with %s causes an error, not missing evidence', async (_name, text) => {
    const { response, body, models } = await askOnce(answering(text))
    expect(response.status).toBe(502)
    expect(body.error?.code).toBe('retriever_bad_response')
    expect(body.refused).toBeUndefined()
    expect(models).toBe(0)
  })
})

/** Passes exactly when the best usable score is a cosine of .6 and more. */
const BY_SCORE = definePolicy({ ...POLICY, name: 'by-score', gates: [minTopCosine({ refuseBelow: 0.6 })] })

describe('F10, F11: impossible scores and rows', () => {
  const BAD: readonly string[] = ['"NaN"', 'null', '"0.99"', '2', '-1', '1e999', '[1]', '{}', 'true']

  test('never lead to a pass without a usable score above the threshold', async () => {
    const entry = fc.record({
      score: fc.oneof(fc.constantFrom(...BAD), fc.double({ min: 0, max: 1, noNaN: true }).map(String)),
      id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'),
    })
    const outcomes = new Set<string>()
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 12 }), async (entries) => {
        const dense = entries.map(({ id, score }) => `{"id":"${id}","data":"x","score":${score}}`)
        const answer = answering(`{"result":[[${dense.join(',')}],[]]}`)
        const { models, body } = await askOnce(answer, {}, { policy: BY_SCORE })
        const usable = entries.map(({ score }) => (BAD.includes(score) ? -1 : 2 * Number(score) - 1))
        const strong = Math.max(-1, ...usable) >= 0.6 - 1e-6
        outcomes.add(`${models > 0 ? 'passed' : (body.error?.code ?? 'refused')} ${strong ? 'strong' : 'weak'}`)
      }),
      { numRuns: examples(40, 150), examples: [[[{ id: 'a', score: '0.95' }]]] },
    )
    // A strong one that does not pass came with too many that are no scores.
    expect([...outcomes].sort()).toEqual([
      'passed strong',
      'refused weak',
      'retriever_bad_response strong',
      'retriever_bad_response weak',
    ])
  })

  test('cause an error when more than a fifth of the scores are unusable', async () => {
    const { response, models } = await askOnce(answering(result(rows(['a', 0.9], ['b', 0.9], ['c', null]))))
    expect(response.status).toBe(502)
    expect(models).toBe(0)
  })

  test('do not change the verdict by order, duplicates or excess', async () => {
    const some = rows(['a', 0.95], ['b', 0.6, WEAK], ['b', 0.5, WEAK], ['c', 0.4, WEAK], ['d', 0.3, WEAK])
    const verdicts = new Set<string>()
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(some, { minLength: some.length }), async (shuffled) => {
        const { ask, journal } = gateOver(answering(result(shuffled)), {}, { retrieval: { topK: 3 } })
        await (await ask()).arrayBuffer()
        verdicts.add(JSON.stringify([journal.events[0]?.decision.verdict, journal.events[0]?.decision.evidenceIds]))
      }),
      { numRuns: examples(30) },
    )
    expect([...verdicts]).toEqual(['["pass",["a","b","c"]]'])
  })

  test('cause an error when a row is from another namespace', async () => {
    const foreign = rows(['a', 0.9]).map((row) => ({ ...row, metadata: { indexNamespace: 'n-other' } }))
    const { response, models } = await askOnce(answering(result(foreign)))
    expect(response.status).toBe(502)
    expect(models).toBe(0)
  })
})

test('F12: an empty result causes a refusal, not an error', async () => {
  const { response, body, models } = await askOnce(answering(result([])))
  expect(response.status).toBe(200)
  expect(body).toMatchObject({ refused: true })
  expect(models).toBe(0)
})

describe('F13: a response that is too large', () => {
  const MANY = Buffer.alloc(50 * CAP, ' ')
  // Compressed before anything waits for it: that blocks this process longer than a try may take.
  const ZIPPED = gzipSync(MANY)
  test.each<[string, Answer]>([
    ['50 MB', (response) => void response.writeHead(200).end(MANY)],
    ['50 MB in gzip', (response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(ZIPPED)],
  ])('is cut off at the limit: %s', async (_name, answer) => {
    let bytes = 0
    const counting = new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        bytes += piece.byteLength
        controller.enqueue(piece)
      },
    })
    const counted: UpstashRetrieverOptions['fetch'] = async (url, init) => {
      const { body, status } = await fetch(url, init)
      return new Response(body?.pipeThrough(counting), { status })
    }
    const { response, models } = await askOnce(answer, { fetch: counted })
    expect(response.status).toBe(502)
    expect(models).toBe(0)
    expect(bytes).toBeGreaterThan(CAP)
    expect(bytes).toBeLessThanOrEqual(CAP + 128 * 1024)
  })
})

/** A gate over an upstream whose clock the test moves. */
function timedGate(answer: Answer) {
  const clock = { atMs: 1_000_000 }
  const upstreamOptions = {
    nowMs: () => clock.atMs,
    random: seededRandom(7),
    sleep: async (ms: number) => {
      clock.atMs += ms
    },
  }
  const { ask, journal } = gateOver(answer, { upstream: upstreamOptions })
  return { clock, ask, journal }
}

describe('F15, F16: an index that fails at times', () => {
  test('is rarely called while down for 60 s, and used within 10 s after', async () => {
    const asked: number[] = []
    const { clock, ask, journal } = timedGate((response) => {
      asked.push(clock.atMs)
      response.writeHead(503).end()
    })
    const startedMs = clock.atMs
    let requests = 0
    for (; clock.atMs < startedMs + 60_000; clock.atMs += 200) {
      requests++
      expect((await ask()).status).toBe(503)
    }
    const upMs = clock.atMs
    expect(journal.handled).toEqual([])
    expect(asked.length / requests).toBeLessThan(0.1)
    // The first ones open the circuit; of the probes after them no two are closer than five seconds.
    const probes = asked.slice(10)
    for (const [at, probe] of probes.entries()) expect(probe - (probes[at - 1] ?? 0)).toBeGreaterThanOrEqual(5000)
    upstream.answerWith(GOOD)
    let status = 503
    for (; status === 503 && clock.atMs < upMs + 60_000; clock.atMs += 200) ({ status } = await ask())
    expect(status).toBe(200)
    expect(clock.atMs - upMs).toBeLessThanOrEqual(10_200)
  })

  test('every other time gets at most 1.1 calls per question, and answers what passed', async () => {
    const random = seededRandom(11)
    let answered = 0
    const { clock, ask, journal } = timedGate((response, ...rest) => {
      if (random() < 0.5) return void response.writeHead(500).end()
      answered++
      return GOOD(response, ...rest)
    })
    const statuses: number[] = []
    for (let at = 0; at < examples(1000); at++, clock.atMs += 100) statuses.push((await ask()).status)
    expect(upstream.calls() / statuses.length).toBeLessThanOrEqual(1.1)
    expect(new Set(statuses)).toEqual(new Set([200, 503]))
    expect(journal.handled).toHaveLength(answered)
    expect(statuses.filter((status) => status === 200)).toHaveLength(answered)
  })
})
