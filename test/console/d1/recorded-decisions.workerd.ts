import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { createD1DecisionStore } from '../../../src/adapters/d1/decision-store.ts'
import {
  createD1RecordedDecisions,
  type DecisionsPage,
  type ListedDecisions,
  type Position,
} from '../../../packages/console/src/d1/recorded-decisions.ts'
import { createD1Statistics } from '../../../packages/console/src/d1/statistics.ts'
import type { DecisionFilter } from '../../../packages/console/src/d1/statistics/wanted.ts'
import { createD1WeakSpots } from '../../../packages/console/src/d1/weak-spots.ts'
import type { Decision } from '../../../src/core/policy/decision.ts'
import type { DecisionEvent } from '../../../src/ports/decision-log.ts'
import { uuidv7 } from '../../../src/core/lib/ids.ts'
import { aDecision, anEvent } from '../../fixtures/decision.ts'

const store = createD1DecisionStore({ db: env.DB })
const recorded = createD1RecordedDecisions({ db: env.DB })
const START_MS = Date.UTC(2026, 4, 1)

async function write(
  tenant: string,
  events: readonly (readonly [decision: Partial<Decision>, event: Partial<DecisionEvent>])[],
): Promise<void> {
  await store.write(
    events.map(([decision, event], at) => ({
      event: anEvent(`${tenant}-${String(at).padStart(5, '0')}`, {
        decision: aDecision({ tenant, ...decision }),
        atMs: START_MS + at,
        ...event,
      }),
      isolate: tenant,
      sequence: at + 1,
    })),
  )
}

/** Every page of a list, and how many there were. */
async function readAll(
  tenant: string,
  limit: number,
  filter: DecisionFilter = {},
): Promise<[ids: string[], pages: number]> {
  const ids: string[] = []
  let after: Position | undefined
  for (let pages = 1; ; pages++) {
    const page: ListedDecisions = await recorded.list({
      tenant,
      fromMs: START_MS,
      toMs: START_MS + 1e9,
      limit,
      filter,
      ...(after === undefined ? {} : { after }),
    })
    expect(page.decisions.length).toBeLessThanOrEqual(limit)
    ids.push(...page.decisions.map(({ id }) => id))
    if (page.next === undefined) return [ids, pages]
    after = page.next
  }
}

