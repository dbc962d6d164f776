import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import { describe, expect, it, vi } from 'vitest'
import {
  auditEvents,
  decisions,
  documentWeeks,
  isolates,
  policies,
  questionDays,
  questionTexts,
  signalShapes,
} from '../../../d1/schema.ts'
import { createBufferedDecisionLog } from '../../../src/adapters/buffered-decision-log.ts'
import { answerSignalsOf } from '../../fixtures/answer.ts'
import { createD1Counting } from '../../../packages/console/src/d1/counting.ts'
import { createD1DecisionStore } from '../../../src/adapters/d1/decision-store.ts'
import { putTogether } from '../../../src/adapters/d1/signal-shape.ts'
import { inBins, meansByName, namesIn } from '../../../packages/console/src/d1/statistics/sums.ts'
import type { Decision } from '../../../src/core/policy/decision.ts'
import type { Signals } from '../../../src/core/signals/measure.ts'
import type { NumberedEvent } from '../../../src/ports/decision-log.ts'
import { countedGroups } from '../../fixtures/counted-groups.ts'
import { aDecision, anEvent, seededRandom } from '../../fixtures/decision.ts'

const database = drizzle(env.DB)
const store = createD1DecisionStore({ db: env.DB })
const HOUR_MS = 3_600_000
const START_MS = Date.UTC(2026, 0, 2)

function pick<Value>(random: () => number, values: readonly Value[]): Value {
  return values[Math.floor(random() * values.length)]!
}

/** Events of one tenant with everything that rollups tell apart, and the counts that must come of them. */
function generate(
  tenant: string,
  count: number,
  seed: number,
): { events: NumberedEvent[]; expected: Map<string, number[]> } {
  const random = seededRandom(seed)
  const events: NumberedEvent[] = []
  const expected = new Map<string, number[]>()
  for (let at = 0; at < count; at++) {
    const verdict = pick(random, ['pass', 'advise', 'refuse'] as const)
    const band = pick(random, ['high', 'medium', 'low', 'very-low'] as const)
    // Any text will do: the database does not know the codes.
    const reason = pick(random, ['passed', 'no_evidence', 'below_min_score']) as Decision['reason']
    const cache = pick(random, ['hit', 'miss', 'bypass'] as const)
    const mode = pick(random, ['enforce', 'observe'] as const)
    const collection = pick(random, ['manual', 'wiki'])
    const policyId = pick(random, ['balanced@1', 'two-tier@2'])
    const atMs = START_MS + Math.floor(random() * 3 * HOUR_MS)
    // Eighths and quarters add up exactly in any order.
    const confidence = Math.floor(random() * 9) / 8
    const totalMs = random() < 0.8 ? Math.floor(random() * 400) / 4 : undefined
    const called = random() < 0.5
    const usage = { inputTokens: Math.floor(random() * 1_000), outputTokens: Math.floor(random() * 100) }
    events.push({
      event: anEvent(`${tenant}-${at}`, {
        decision: aDecision({ id: `decision-${at}`, tenant, collection, policyId, verdict, band, reason, confidence }),
        atMs,
        mode,
        cache,
        timings: totalMs === undefined ? {} : { totalMs },
        ...(called ? { model: 'model-1', usage } : {}),
      }),
      isolate: `${tenant}-isolate-${at % 3}`,
      sequence: Math.floor(at / 3) + 1,
    })
    const group = JSON.stringify([atMs - (atMs % HOUR_MS), collection, policyId, verdict, band, cache, reason, mode])
    const counts = expected.get(group) ?? [0, 0, 0, 0, 0, 0, 0, 0]
    const added = [
      1,
      1,
      confidence,
      totalMs === undefined ? 0 : 1,
      totalMs ?? 0,
      called ? 1 : 0,
      called ? usage.inputTokens : 0,
      called ? usage.outputTokens : 0,
    ]
    expected.set(
      group,
      counts.map((sum, index) => sum + added[index]!),
    )
  }
  return { events, expected }
}

const COUNTED = [
  'decisions',
  'confidence:count',
  'confidence:sum',
  'totalMs:count',
  'totalMs:sum',
  'modelCalls',
  'inputTokens',
  'outputTokens',
]

