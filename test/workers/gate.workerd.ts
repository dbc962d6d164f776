import { env } from 'cloudflare:workers'
import { Hono } from 'hono'
import { beforeAll, describe, expect, test } from 'vitest'
import type { StoredAnswer } from '../../src/ports/answer-cache.ts'
import { definePolicy } from '../../src/core/policy/policy.ts'
import { balanced } from '../../src/presets/balanced/balanced.ts'
import { answerCache } from '../../src/cache/answer-cache.ts'
import { ragGate } from '../../src/middleware/rag-gate.ts'
import type { GateBindings } from '../../workers/gate/bindings.ts'
import { answer } from '../../workers/gate/ask/answer.ts'
import { compositionFor } from '../../workers/gate/compose.ts'
import { HANDBOOK, MIDDLING, OFF_TOPIC, STRONG } from '../fixtures/corpus.ts'
import { ADMIN, isolateBindings, post, send, workerOver } from '../worker-requests.ts'

const ask = (question: string, headers?: Record<string, string>, app?: Parameters<typeof workerOver>[1]) =>
  workerOver(isolateBindings, app).post('/ask', { question }, headers)

const ttlOf = (response: Response): number => Number(/ttl=(\d+)/.exec(response.headers.get('cache-status') ?? '')?.[1])

async function eventsInD1(): Promise<number> {
  await compositionFor(isolateBindings).log.flush()
  const row = await env.DB.prepare('SELECT count(*) AS n FROM decisions').first<{ n: number }>()
  return row?.n ?? 0
}

interface Reply {
  answer: string
  refused: boolean
  verdict: string
  reason_code: string
  refusal_reason?: string
  decision_id: string
  sources: { id: string; document_id: string }[]
  passages?: { document_id: string; text: string }[]
  closest?: { title: string; section?: string }[]
  detail?: { confidence: number; chunks: { scores: Record<string, number> }[] }
}

beforeAll(async () => {
  const response = await post('/v1/documents', { documents: HANDBOOK }, ADMIN)
  if (!response.ok) throw new Error(`The handbook was not ingested: ${response.status}`)
})