describe('list', () => {
  it('shows exactly what is counted as from the cache, as saved, and as led by a document', async () => {
    const [first, second] = ['manual.md', 'wiki.md']
    const states = ['hit', 'evidence-hit', 'stale', 'miss', 'bypass'] as const
    await write(
      'counted',
      Array.from({ length: 60 }, (_, at) => {
        const cache = states[at % 5]!
        const verdict = at % 3 === 0 ? 'refuse' : 'pass'
        const by = verdict === 'refuse' ? 'refusal' : at % 5 < 3 ? 'cache' : undefined
        const documentIds = at % 4 === 0 ? [second, first] : at % 4 === 1 ? [] : [first, second]
        return [
          { verdict, documentIds },
          { cache, ...(by === undefined ? {} : { saved: { by } }) },
        ] as const
      }),
    )
    const period = { tenant: 'counted', fromMs: START_MS, toMs: START_MS + 1e9 }
    const listed = async (only: Partial<DecisionsPage>): Promise<number> =>
      (await recorded.list({ ...period, limit: 100, ...only })).decisions.length
    const summary = (filter: DecisionFilter = {}) => createD1Statistics({ db: env.DB }).summary({ ...period, filter })
    const { byCache, latency, savings } = await summary()
    expect(byCache.hit + byCache['evidence-hit'] + byCache.stale).toBe(36)
    expect(await listed({ filter: { cache: 'cached' } })).toBe(36)
    expect(latency.cached.counted).toBe(36)
    const cached = await summary({ cache: 'cached', verdict: 'refuse' })
    expect(cached.decisions).toBe(12)
    expect(await listed({ filter: { cache: 'cached', verdict: 'refuse' } })).toBe(12)

    expect([savings.callsAvoidedByRefusal, savings.callsAvoidedByCache]).toEqual([20, 24])
    expect([await listed({ saved: 'refusal' }), await listed({ saved: 'cache' })]).toEqual([20, 24])

    const spots = createD1WeakSpots({ db: env.DB })
    const documents = await spots.documents({
      ...period,
      limit: 10,
      weakBelow: 0.7,
      minDecisions: 1,
      sort: 'decisions',
    })
    expect(documents.map(({ documentId }) => documentId)).toEqual([first, second])
    for (const { documentId, decisions, refused } of documents) {
      expect(refused).toBeGreaterThan(0)
      expect(await listed({ ledBy: documentId })).toBe(decisions)
      expect(await listed({ ledBy: documentId, filter: { verdict: 'refuse' } })).toBe(refused)
    }
  })

  it('returns every decision once, the latest first, in pages of any size', async () => {
    // Four at the same millisecond: their ids tell them apart.
    await write(
      'paged',
      Array.from({ length: 23 }, (_, at) => [{}, { atMs: START_MS + Math.floor(at / 4) }]),
    )
    const latestFirst = Array.from({ length: 23 }, (_, at) => `paged-${String(22 - at).padStart(5, '0')}`)
    for (const limit of [1, 4, 7, 22, 23, 100]) expect((await readAll('paged', limit))[0]).toEqual(latestFirst)
  })

  it('continues at its place while further decisions arrive', async () => {
    await write(
      'moving',
      Array.from({ length: 6 }, () => [{}, {}]),
    )
    const period = { tenant: 'moving', fromMs: START_MS, toMs: START_MS + 1e9, limit: 3 }
    const first = await recorded.list(period)
    await store.write([
      {
        event: anEvent('moving-late', { decision: aDecision({ tenant: 'moving' }), atMs: START_MS + 99 }),
        isolate: 'moving',
        sequence: 7,
      },
    ])
    const second = await recorded.list({ ...period, after: first.next! })
    expect(second.decisions.map(({ id }) => id)).toEqual(['moving-00002', 'moving-00001', 'moving-00000'])
  })

  it('can be filtered, and stays within the period and the tenant', async () => {
    await write('picked', [
      [{ verdict: 'refuse', reason: 'no_evidence' as Decision['reason'] }, {}],
      [{ verdict: 'refuse' }, { cache: 'hit' }],
      [{ collection: 'wiki', policyId: 'two-tier@1' }, {}],
      [{ band: 'low' }, { mode: 'observe' }],
    ])
    await write('picked-not', [[{ verdict: 'refuse' }, {}]])
    const ids = async (filter: DecisionFilter): Promise<number[]> =>
      (await readAll('picked', 10, filter))[0].map((id) => Number(id.slice(-5)))
    expect(await ids({ verdict: 'refuse' })).toEqual([1, 0])
    expect(await ids({ verdict: 'refuse', reason: 'no_evidence' })).toEqual([0])
    expect(await ids({ cache: 'hit' })).toEqual([1])
    expect(await ids({ collection: 'wiki' })).toEqual([2])
    expect(await ids({ policyId: 'two-tier@1' })).toEqual([2])
    expect(await ids({ mode: 'observe' })).toEqual([3])
    expect(await ids({ band: 'low' })).toEqual([3])
    expect(await ids({ verdict: `refuse' OR 1=1 --` as 'refuse' })).toEqual([])
    const { decisions } = await recorded.list({ tenant: 'picked', fromMs: START_MS + 1, toMs: START_MS + 3, limit: 10 })
    expect(decisions.map(({ id }) => id)).toEqual(['picked-00002', 'picked-00001'])
  })

  it('can be narrowed to a person, a question, a document, or a range of confidence', async () => {
    const asked = (principalId: string, hmac: string) => ({ principalId, question: { hmac, keyId: 'k' } })
    await write('narrow', [
      [{ confidence: 0.25, documentIds: ['a', 'b'] }, asked('one', 'why')],
      [{ confidence: 0.5, documentIds: ['b', 'a'] }, asked('two', 'why')],
      [{ confidence: 0.75, documentIds: ['c'] }, asked('one', 'how')],
      [{ confidence: 1, documentIds: [] }, {}],
    ])
    const ids = async (only: Partial<DecisionsPage>): Promise<number[]> => {
      const page = { tenant: 'narrow', fromMs: START_MS, toMs: START_MS + 1e9, limit: 10, ...only }
      return (await recorded.list(page)).decisions.map(({ id }) => Number(id.slice(-5)))
    }
    expect(await ids({ principalId: 'one' })).toEqual([2, 0])
    expect(await ids({ questionHmac: 'why' })).toEqual([1, 0])
    expect(await ids({ principalId: 'one', questionHmac: 'why' })).toEqual([0])
    expect(await ids({ documentId: 'a' })).toEqual([1, 0])
    expect(await ids({ ledBy: 'a' })).toEqual([0])
    expect(await ids({ documentId: 'a" OR 1' })).toEqual([])
    expect(await ids({ minConfidence: 0.5 })).toEqual([3, 2, 1])
    expect(await ids({ maxConfidence: 0.5 })).toEqual([0])
    expect(await ids({ minConfidence: 0.5, maxConfidence: 0.75 })).toEqual([1])
    // A bound of 1 includes it.
    expect(await ids({ maxConfidence: 1 })).toEqual([3, 2, 1, 0])
  })

  it.each(['default', 'neighbour'])('of the tenant %s holds none of others in the same moments', async (tenant) => {
    const others = ['default', 'neighbour', 'stranger'].filter((each) => each !== tenant)
    for (const other of others) await write(other, [[{}, { atMs: START_MS }]])
    await write(tenant, [
      [{}, { atMs: START_MS }],
      [{ verdict: 'refuse' }, { atMs: START_MS + 1 }],
    ])
    const period = { tenant, fromMs: START_MS, toMs: START_MS + 10, limit: 10 }
    const own = [`${tenant}-00000`, `${tenant}-00001`]
    expect((await recorded.list(period)).decisions.map(({ id }) => id)).toEqual([...own].reverse())
    expect((await recorded.sample(period)).map(({ id }) => id)).toEqual([...own].reverse())
    expect((await recorded.stretch(period)).map(({ id }) => id)).toEqual(own)
    expect(await recorded.one(tenant, `${others[0]}-00000`)).toBeUndefined()
  })

  it('finds a rare decision among thousands of others, page after page', async () => {
    await write(
      'rare',
      Array.from({ length: 4_500 }, (_, at) => [{ verdict: at === 10 ? 'refuse' : 'pass' }, {}]),
    )
    const [ids, pages] = await readAll('rare', 50, { verdict: 'refuse' })
    expect(ids).toEqual(['rare-00010'])
    // 2,000 decisions are gone through for a page.
    expect(pages).toBe(3)
  })

  it('finds a decision right behind those gone through, and ends with a page that is just full', async () => {
    await write(
      'behind',
      Array.from({ length: 2_001 }, (_, at) => [{ verdict: at === 0 ? 'refuse' : 'pass' }, {}]),
    )
    expect(await readAll('behind', 50, { verdict: 'refuse' })).toEqual([['behind-00000'], 2])
    await write('full', [
      [{}, {}],
      [{}, {}],
    ])
    expect(await readAll('full', 2)).toEqual([['full-00001', 'full-00000'], 1])
  })
})

