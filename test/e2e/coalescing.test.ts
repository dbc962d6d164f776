/** Identical questions at the same time, in the real runtime, with a real model endpoint that counts. */
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { ingest } from '../../packages/cli/src/gate-client.ts'
import { DEEP } from '../deep-run.ts'
import { gateWithModel } from './gate-with-model.ts'

const ASKERS = 20

const site = gateWithModel()

interface Asked {
  readonly token?: string
  readonly signal?: AbortSignal
  readonly headers?: Record<string, string>
}

const ask = (question: string, { token, signal, headers }: Asked = {}): Promise<Response> =>
  fetch(`${site.gate.url}/ask`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: JSON.stringify({ question }),
    ...(signal === undefined ? {} : { signal }),
  })

const together = (question: string, asked?: Asked): Promise<Response[]> =>
  Promise.all(Array.from({ length: ASKERS }, () => ask(question, asked)))

async function modelCalls(atLeast: number): Promise<void> {
  for (let waited = 0; site.model.calls.length < atLeast && waited < 5000; waited += 20) await sleep(20)
}

async function keyOf(tenant: string): Promise<string> {
  const response = await fetch(`${site.gate.url}/v1/keys`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${site.gate.adminToken}` },
    body: JSON.stringify({ name: 'test', tenant, scopes: ['ask', 'ingest'] }),
  })
  return ((await response.json()) as { token: string }).token
}

describe('twenty identical cold questions at the same time', () => {
  test('call the model once, and report who waited', async () => {
    // Long enough for all of them to come.
    site.model.behave('answer', 2000)
    const responses = await together('For how many days are nightly backups kept?')
    const bodies = new Set(await Promise.all(responses.map((response) => response.text())))
    expect(site.model.calls).toHaveLength(1)
    expect(responses.map(({ status }) => status)).toEqual(Array(ASKERS).fill(200))
    expect(bodies.size).toBe(1)
    const said = responses.map(({ headers }) => headers.get('cache-status')?.replace(/ttl=\d+/, 'ttl=N') ?? '').sort()
    expect(said).toEqual(['rag-gate; fwd=miss', ...Array(ASKERS - 1).fill('rag-gate; fwd=miss; ttl=N; collapsed')])
    const again = await ask('For how many days are nightly backups kept?')
    expect(again.headers.get('cache-status')).toMatch(/^rag-gate; hit/)
  })

  test.runIf(DEEP)('each get the error with its code when the model fails for every leader', async () => {
    site.model.behave('nonsense', 300)
    const responses = await together('When does an on-call engineer answer pages?')
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([502]))
    const codes = await Promise.all(
      responses.map(async (response) => (await response.json()) as { error: { code: string } }),
    )
    expect(new Set(codes.map(({ error }) => error.code))).toEqual(new Set(['llm_bad_response']))
  })

  test("get the second leader's answer when the model failed for the first", async () => {
    site.model.behave('nonsense', 400)
    const asking = together('Where are passwords kept?')
    await modelCalls(1)
    site.model.behave('answer', 100)
    await sleep(50)
    const statuses = (await asking).map(({ status }) => status).sort()
    expect(statuses).toEqual([...Array(ASKERS - 1).fill(200), 502])
    expect(site.model.calls).toHaveLength(2)
  })

  test.runIf(DEEP)('share an unfinished answer, and the next question gets a new one', async () => {
    // Long enough for all of them to come: who comes later asks for an answer of their own.
    site.model.behave('cut', 2500)
    const question = 'On which day does the rota change?'
    const responses = await together(question)
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    expect(site.model.calls).toHaveLength(1)
    expect((await ask(question)).headers.get('cache-status')).toBe('rag-gate; fwd=miss')
    expect(site.model.calls).toHaveLength(2)
  })

  test('are answered when the leading request is cancelled', async () => {
    site.model.behave('answer', 1500)
    const controller = new AbortController()
    const question = 'In which class are train tickets booked?'
    const leader = ask(question, { signal: controller.signal }).catch(() => 'cancelled')
    await modelCalls(1)
    const followers = together(question)
    await sleep(200)
    controller.abort()
    expect(await leader).toBe('cancelled')
    const statuses = (await followers).map(({ status }) => status)
    expect(statuses).toEqual(Array(ASKERS).fill(200))
    // The cancelled one's, and at most one more.
    expect(site.model.calls.length).toBeLessThanOrEqual(2)
  })

  test("of two tenants call the model twice, and neither sees the other's answer", async () => {
    const [acme, globex] = [await keyOf('acme'), await keyOf('globex')]
    const question = 'What is the code of the rocket launch?'
    for (const [token, code] of [
      [acme, '7421'],
      [globex, '9999'],
    ] as const) {
      await ingest(site.gate.url, token, [
        { id: 'rocket', text: `# Rocket\n\nThe code of the rocket launch is ${code}.` },
      ])
    }
    site.model.behave('answer', 400)
    const [ours, theirs] = await Promise.all([
      together(question, { token: acme }),
      together(question, { token: globex }),
    ])
    expect(site.model.calls).toHaveLength(2)
    const seen = site.model.calls.map(({ body }) => body.messages[1]?.content ?? '')
    expect(seen.filter((content) => content.includes('7421'))).toHaveLength(1)
    expect(seen.filter((content) => content.includes('9999'))).toHaveLength(1)
    const ids = async (responses: readonly Response[]) =>
      new Set(
        await Promise.all(
          responses.map(async (response) => ((await response.json()) as { decision_id: string }).decision_id),
        ),
      )
    const [own, other] = [await ids(ours), await ids(theirs)]
    expect([own.size, other.size]).toEqual([1, 1])
    expect([...own]).not.toEqual([...other])
  })

  test.runIf(DEEP)('with no-cache do not wait for each other', async () => {
    site.model.behave('answer', 100)
    const responses = await Promise.all(
      Array.from({ length: 3 }, () =>
        ask('Who approves a restored backup?', { headers: { 'cache-control': 'no-cache' } }),
      ),
    )
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(site.model.calls).toHaveLength(3)
  })
})