describe('a question', () => {
  test('with strong evidence is answered with the passages found, unchanged', async () => {
    const response = await ask(STRONG)
    expect(response.status).toBe(200)
    const reply = await response.json<Reply>()
    expect(reply).toMatchObject({ refused: false, verdict: 'pass', answered_by: 'search', reason_code: 'passed' })
    const { passages = [], sources } = reply
    expect(reply.answer).toBe(`Found ${passages.length} passages for this question.`)
    expect(passages[0]).toEqual({
      id: sources[0]?.id,
      document_id: 'retention',
      title: 'Data retention',
      section: expect.any(String),
      text: expect.stringContaining('kept for thirty-five days'),
    })
    expect(passages.map(({ document_id: id }) => id)).toEqual(sources.map(({ document_id: id }) => id))
    expect(response.headers.get('rag-gate')).toMatch(
      /^pass;band=high;reason=passed;policy="balanced@[0-9a-f]{16}";id="/,
    )
    expect(response.headers.get('cache-control')).toBe('private, no-store')
  })

  test('without evidence is refused with a reason and without figures', async () => {
    const reply = await (await ask(OFF_TOPIC)).json<Reply>()
    expect(reply).toMatchObject({ refused: true, verdict: 'refuse', reason_code: 'confidence_low', sources: [] })
    expect(reply.answer).toBe(
      'I cannot answer this question based on the available documents. The retrieved information is not sufficiently relevant.',
    )
    expect(reply.detail).toBeUndefined()
    const titles: readonly string[] = HANDBOOK.map(({ title }) => title)
    expect(reply.closest?.length).toBeGreaterThan(0)
    for (const { title, ...rest } of reply.closest ?? []) expect([titles.includes(title), rest]).toEqual([true, {}])
    expect(JSON.stringify({ ...reply, decision_id: '' })).not.toMatch(/\d/)
  })

  test('shows its figures to the administrator, never from an entry shared with the public', async () => {
    await ask(OFF_TOPIC)
    const response = await ask(OFF_TOPIC, ADMIN)
    const reply = await response.json<Reply>()
    expect(response.headers.get('cache-status')).toBe('rag-gate; fwd=miss')
    expect(reply.refusal_reason).toMatch(/^Confidence \(0\.\d{4}\) below threshold \(0\.55\)$/)
    expect(reply.detail?.chunks[0]?.scores).toHaveProperty('bm25')
    expect(reply.closest?.[0]).toHaveProperty('section')
  })

  test('asked again comes from the cache, byte for byte, as a new event for the same decision', async () => {
    const question = 'How long are access logs kept?'
    const first = await ask(question)
    const again = await ask(`  ${question.replace('access', 'access ')} `)
    // Callers of a tenant share answers: whether another one asked before is told to operators only.
    expect(first.headers.get('cache-status')).toBeNull()
    expect(again.headers.get('cache-status')).toBe('rag-gate; hit')
    expect(again.headers.get('age')).toMatch(/^[01]$/)
    expect(await again.text()).toBe(await first.text())
    expect(again.headers.get('rag-gate')).not.toBe(first.headers.get('rag-gate'))
  })

  test('with stronger evidence is cached longer', async () => {
    await ask(STRONG, ADMIN)
    await ask(MIDDLING, ADMIN)
    const strong = await ask(STRONG, ADMIN)
    const middling = await ask(MIDDLING, ADMIN)
    expect(strong.headers.get('rag-gate')).toMatch(/^pass/)
    expect(middling.headers.get('rag-gate')).toMatch(/^advise/)
    expect(ttlOf(strong)).toBeGreaterThan(ttlOf(middling))
    expect(ttlOf(middling)).toBeGreaterThan(0)
  })

  test('gets a new answer once its lifetime is over, and its age rises until then', async () => {
    const { id: _, ...settings } = balanced()
    const seconds = { fromSeconds: 3, toSeconds: 3 }
    const policy = definePolicy({
      ...settings,
      name: 'short-lived',
      cacheLifetimes: { high: seconds, medium: seconds, low: seconds, adviseAtMostSeconds: 3, refusalSeconds: 0 },
    })
    const app = new Hono<{ Bindings: GateBindings }>()
    app.post(
      '/ask',
      ragGate<GateBindings>({
        dependencies: (bindings) => compositionFor(bindings).gate,
        policy,
      }),
      answer,
    )
    await ask(STRONG, ADMIN, app)
    const young = await ask(STRONG, ADMIN, app)
    await scheduler.wait(1500)
    const older = await ask(STRONG, ADMIN, app)
    await scheduler.wait(2000)
    const late = await ask(STRONG, ADMIN, app)
    expect(Number(older.headers.get('age'))).toBeGreaterThan(Number(young.headers.get('age')))
    expect(ttlOf(older)).toBeLessThan(ttlOf(young))
    expect(late.headers.get('age')).toBeNull()
    expect(late.headers.get('cache-status')).toMatch(/fwd=(stale|miss)/)
  })

  test('that was refused is answered as soon as a document about it exists', async () => {
    const question = 'What is the launch code of the rocket?'
    expect(await (await ask(question)).json<Reply>()).toMatchObject({ refused: true })
    const documents = [{ id: 'rocket', text: '# Rocket\n\nThe launch code of the rocket is 7421.' }]
    await post('/v1/documents', { documents }, ADMIN)
    const response = await ask(question)
    expect(response.headers.get('cache-status')).toBeNull()
    expect((await response.json<Reply>()).passages?.[0]?.text).toContain('7421')
  })
})

describe('documents', () => {
  test('that did not change cause no write and no new version', async () => {
    const first = await (
      await post('/v1/documents', { collection: 'twice', documents: HANDBOOK }, ADMIN)
    ).json<{ corpus_version: number }>()
    const second = await (
      await post('/v1/documents', { collection: 'twice', documents: HANDBOOK }, ADMIN)
    ).json<{
      corpus_version: number
      documents: { status: string; chunks_written: number }[]
    }>()
    expect(second.corpus_version).toBe(first.corpus_version)
    expect(second.documents.every(({ status, chunks_written }) => status === 'unchanged' && chunks_written === 0)).toBe(
      true,
    )
  })

  test('that changed cause writes of the changed chunks only, and removed text is no longer found', async () => {
    const long = (fact: string): string => `# One\n\n${'The first part stays. '.repeat(60)}\n\n# Two\n\n${fact}`
    const put = (text: string) => post('/v1/documents', { collection: 'edits', documents: [{ id: 'd', text }] }, ADMIN)
    await put(long('The old colour of the bridge is green.'))
    const reply = await (
      await put(long('The new colour of the bridge is red.'))
    ).json<{
      corpus_version: number
      documents: { chunks_written: number; chunks_removed: number }[]
    }>()
    expect(reply).toMatchObject({ corpus_version: 2, documents: [{ chunks_written: 1, chunks_removed: 1 }] })
    const found = await (
      await post('/ask', { question: 'Which colour has the bridge?', collection: 'edits' }, ADMIN)
    ).text()
    expect(found).toContain('is red')
    expect(found).not.toContain('is green')
  })

  test('of one collection are not found in another', async () => {
    await post(
      '/v1/documents',
      { collection: 'other', documents: [{ id: 'x', text: 'The door opens at noon.' }] },
      ADMIN,
    )
    const reply = await (await post('/ask', { question: STRONG, collection: 'other' })).json<Reply>()
    expect(reply.refused).toBe(true)
  })
})