describe('one', () => {
  it('contains the whole record, its labels and its audit events', async () => {
    const decision = aDecision({
      id: 'decision-of-whole',
      tenant: 'whole',
      verdict: 'refuse',
      policyId: 'whole@1',
      escalate: true,
    })
    const keeping = createD1DecisionStore({
      db: env.DB,
      policyOf: (id) => ({ id, name: 'whole' }),
      storeQuestions: { retentionDays: 1 },
    })
    const audit = [{ type: 'RAG_ADVISORY_LOW_CONFIDENCE', payload: { confidence: 0.5 } }]
    const question = { hmac: 'hmac-of-whole', keyId: 'k1', text: 'Why?' }
    const event = anEvent('whole-event', { decision, audit, question })
    await keeping.write([{ event, isolate: 'whole', sequence: 1 }])
    await env.DB.prepare(
      `INSERT INTO feedback (event_id, source, tenant, at_ms, rating, comment, principal_id)
       VALUES ('whole-event', 'user', 'whole', 1, 'wrong', 'no', 'reader')`,
    ).run()
    const found = await recorded.one('whole', 'whole-event')
    expect(found).toMatchObject({
      id: 'whole-event',
      signals: decision.signals,
      evidenceIds: decision.evidenceIds,
      escalate: 1,
      questionText: 'Why?',
      policy: { id: 'whole@1', name: 'whole' },
      labels: [{ source: 'user', rating: 'wrong', comment: 'no', atMs: 1 }],
      auditEvents: [{ type: audit[0]!.type, payload: audit[0]!.payload }],
    })
  })

  it.each([0, 20, 90_000, 23 * 3_600_000])(
    'is found by an id whose time is %i ms before that of the event',
    async (laterMs) => {
      const atMs = Date.UTC(2026, 3, 4)
      const id = uuidv7(atMs - laterMs, crypto.randomUUID())
      const event = anEvent(id, { decision: aDecision({ tenant: 'timed' }), atMs })
      await createD1DecisionStore({ db: env.DB }).write([{ event, isolate: 'timed', sequence: 1 }])
      expect((await recorded.one('timed', id))?.id).toBe(id)
    },
  )

  it('contains the policy that decided, of the deployment or pushed by the tenant, if it is known', async () => {
    await write('judged', [
      [{ policyId: 'own@1' }, {}],
      [{ policyId: 'lost@1' }, {}],
    ])
    const push = env.DB.prepare(
      `INSERT INTO pushed_policies (tenant, id, name, version, settings, pin, created_at_ms, created_by, why)
      VALUES (?1, 'own@1', 'own', 1, ?2, ?3, 0, '', '')`,
    )
    const pin = { collection: 'manual' }
    await push.bind('judged', '{"bands":{}}', JSON.stringify(pin)).run()
    await push.bind('judged-not', '{"gates":[]}', null).run()
    const found = await Promise.all(['judged-00000', 'judged-00001'].map((id) => recorded.one('judged', id)))
    expect(found).toMatchObject([
      { policy: { id: 'own@1', bands: {} }, pin },
      { policy: null, pin: null },
    ])
  })

  it('is not returned to another tenant', async () => {
    await write('owner', [[{}, {}]])
    expect(await recorded.one('other', 'owner-00000')).toBeUndefined()
    expect(await recorded.one('owner', 'nothing')).toBeUndefined()
  })
})

