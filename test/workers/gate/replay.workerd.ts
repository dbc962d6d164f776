/** What another policy would have decided: the same as it decides when it is asked. */
import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import { createD1DecisionStore } from '../../../src/adapters/d1/decision-store.ts'
import { putTogether } from '../../../src/adapters/d1/signal-shape.ts'
import { policySettings } from '../../../src/core/policy/policy.ts'
import { unscaled } from '../../../src/core/policy/scaled.ts'
import type { Signals } from '../../../src/core/signals/measure.ts'
import { balanced } from '../../../src/presets/balanced/balanced.ts'
import { compositionFor } from '../../../workers/gate/compose.ts'
import { HANDBOOK, OFF_TOPIC, STRONG } from '../../fixtures/corpus.ts'
import { aDecision, anEvent } from '../../fixtures/decision.ts'
import { ADMIN, isolateBindings, post, send } from '../../worker-requests.ts'

/** Sends JSON as the operator. */
const call = (path: string, body: unknown, method = 'POST'): Promise<Response> => post(path, body, ADMIN, method)

interface Replay {
  policy: string
  policy_id: string
  decisions: number
  judged: number
  not_replayable: { count: number; reasons: Record<string, number> }
  before: Record<string, number>
  after: Record<string, number>
  would_refuse: { rate: number | null; low: number; high: number }
  calls_avoided: number
  changed: { count: number; decisions: { id: string; from: string; to: string; confidence: number }[] }
}

const replay = async (policy: string, query = ''): Promise<Replay> =>
  (await call(`/v1/replay${query}`, { policy })).json<Replay>()

/** The last is one word: refused for what it is, with any evidence. */
const QUESTIONS = [
  STRONG,
  OFF_TOPIC,
  'How long are access logs kept?',
  'Who approves that a backup is restored?',
  'When are employees paid a bonus?',
  'Which class are train tickets booked in?',
  'How many unused holidays expire on the moon?',
  'engineer',
]
const LAST = QUESTIONS.length - 1

/** Ids of the events of the first asks, in the order of the questions, and what was decided. */
let first: { id: string; verdict: string }[] = []

async function askAll(): Promise<{ id: string; verdict: string }[]> {
  const asked = []
  for (const question of QUESTIONS) {
    const response = await call('/ask', { question })
    const [, id = ''] = /;id="([^"]+)"/.exec(response.headers.get('rag-gate') ?? '') ?? []
    asked.push({ id, verdict: (await response.json<{ verdict: string }>()).verdict })
  }
  return asked
}

/** What was recorded of the first question that was asked. */
async function signalsOfFirst(): Promise<Signals> {
  const row = await env.DB.prepare(
    'SELECT signals, shape FROM decisions JOIN signal_shapes ON signal_shapes.id = signal_shape WHERE decisions.id = ?1',
  )
    .bind(first[0]!.id)
    .first<{ signals: string; shape: string }>()
  return putTogether(row!.shape, JSON.parse(row!.signals) as number[]) as Signals
}

/** Refuses nothing by its confidence. */
const settings = { ...policySettings(balanced({ refuseBelow: 0, adviseBelow: 0 })), name: 'loosest' }

beforeAll(async () => {
  await call('/v1/documents', { documents: HANDBOOK })
  first = await askAll()
  // From the cache: left out.
  await call('/ask', { question: STRONG })
  await compositionFor(isolateBindings).log.flush()
})

