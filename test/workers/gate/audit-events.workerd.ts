/** What a gate reports with its decisions, from the answer to where an operator reads it: a route of its own, D1, the API. */
import { env } from 'cloudflare:workers'
import { describe, expect, test, vi } from 'vitest'
import { createD1DecisionStore } from '../../../src/adapters/d1/decision-store.ts'
import { createDirectDecisionLog } from '../../../src/adapters/direct-decision-log.ts'
import type { Ranking } from '../../../src/core/evidence/chunk.ts'
import { advisory } from '../../../packages/presets/src/advisory/advisory.ts'
import { sufficiency } from '../../../packages/presets/src/sufficiency/sufficiency.ts'
import { questionHmac } from '../../../src/pipeline/question-hmac.ts'
import { aPassage } from '../../fixtures/evidence.ts'
import { aGate, type GateFixture, QUESTION, STRONG } from '../../fixtures/gate.ts'
import { ADMIN, send } from '../../worker-requests.ts'

async function read<Body>(path: string): Promise<Body> {
  const response = await send(path, { headers: ADMIN })
  expect(response.status, path).toBe(200)
  return response.json<Body>()
}

/** Passages that are found with these cosines. */
const found =
  (...cosines: readonly number[]) =>
  (): readonly Ranking[] => [
    {
      kind: 'cosine',
      entries: cosines.map((score, at) => ({ passage: aPassage(`chunk-${at}`, { text: STRONG }), score })),
    },
  ]

/** A gate that records into the database that the Worker reads. */
const recording = (options: GateFixture, questions?: { readonly key: string; readonly keyId: string }) =>
  aGate({
    ...options,
    dependencies: {
      clock: { nowMs: () => Date.now() },
      log: createDirectDecisionLog({
        store: createD1DecisionStore({
          db: env.DB,
          ...(questions === undefined ? {} : { storeQuestions: { retentionDays: 1 } }),
        }),
      }),
      ...(questions === undefined ? {} : { questionHmac: questionHmac({ ...questions, text: 'kept' }) }),
      ...options.dependencies,
    },
  })

const eventOf = (response: Response): string => /;id="([^"]+)"/.exec(response.headers.get('rag-gate') ?? '')![1]!

interface Recorded {
  readonly decision_id: string
  readonly audit_events: readonly { readonly type: string; readonly payload: Record<string, unknown> }[]
  readonly rejection: Record<string, unknown> | null
  readonly told: Record<string, unknown>
}

interface Trail {
  readonly events: readonly { readonly type: string; readonly decision_id: string; readonly payload: unknown }[]
}