describe('stretch', () => {
  it('contains complete decisions from a place on, earliest first, within its period', async () => {
    await write(
      'stretched',
      Array.from({ length: 5 }, () => [{}, {}]),
    )
    const period = { tenant: 'stretched', fromMs: START_MS, toMs: START_MS + 4 }
    const first = await recorded.stretch({ ...period, limit: 2 })
    expect(first.map(({ id }) => id)).toEqual(['stretched-00000', 'stretched-00001'])
    expect(first[0]).toMatchObject({ signals: aDecision().signals, findings: [], principalId: 'reader' })
    const others = await recorded.stretch({ ...period, limit: 10, after: first[1]!.place })
    expect(others.map(({ id }) => id)).toEqual(['stretched-00002', 'stretched-00003'])
  })
})

describe('sample', () => {
  it('tells what a record lacks, and is filtered before it is limited', async () => {
    await write('lacking', [
      [{ collection: 'wiki' }, { atMs: START_MS, principalId: '' }],
      [{ collection: 'wiki' }, { atMs: START_MS + 1, cut: ['signals'] }],
      [{ collection: 'wiki', reranker: 'failed' }, { atMs: START_MS + 2 }],
      [{ collection: 'manual' }, { atMs: START_MS + 3 }],
    ])
    const period = { tenant: 'lacking', fromMs: START_MS, toMs: START_MS + 10 }
    const sampled = await recorded.sample({ ...period, limit: 3, filter: { collection: 'wiki' } })
    expect(sampled).toMatchObject([
      { id: 'lacking-00002', verdict: 'pass', reader: 'failed', signals: aDecision().signals },
      { id: 'lacking-00001', lost: 'cut' },
      { id: 'lacking-00000', lost: 'erased' },
    ])
    expect(sampled[0]).not.toHaveProperty('lost')
  })

  it('contains only decisions that were made, not repeated answers', async () => {
    const states = ['miss', 'hit', 'evidence-hit', 'bypass', 'stale'] as const
    await write(
      'sampled',
      states.map((cache) => [{}, { cache }]),
    )
    const sampled = await recorded.sample({ tenant: 'sampled', fromMs: START_MS, toMs: START_MS + 1e9, limit: 10 })
    expect(sampled.map(({ id }) => id).sort()).toEqual(['sampled-00000', 'sampled-00003'])
  })
})