describe('POST /v1/replay', () => {
  test("gives every decision's verdict again under the policy that made it", async () => {
    const { results } = await env.DB.prepare(
      `SELECT verdict, count(*) AS n FROM decisions WHERE cache <> 'hit' GROUP BY verdict`,
    ).all<{ verdict: string; n: number }>()
    const counts = {
      pass: 0,
      advise: 0,
      refuse: 0,
      ...Object.fromEntries(results.map(({ verdict, n }) => [verdict, n])),
    }
    const same = await replay('balanced')
    expect(same).toMatchObject({
      policy: 'balanced',
      policy_id: balanced().id,
      decisions: QUESTIONS.length,
      judged: QUESTIONS.length,
      not_replayable: { count: 0, reasons: {} },
      before: counts,
      after: counts,
      would_refuse: { rate: counts.refuse / QUESTIONS.length },
      calls_avoided: 0,
      changed: { count: 0, decisions: [] },
    })
    // There is something to tell apart.
    expect(counts.refuse).toBeGreaterThan(1)
    expect(counts.pass + counts.advise).toBeGreaterThan(1)
  })

  test('predicts for each decision what another policy decides when asked, also for pushed policies', async () => {
    const { id: pushed } = await (await call('/v1/policies/pushed', { settings }, 'PUT')).json<{ id: string }>()
    const policies = ['balanced-strict', 'two-tier', 'weighted-signals-renormalised', pushed]
    const before = new Map<string, Replay>()
    for (const policy of policies) before.set(policy, await replay(policy))
    let changes = 0
    for (const policy of policies) {
      expect((await call('/v1/policy', { policy }, 'PUT')).status).toBe(200)
      const asked = await askAll()
      const changed = first.flatMap(({ id, verdict }, at) => {
        const to = asked[at]!.verdict
        return to === verdict ? [] : [{ id, from: verdict, to }]
      })
      const told = before.get(policy)!
      const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1)
      const named = told.changed.decisions.map(({ id, from, to }) => ({ id, from, to }))
      expect(named.sort(byId), policy).toEqual(changed.sort(byId))
      expect(told, policy).toMatchObject({ judged: QUESTIONS.length, changed: { count: changed.length } })
      const refused = asked.filter(({ verdict }) => verdict === 'refuse').length
      expect(told.after['refuse'], policy).toBe(refused)
      expect(told.would_refuse.rate, policy).toBe(refused / QUESTIONS.length)
      expect(told.calls_avoided, policy).toBe(refused - told.before['refuse']!)
      changes += changed.length
    }
    await call('/v1/policy', { policy: null }, 'PUT')
    expect(changes).toBeGreaterThan(3)
    const loosest = before.get(pushed)!
    expect(loosest).toMatchObject({ policy: pushed, policy_id: pushed })
    // What was found in the question itself stands, though the text is gone and this policy refuses nothing else.
    expect(first[LAST]!.verdict).toBe('refuse')
    expect(loosest.changed.decisions.map(({ id }) => id)).not.toContain(first[LAST]!.id)
    expect(loosest.after['refuse']).toBeGreaterThan(0)
  })

  test('reports decisions that cannot be replayed, with the reason', async () => {
    const atMs = Date.now() - 1_000
    const signals = await signalsOfFirst()
    const decision = aDecision({ tenant: 'default', collection: 'lost', verdict: 'pass', signals })
    const measured = aDecision({
      tenant: 'default',
      collection: 'lost',
      signals: { ...signals, sentenceMatch: null as never },
    })
    await createD1DecisionStore({ db: env.DB }).write(
      [
        anEvent('whole', { decision, atMs }),
        anEvent('cut', { decision, atMs, cut: ['signals'] }),
        anEvent('erased', { decision, atMs, principalId: '' }),
        anEvent('unmeasured', { decision: measured, atMs }),
      ].map((event, at) => ({ event, isolate: 'lost', sequence: at + 1 })),
    )
    expect(await replay('balanced', '?collection=lost')).toMatchObject({
      decisions: 4,
      judged: 1,
      not_replayable: { count: 3, reasons: { cut: 1, erased: 1, signal_missing: 1 } },
      before: { pass: 1, advise: 0, refuse: 0 },
      after: { pass: 1, advise: 0, refuse: 0 },
    })
    expect(await replay('sufficiency', '?collection=lost')).toMatchObject({
      decisions: 4,
      judged: 0,
      not_replayable: { count: 4, reasons: { judges_answers: 4 } },
      would_refuse: { rate: null, low: 0, high: 1 },
    })
  })

  test('reports decisions without reader scores, and refuses when a reader that the policy needs failed', async () => {
    const atMs = Date.now() - 1_000
    const signals = await signalsOfFirst()
    const decided = { tenant: 'default', collection: 'unread', verdict: 'pass', signals } as const
    await createD1DecisionStore({ db: env.DB }).write(
      (['failed', 'timeout', 'spared', 'off', 'ok'] as const).map((reranker, at) => ({
        event: anEvent(`unread-${reranker}`, { decision: aDecision({ ...decided, reranker }), atMs }),
        isolate: 'unread',
        sequence: at + 1,
      })),
    )
    expect(await replay('balanced', '?collection=unread')).toMatchObject({
      decisions: 5,
      judged: 5,
      unread: { where_reader_failed: 'not_weighed', failed: 2, spared: 1, off: 1 },
    })
    const weighing = {
      ...settings,
      name: 'weighing',
      confidence: {
        kind: 'adjusted',
        base: unscaled(balanced().confidence).settings,
        intercept: 0,
        weights: { 'grade.top': 1 },
        unread: 'general',
        provenance: 'written by hand',
      },
    }
    const listed = await (
      await send('/v1/collections', { headers: ADMIN })
    ).json<{ collections: Record<string, unknown>[] }>()
    const { embedding_model, dimension, lexicon_id, corpus_version } = listed.collections[0]!
    const pin = { collection: 'default', embedding_model, dimension, lexicon_id, reader: null, corpus_version }
    const pushed = await call('/v1/policies/pushed', { settings: weighing, pin }, 'PUT')
    const { id } = await pushed.json<{ id: string }>()
    expect(await replay(id, '?collection=unread')).toMatchObject({
      decisions: 5,
      judged: 3,
      not_replayable: { count: 2, reasons: { not_read: 2 } },
      after: { pass: 1, refuse: 2 },
      unread: { where_reader_failed: 'refused', failed: 2, spared: 1, off: 0 },
    })
  })

  test('rejects a policy of another tenant', async () => {
    const { id } = await (await call('/v1/policies/pushed', { settings }, 'PUT')).json<{ id: string }>()
    expect((await call('/v1/replay?tenant=acme', { policy: id })).status).toBe(422)
  })
})