describe('an advisory with the confidence .5, the example of document 003', () => {
  const weak: GateFixture = { policy: advisory(), finds: found(0.5), handler: (c) => c.json({ answer: STRONG }) }

  test('is an event of the audit trail, with the id of its decision (R120, R126)', async () => {
    const { ask } = recording(weak)
    const id = eventOf(await ask())
    const event = {
      type: 'RAG_ADVISORY_LOW_CONFIDENCE',
      payload: { confidence: 0.5, threshold: 0.7, summary: 'Low confidence (0.50 < 0.7). Advisory-only.' },
    }
    const record = await read<Recorded>(`/v1/decisions/${id}`)
    expect(record.audit_events).toMatchObject([event])
    expect(record.told).toEqual({
      badge: { look: 'warning', text: '⚠ Medium Confidence' },
      banner: '⚠️ Advisory only — Confidence: 50%. Verify information with primary sources.',
    })
    const { events } = await read<Trail>('/v1/audit?type=RAG_ADVISORY_LOW_CONFIDENCE')
    expect(events).toMatchObject([{ ...event, decision_id: id, by: null }])

    // Readers of the cached answer rely on it as well.
    const again = await ask()
    expect(again.headers.get('cache-status')).toContain('hit')
    expect((await read<Recorded>(`/v1/decisions/${eventOf(again)}`)).audit_events).toMatchObject([event])
  })

  test('causes one warning in the words of the document when it is made (R118)', async () => {
    const onConsole = vi.spyOn(console, 'warn').mockReturnValue()
    const { ask } = recording(weak)
    await ask()
    await ask()
    expect(onConsole.mock.calls).toEqual([
      ['[rag-gate] advisory_low_confidence: [RAG Adapter] Low confidence (0.50 < 0.7). Advisory-only.'],
    ])
    onConsole.mockRestore()
    const told: unknown[] = []
    const own = recording({
      ...weak,
      policy: advisory({ adviseBelow: 0.6 }),
      onWarning: (warning) => told.push(warning),
    })
    await own.ask()
    expect(told).toEqual([
      { code: 'advisory_low_confidence', message: '[RAG Adapter] Low confidence (0.50 < 0.6). Advisory-only.' },
    ])
  })

  test('is sent when the warning handler fails', async () => {
    const onConsole = vi.spyOn(console, 'error').mockReturnValue()
    const onWarning = () => {
      throw new Error('nobody there')
    }
    const response = await recording({ ...weak, onWarning }).ask()
    expect([response.status, onConsole.mock.calls.length]).toEqual([200, 1])
    onConsole.mockRestore()
  })

  test('causes no audit event and no warning at or above the threshold', async () => {
    const onConsole = vi.spyOn(console, 'warn').mockReturnValue()
    const { ask } = recording({ ...weak, policy: advisory({ adviseBelow: 0.5 }) })
    expect((await read<Recorded>(`/v1/decisions/${eventOf(await ask())}`)).audit_events).toEqual([])
    expect(onConsole).not.toHaveBeenCalled()
    onConsole.mockRestore()
  })
})

describe('an answer without sufficient evidence, the example of document 004', () => {
  const asked = (options: GateFixture, questions?: { readonly key: string; readonly keyId: string }) =>
    recording(
      {
        policy: sufficiency({ threshold: 'strict', escalateRefusals: true }),
        finds: found(0.9, 0.8),
        handler: (c) => {
          const shares = c.var.ragGate.evidence.chunks.map(({ id }, at) => ({ chunkId: id, share: [0.32, 0.68][at]! }))
          c.var.ragGate.report({ attribution: { shares } })
          return c.json({ answer: STRONG })
        },
        ...options,
      },
      questions,
    ).ask()

  test('is an audit record of the rejection, with its question only where texts are kept (R144)', async () => {
    const before = Date.now()
    const id = eventOf(await asked({}))
    const record = await read<Recorded>(`/v1/decisions/${id}`)
    const [event] = record.audit_events
    expect(event).toMatchObject({
      type: 'RAG_EVIDENCE_INSUFFICIENT',
      payload: {
        decision_id: record.decision_id,
        reason: expect.stringContaining('68.0% but the threshold is 70.0%'),
        reason_code: 'share_low',
        evidence_analyzed: 2,
        deficit: 0.02,
        escalate: true,
      },
    })
    expect(Date.parse(String(event!.payload['timestamp']))).toBeGreaterThanOrEqual(before)
    expect(record.rejection).toEqual(event!.payload)
    const { events } = await read<Trail>('/v1/audit?type=RAG_EVIDENCE_INSUFFICIENT')
    expect(events.map(({ decision_id: of }) => of)).toEqual([id])

    const kept = await asked({}, { key: 'k'.repeat(32), keyId: 'k1' })
    const { rejection, audit_events: own } = await read<Recorded>(`/v1/decisions/${eventOf(kept)}`)
    expect(rejection).toMatchObject({ query: QUESTION, deficit: 0.02, evidence_analyzed: 2 })
    expect(JSON.stringify(own)).not.toContain(QUESTION)
  })

  test('causes no record when the evidence suffices', async () => {
    const passed = await asked({ policy: sufficiency() })
    const { audit_events: none, rejection } = await read<Recorded>(`/v1/decisions/${eventOf(passed)}`)
    expect([none, rejection]).toEqual([[], null])
  })
})