async function rollupsOf(tenant: string, spanMs = HOUR_MS): Promise<Map<string, number[]>> {
  const groups = (await countedGroups(env.DB, tenant)).filter((group) => group.spanMs === spanMs)
  return new Map(
    groups.map(({ startMs, collection, policyId, verdict, band, cache, reason, mode, counts }) => [
      JSON.stringify([startMs, collection, policyId, verdict, band, cache, reason, mode]),
      COUNTED.map((name) => counts[name] ?? 0),
    ]),
  )
}

describe('createD1DecisionStore', () => {
  it('stores every field of an event', async () => {
    const tenant = 'fields'
    const signals = {
      topBm25: 0.1,
      curves: { cosine: { scores: [0.30000000000000004, -1], topPairSharesDocument: true } },
    }
    const answerSignals = answerSignalsOf({ generationConfidence: 0.30000000000000004 })
    const decision = aDecision({
      tenant,
      answerSignals,
      // Any signals will do: the store does not look into them.
      signals: signals as unknown as Signals,
      findings: [
        {
          gate: 'min-top-score',
          stage: 'pre-generation',
          outcome: 'refuse',
          code: aDecision().reason,
          message: 'it\'s "low" — ümläut 🗝',
          actual: 0.1,
          threshold: 0.30000000000000004,
        },
      ],
    })
    const event = anEvent('fields-1', {
      decision,
      atMs: START_MS + HOUR_MS + 1,
      timings: { retrievalMs: 1.5, generationMs: 2.25, totalMs: 4 },
      question: { hmac: 'abc', keyId: 'k1' },
      model: 'model-1',
      usage: { inputTokens: 10, outputTokens: 2 },
      saved: { by: 'cache', inputTokens: 10, outputTokens: 2, modelCost: 0.1, retrievalCost: 0 },
    })
    await store.write([{ event, isolate: 'isolate-1', sequence: 7 }])
    const stored = await database.select().from(decisions).where(eq(decisions.tenant, tenant))
    // Of signals the shape stands once, and numbers have ten digits.
    const shapes = await database.select().from(signalShapes)
    const shape = shapes.find(({ id }) => id === stored[0]?.signalShape)?.shape ?? ''
    expect(putTogether(shape, stored[0]?.signals as number[])).toEqual({
      ...signals,
      curves: { cosine: { scores: [0.3, -1], topPairSharesDocument: true } },
    })
    expect(stored).toEqual([
      {
        place: expect.any(Number) as number,
        id: 'fields-1',
        decisionId: decision.id,
        atMs: START_MS + HOUR_MS + 1,
        tenant,
        collection: 'manual',
        corpusVersion: 3,
        policyId: 'balanced@0123456789abcdef',
        mode: 'enforce',
        route: '/ask',
        verdict: 'pass',
        band: 'medium',
        confidence: 0.8125,
        reason: 'passed',
        cache: 'miss',
        status: 200,
        rankedBy: 'convex',
        signals: [0.1, 0.3, -1],
        signalShape: expect.any(Number) as number,
        findings: decision.findings,
        evidenceIds: ['chunk-a', 'chunk-b'],
        documentIds: ['dokument-ä', 'document-b'],
        retrievalMs: 1.5,
        generationMs: 2.25,
        totalMs: 4,
        principalId: 'reader',
        questionHmac: 'abc',
        hmacKeyId: 'k1',
        model: 'model-1',
        inputTokens: 10,
        outputTokens: 2,
        isolate: 'isolate-1',
        sequence: 7,
        answerSignals,
        reranker: 'off',
        rerankMs: null,
        escalate: null,
        audit: null,
        cut: null,
        saved: { by: 'cache', inputTokens: 10, outputTokens: 2, modelCost: 0.1, retrievalCost: 0 },
      },
    ])
  })

  it('stores NULL for missing values and numbers that are not finite, and still counts the event', async () => {
    const decision = aDecision({
      tenant: 'gaps',
      confidence: Number.NaN,
      // What a defective measure would give.
      signals: { topBm25: Number.POSITIVE_INFINITY, bm25Lead: -0 } as unknown as Signals,
    })
    const event = anEvent('gaps-1', {
      decision,
      timings: { retrievalMs: Number.NaN, totalMs: Number.POSITIVE_INFINITY },
      usage: { inputTokens: Number.NaN, outputTokens: 1.5 },
    })
    await store.write([{ event, isolate: 'isolate-1', sequence: 1 }])
    const [stored] = await database.select().from(decisions).where(eq(decisions.tenant, 'gaps'))
    expect(stored).toMatchObject({
      confidence: null,
      signals: [null, 0],
      retrievalMs: null,
      generationMs: null,
      totalMs: null,
      questionHmac: null,
      hmacKeyId: null,
      model: null,
      inputTokens: null,
      outputTokens: 2,
    })
    expect([...(await rollupsOf('gaps')).values()]).toEqual([[1, 0, 0, 0, 0, 0, 0, 2]])
  })

  it.each([1, 2, 3])('counts every event once when delivered twice, shuffled and split (run %i)', async (seed) => {
    const tenant = `counted-${seed}`
    const random = seededRandom(1_000 + seed)
    const { events, expected } = generate(tenant, 400, seed)
    const deliveries = [...events, ...events.filter(() => random() < 0.5), ...events]
    for (let at = deliveries.length - 1; at > 0; at--) {
      const other = Math.floor(random() * (at + 1))
      ;[deliveries[at], deliveries[other]] = [deliveries[other]!, deliveries[at]!]
    }
    while (deliveries.length > 0) await store.write(deliveries.splice(0, 1 + Math.floor(random() * 120)))

    expect(await database.$count(decisions, eq(decisions.tenant, tenant))).toBe(400)
    expect(await rollupsOf(tenant)).toEqual(expected)
  })

  it('keeps rollups equal to the sums over the decisions', async () => {
    const { events } = generate('equal', 300, 11)
    await store.write(events)
    await store.write(events.slice(100))
    const keys = 'collection, policy_id, verdict, band, cache, reason, mode'
    for (const span of [HOUR_MS, 24 * HOUR_MS]) {
      const { results } = await env.DB.prepare(
        `SELECT json_array(at_ms - at_ms % ${span}, ${keys}) AS name, json_array(
           count(*), count(confidence), total(confidence), count(total_ms), total(total_ms), count(model),
           coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0)
         ) AS counts
         FROM decisions WHERE tenant = 'equal' GROUP BY at_ms - at_ms % ${span}, ${keys}`,
      ).all<{ name: string; counts: string }>()
      const summed = results.map(({ name, counts }) => [name, JSON.parse(counts) as number[]] as const)
      expect(await rollupsOf('equal', span)).toEqual(new Map(summed))
      expect(results.length).toBeGreaterThan(100)
    }
  })

  it('sums under names with any characters', async () => {
    const reason = `a "quoted" \\ 'reason'. $[0] \u00e4\n` as Decision['reason']
    const gate = 'my "gate" \\ $.x:count'
    const findings = [
      { gate, stage: 'post-generation', outcome: 'pass', code: 'x', message: '', actual: 0.25 },
    ] as const
    for (const at of [1, 2, 3]) {
      const decision = aDecision({ tenant: 'odd', reason, findings, answerSignals: answerSignalsOf({}) })
      await store.write([{ event: anEvent(`odd-${at}`, { decision }), isolate: 'odd', sequence: at }])
    }
    const groups = await countedGroups(env.DB, 'odd')
    expect(groups.map((group) => [group.reason, group.counts['decisions']])).toEqual([
      [reason, 3],
      [reason, 3],
    ])
    expect(meansByName(groups.slice(0, 1), 'answerGates', namesIn(groups))).toEqual({
      [gate]: { counted: 3, mean: 0.25 },
    })
  })

  it('counts confidence in steps of a twentieth, and times in steps of a tenth of their size', async () => {
    const measured: readonly (readonly [confidence: number, totalMs: number | undefined])[] = [
      [0, 0],
      [0.05, 1],
      [0.3, 1.05],
      [0.299999, 100],
      [0.95, 1e9],
      [1, undefined],
    ]
    await store.write(
      measured.map(([confidence, totalMs], at) => ({
        event: anEvent(`binned-${at}`, {
          decision: aDecision({ tenant: 'binned', confidence }),
          timings: totalMs === undefined ? {} : { totalMs },
        }),
        isolate: 'binned',
        sequence: at + 1,
      })),
    )
    const groups = await countedGroups(env.DB, 'binned')
    expect(groups.map(({ spanMs }) => spanMs)).toEqual([HOUR_MS, 24 * HOUR_MS])
    for (const group of groups) {
      expect(Object.fromEntries(inBins([group], 'confidenceBins'))).toEqual({ 0: 1, 1: 1, 5: 1, 6: 1, 19: 2 })
      // 1.1^1 is over 1.05, 1.1^48 = 97.0 is under 100.
      expect(Object.fromEntries(inBins([group], 'latencyBins'))).toEqual({ 0: 2, 1: 1, 49: 1, 130: 1 })
    }
  })

  it('stores escalate, audit events and the list of cut fields', async () => {
    const audit = [{ type: 'RAG_ADVISORY_LOW_CONFIDENCE', payload: { confidence: 0.5, threshold: 0.7, summary: 'x' } }]
    const event = anEvent('kept-1', {
      decision: aDecision({ tenant: 'kept', verdict: 'refuse', escalate: true }),
      audit,
      cut: ['signals'],
    })
    await store.write([{ event, isolate: 'kept', sequence: 1 }])
    await store.write([{ event, isolate: 'kept', sequence: 1 }])
    const [row] = await database.select().from(decisions).where(eq(decisions.tenant, 'kept'))
    expect(row).toMatchObject({ escalate: 1, audit, cut: ['signals'] })
    const [group] = await countedGroups(env.DB, 'kept')
    expect(group?.counts).toMatchObject({ escalated: 1, decisions: 1 })
    const trail = await database.select().from(auditEvents).where(eq(auditEvents.tenant, 'kept'))
    expect(trail).toEqual([
      {
        id: 'kept-1:0',
        tenant: 'kept',
        atMs: event.atMs,
        type: audit[0]!.type,
        decisionId: 'kept-1',
        by: null,
        payload: audit[0]!.payload,
      },
    ])
  })

  it('counts refused questions by day and leading documents by week, once each', async () => {
    const asked = (at: number, given: Partial<Decision>, atMs: number, cache: 'hit' | 'miss' = 'miss') => ({
      event: anEvent(`weak-${at}`, {
        decision: aDecision({ tenant: 'weak', documentIds: ['guide', 'other'], ...given }),
        atMs,
        cache,
        question: { hmac: at < 4 ? 'question-a' : 'question-b', keyId: 'k1' },
      }),
      isolate: 'weak',
      sequence: at + 1,
    })
    const refuse: Partial<Decision> = { verdict: 'refuse', confidence: 0.25 }
    const events = [
      asked(0, refuse, START_MS + 2),
      asked(1, { ...refuse, reason: 'no_evidence' as Decision['reason'] }, START_MS + 3),
      asked(2, { verdict: 'advise', confidence: 0.5 }, START_MS + 1),
      asked(3, refuse, START_MS + 24 * HOUR_MS, 'hit'),
      asked(4, { verdict: 'pass', confidence: 1 }, START_MS + 7 * 24 * HOUR_MS),
    ]
    await store.write(events)
    await store.write([...events].reverse())
    await createD1Counting({ db: env.DB }).count()
    const questions = await database.select().from(questionDays).where(eq(questionDays.tenant, 'weak'))
    expect(
      questions.map(({ dayMs, questionHmac, refused, advised, lastReason }) => [
        dayMs,
        questionHmac,
        refused,
        advised,
        lastReason,
      ]),
    ).toEqual([
      [START_MS, 'question-a', 2, 1, 'no_evidence'],
      [START_MS + 24 * HOUR_MS, 'question-a', 1, 0, 'passed'],
    ])
    const weeks = await database.select().from(documentWeeks).where(eq(documentWeeks.tenant, 'weak'))
    // The 2nd of January 2026 is a Friday.
    const monday = Date.UTC(2025, 11, 29)
    expect(
      weeks.map(({ weekMs, documentId, decisions: led, refused, advised, confidenceSum }) => [
        weekMs,
        documentId,
        led,
        refused,
        advised,
        confidenceSum,
      ]),
    ).toEqual([
      [monday, 'guide', 3, 2, 1, 1],
      [monday + 7 * 24 * HOUR_MS, 'guide', 1, 0, 0, 1],
    ])
  })

  it('stores the policies that made decisions, once each, and only known ones', async () => {
    const asked: string[] = []
    const keeping = createD1DecisionStore({
      db: env.DB,
      policyOf: (id) => {
        asked.push(id)
        return id === 'known@1' ? Object.assign({ id, name: 'known' }, { gates: ['a'] }) : undefined
      },
    })
    for (const [at, policyId] of ['known@1', 'unknown@1', 'known@1'].entries()) {
      const decision = aDecision({ tenant: 'policies', policyId })
      await keeping.write([{ event: anEvent(`policies-${at}`, { decision }), isolate: 'policies', sequence: at + 1 }])
    }
    expect(asked).toEqual(['known@1', 'unknown@1'])
    const [kept] = await database.select().from(policies).where(eq(policies.id, 'known@1'))
    expect(kept).toMatchObject({ name: 'known', body: { id: 'known@1', gates: ['a'] } })
    expect(await database.$count(policies, eq(policies.id, 'unknown@1'))).toBe(0)
  })

  it('stores the text of a question only on request, and until its expiry', async () => {
    const question = { hmac: 'texts-hmac', keyId: 'k1', text: 'How long is it kept?' }
    const numbered = (id: string) => ({
      event: anEvent(id, { decision: aDecision({ tenant: 'texts' }), question }),
      isolate: 'texts',
      sequence: 1,
    })
    await store.write([numbered('texts-1')])
    expect(await database.$count(questionTexts, eq(questionTexts.tenant, 'texts'))).toBe(0)
    await createD1DecisionStore({ db: env.DB, storeQuestions: { retentionDays: 7 } }).write([numbered('texts-2')])
    const rows = await database.select().from(questionTexts).where(eq(questionTexts.tenant, 'texts'))
    expect(rows).toEqual([
      {
        tenant: 'texts',
        questionHmac: 'texts-hmac',
        text: question.text,
        expiresMs: numbered('').event.atMs + 7 * 24 * HOUR_MS,
      },
    ])
    const dump = JSON.stringify((await env.DB.prepare(`SELECT * FROM decisions WHERE tenant = 'texts'`).all()).results)
    expect(dump).not.toContain('How long')
  })

  it.each([0, 366, Number.NaN])('rejects keeping texts for %d days', (retentionDays) => {
    expect(() => createD1DecisionStore({ db: env.DB, storeQuestions: { retentionDays } })).toThrow('retentionDays')
  })

  it('bounds what a model reports', async () => {
    const event = anEvent('absurd-1', {
      decision: aDecision({ tenant: 'absurd' }),
      model: 'm'.repeat(900_000),
      usage: { inputTokens: 1e300, outputTokens: -5 },
    })
    await store.write([{ event, isolate: 'absurd', sequence: 1 }])
    const [row] = await database.select().from(decisions).where(eq(decisions.tenant, 'absurd'))
    expect(row).toMatchObject({ model: 'm'.repeat(200), inputTokens: 1e12, outputTokens: 0 })
  })

  it('counts events once when the acknowledgement of their write was lost', async () => {
    const { events, expected } = generate('unacknowledged', 50, 12)
    let calls = 0
    const log = createBufferedDecisionLog({
      flushAt: 1_000,
      store: {
        async write(batch) {
          await store.write(batch)
          if (++calls === 1) throw new Error('D1_ERROR: Network connection lost.')
        },
      },
    })
    for (const { event } of events) void log.record(event)
    await log.flush()
    await log.flush()
    expect(calls).toBe(2)
    expect(await rollupsOf('unacknowledged')).toEqual(expected)
  })

  it('writes more events than one statement can take', async () => {
    const evidenceIds = Array.from({ length: 1_000 }, (_, at) => `chunk-${'x'.repeat(24)}-${at}`)
    const decision = aDecision({ tenant: 'large', evidenceIds })
    const events = Array.from({ length: 60 }, (_, at) => ({
      event: anEvent(`large-${at}`, { decision }),
      isolate: 'large',
      sequence: at + 1,
    }))
    await store.write(events)
    expect(await database.$count(decisions, eq(decisions.tenant, 'large'))).toBe(60)
  })

  it('drops and reports an event that the tables reject, and stores all others', async () => {
    const { events, expected } = generate('rejected', 60, 15)
    const [some] = events
    // Types see to it that no event lacks a route, until they fail.
    const lacking = { ...some!, event: { ...some!.event, id: 'lacking', route: undefined as unknown as string } }
    const causes: unknown[] = []
    const strict = createD1DecisionStore({ db: env.DB, onRejected: (cause) => causes.push(cause) })
    await strict.write([...events.slice(0, 20), lacking, ...events.slice(20)])
    expect(causes.map(String)).toEqual([expect.stringContaining('NOT NULL constraint failed: decisions.route')])
    const rejected = async () =>
      (await database.select().from(isolates).where(eq(isolates.id, some!.isolate)))[0]?.rejected
    expect(await rejected()).toBe(1)
    expect(await rollupsOf('rejected')).toEqual(expected)
    // A queue delivers it until its retries are used up.
    for (let delivery = 0; delivery < 10; delivery++) await strict.write([lacking])
    expect(causes).toHaveLength(11)
    expect(await rejected()).toBe(1)
  })

  it('drops an event that JSON cannot represent, and ignores a number as the model name', async () => {
    const { events } = generate('reported', 3, 18)
    const [first, second, third] = events
    // Handlers without types report anything.
    const unsaid = { ...second!, event: { ...second!.event, saved: { calls: 1n } as never } }
    const numbered = { ...third!, event: { ...third!.event, model: 5 as never } }
    const causes: unknown[] = []
    await createD1DecisionStore({ db: env.DB, onRejected: (cause) => causes.push(cause) }).write([
      first!,
      unsaid,
      numbered,
    ])
    expect(causes).toEqual([expect.any(TypeError)])
    const kept = await database.select().from(decisions).where(eq(decisions.tenant, 'reported'))
    expect(kept.map(({ id }) => id).sort()).toEqual([first!.event.id, third!.event.id].sort())
    expect(kept.find(({ id }) => id === third!.event.id)?.model).toBeNull()
  })

  it('drops an event that is too long for D1', async () => {
    const { events } = generate('endless', 1, 17)
    const onRejected = vi.fn<(cause: unknown) => void>()
    // The local database takes strings that D1 does not.
    vi.spyOn(env.DB, 'batch').mockRejectedValueOnce(new Error('D1_ERROR: string or blob too big: SQLITE_TOOBIG'))
    await createD1DecisionStore({ db: env.DB, onRejected }).write(events)
    vi.restoreAllMocks()
    expect(onRejected).toHaveBeenCalledTimes(1)
  })

  it('stores nothing and reports an error when the database fails', async () => {
    const { events } = generate('failed', 60, 16)
    vi.spyOn(env.DB, 'batch').mockRejectedValueOnce(new Error('D1_ERROR: D1 DB is overloaded.'))
    await expect(store.write(events)).rejects.toThrow('overloaded')
    vi.restoreAllMocks()
    expect(await database.$count(decisions, eq(decisions.tenant, 'failed'))).toBe(0)
  })

  it('does nothing without events', async () => {
    await expect(store.write([])).resolves.toBeUndefined()
  })

  it('shows lost events as gaps in the numbers of their isolate', async () => {
    const { events } = generate('lost', 300, 13)
    const lost = new Set([4, 5, 6, 77, 150, 298])
    // The last event of each isolate arrives, so that its numbers show how many there were.
    const last = new Set([297, 298, 299])
    const arrived = events.filter((_, at) => !lost.has(at) || last.has(at))
    await store.write(arrived)
    // Saying it twice counts it once.
    for (const dropped of [1, 2, 2]) await store.noteDropped!({ isolate: 'lost-isolate-1', dropped, atMs: START_MS })
    await createD1Counting({ db: env.DB }).count()
    const gaps = await env.DB.prepare(
      `SELECT sum(highest_sequence - recorded) AS missing, sum(dropped) AS dropped FROM isolates
       WHERE id GLOB 'lost-isolate-*'`,
    ).first<{ missing: number; dropped: number }>()
    expect(gaps).toEqual({ missing: events.length - arrived.length, dropped: 2 })
  })

  it('leaves the counts unchanged when decisions are deleted', async () => {
    const { events, expected } = generate('deleted', 40, 14)
    await store.write(events)
    await createD1Counting({ db: env.DB }).count()
    await database.delete(decisions).where(eq(decisions.tenant, 'deleted'))
    expect(await rollupsOf('deleted')).toEqual(expected)
  })
})