describe('a collection with another embedding', () => {
  const collectionOf = async (id: string, model: string, dimension: number) => {
    await env.DB.prepare(
      `INSERT INTO collections (tenant, id, corpus_version, embedding_model, dimension, updated_at_ms)
       VALUES ('default', ?, 1, ?, ?, 0)`,
    )
      .bind(id, model, dimension)
      .run()
    return post('/ask', { question: STRONG, collection: id })
  }

  test('is not searched', async () => {
    const made = await env.DB.prepare(
      "SELECT embedding_model AS model, dimension FROM collections WHERE id = 'default'",
    ).first<{ model: string; dimension: number }>()
    const { model, dimension } = made!
    const others = [
      await collectionOf('elsewhere', `${model}-2`, dimension),
      await collectionOf('longer', model, dimension + 1),
    ]
    for (const response of others) {
      expect([response.status, await response.json()]).toMatchObject([503, { error: { code: 'embedding_mismatch' } }])
    }
    expect((await collectionOf('same', model, dimension)).status).toBe(200)
  })
})

describe('statistics', () => {
  interface Statistics {
    decisions: number
    by_verdict: Record<string, number>
    by_cache: Record<string, number>
    series: { decisions: number }[]
  }
  const read = async (): Promise<Statistics> => (await send('/v1/stats', { headers: ADMIN })).json<Statistics>()

  test('count every question by verdict and cache state, including hits', async () => {
    const before = await read()
    const question = 'How many paid holidays has every employee?'
    await ask(question)
    await ask(question)
    await ask('Who invented the steam engine?')
    const after = await read()
    expect(after.decisions - before.decisions).toBe(3)
    expect((after.by_cache['hit'] ?? 0) - (before.by_cache['hit'] ?? 0)).toBe(1)
    expect((after.by_verdict['refuse'] ?? 0) - (before.by_verdict['refuse'] ?? 0)).toBe(1)
    expect(after.series.reduce((sum, hour) => sum + hour.decisions, 0)).toBe(after.decisions)
    expect(after.decisions).toBe(await eventsInD1())
  })

  test('contain an HMAC of a question in place of its words', async () => {
    await ask('Is the zyzzyva a weevil?')
    await eventsInD1()
    const rows = await env.DB.prepare('SELECT * FROM decisions').all()
    expect(JSON.stringify(rows.results)).not.toMatch(/zyzzyva/i)
    expect(rows.results.every((row) => /^[0-9a-f]{32}$/.test(String(row['question_hmac'])))).toBe(true)
  })
})

test('an unknown path is 404', async () => {
  const response = await post('/v1/nothing', {})
  expect(response.status).toBe(404)
  expect(await response.json()).toMatchObject({ error: { code: 'not_found' } })
})

describe('the cache', () => {
  test('stores the whole record under its final key', async () => {
    const kept: StoredAnswer[] = []
    const { gate } = compositionFor(isolateBindings)
    const app = new Hono<{ Bindings: GateBindings }>()
    const store = {
      get: async () => null,
      put: async (_: string, stored: StoredAnswer) => void kept.push(stored),
      delete: async () => undefined,
    }
    app.post(
      '/ask',
      ragGate<GateBindings>({
        policy: balanced(),
        dependencies: () => ({ ...gate, cache: answerCache({ store, scope: 'tenant' }) }),
      }),
      answer,
    )
    await ask(STRONG, {}, app)
    const [stored] = kept
    expect(stored).toMatchObject({
      schema: 2,
      status: 200,
      principalId: 'anonymous',
      decision: { tenant: 'default', collection: 'default', policyId: balanced().id, verdict: 'pass' },
    })
    expect(stored?.decision.evidenceIds.every((id) => /^[a-z2-7]{32}$/.test(id))).toBe(true)
    expect(stored?.decision.documentIds).toContain('retention')
    expect(stored?.headers.map(([name]) => name)).toEqual(['content-type'])
    expect(kept.map(({ key }) => key.slice(0, 25))).toEqual(['12:answer-key/48:question', '12:answer-key/48:evidence'])
  })
})
