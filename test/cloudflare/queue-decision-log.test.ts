import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createQueueDecisionLog, type QueuedDecision } from '../../packages/cloudflare/src/queue-decision-log.ts'
import { fitEvent, MAX_MESSAGE_BYTES } from '../../packages/cloudflare/src/fit-event.ts'
import type { DecisionStore } from '../../src/ports/decision-log.ts'
import { createFakeStore, decisionLogContract } from '../contracts/decision-log.ts'
import { answerSignalsOf } from '../fixtures/answer.ts'
import { aDecision, anEvent } from '../fixtures/decision.ts'

/** A queue that cannot be sent to. */
const FULL = {
  send: () => Promise.reject(new Error('Queue send failed: Too Many Requests')),
}

decisionLogContract('queue, with the queue down', ({ store, onDropped }) =>
  createQueueDecisionLog({ queue: FULL, fallback: store, onDropped }),
)

decisionLogContract('queue, delivering at once', ({ store, onDropped }) =>
  createQueueDecisionLog({
    queue: {
      async send({ numbered }) {
        await store.write([numbered])
        return { metadata: { metrics: {} } } as never
      },
    },
    fallback: store,
    onDropped,
  }),
)

describe('createQueueDecisionLog', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  /** Two events that neither queue nor database took. */
  async function bothDown() {
    const noteDropped = vi.fn<NonNullable<DecisionStore['noteDropped']>>().mockResolvedValue(undefined)
    const store = Object.assign(createFakeStore(), { noteDropped })
    const onDropped = vi.fn<(count: number) => void>()
    const queue = { send: vi.fn<typeof FULL.send>(FULL.send) }
    const log = createQueueDecisionLog({ queue, fallback: store, onDropped })
    store.fails = 'before'
    void log.record(anEvent('1'))
    void log.record(anEvent('2'))
    await vi.advanceTimersByTimeAsync(5_000)
    return { log, store, queue, onDropped, noteDropped }
  }

  it('counts what neither queue nor database accepted, and reports it once the database accepts an event', async () => {
    const { log, store, onDropped, noteDropped } = await bothDown()
    expect(onDropped.mock.calls).toEqual([[1], [1]])
    expect(noteDropped).not.toHaveBeenCalled()
    store.fails = 'never'
    noteDropped.mockRejectedValueOnce(new Error('D1 is down'))
    for (const id of ['3', '4', '5']) await log.record(anEvent(id))
    const told = { isolate: expect.any(String), dropped: 2, atMs: Date.now() }
    expect(noteDropped.mock.calls).toEqual([[told], [told]])
  })

  it('reports it once the queue accepts an event, too', async () => {
    const { log, queue, store, noteDropped } = await bothDown()
    queue.send.mockResolvedValue(undefined as never)
    await log.record(anEvent('3'))
    await log.record(anEvent('4'))
    expect(noteDropped.mock.calls).toMatchObject([[{ dropped: 2 }]])
    expect(store.stored.size).toBe(0)
    const isolate = expect.any(String)
    expect(queue.send.mock.calls.slice(-2)).toEqual([
      [{ schema: 1, numbered: { event: anEvent('3'), isolate, sequence: 3 } }, { contentType: 'json' }],
      [{ schema: 1, numbered: { event: anEvent('4'), isolate, sequence: 4 } }, { contentType: 'json' }],
    ])
  })

  it('drops and counts at once without a fallback', async () => {
    const onDropped = vi.fn<(count: number) => void>()
    await createQueueDecisionLog({ queue: FULL, onDropped }).record(anEvent('1'))
    expect(onDropped.mock.calls).toEqual([[1]])
  })

  it('reports drops with the time of the given clock', async () => {
    const store = Object.assign(createFakeStore(), { noteDropped: vi.fn<NonNullable<DecisionStore['noteDropped']>>() })
    const log = createQueueDecisionLog({ queue: FULL, fallback: store, clock: { nowMs: () => 7 } })
    store.fails = 'before'
    void log.record(anEvent('1'))
    await vi.advanceTimersByTimeAsync(5_000)
    store.fails = 'never'
    await log.record(anEvent('2'))
    expect(store.noteDropped.mock.calls).toMatchObject([[{ dropped: 1, atMs: 7 }]])
  })

  it('sends no message larger than a queue accepts', async () => {
    const sent: QueuedDecision[] = []
    const log = createQueueDecisionLog({
      queue: {
        async send(message: QueuedDecision) {
          sent.push(message)
          return { metadata: { metrics: {} } } as never
        },
      },
    })
    await log.record(enormous())
    // From one that fits to one that just does not.
    for (let bytes = 126_000; bytes < 128_000; bytes += 10) {
      await log.record(anEvent('close', { question: { hmac: 'h', keyId: 'k', text: 'x'.repeat(bytes) } }))
    }
    const [first, ...others] = sent.map(({ numbered }) => numbered.event.cut)
    expect(first).toContain('signals')
    expect([others[0], others.at(-1)]).toEqual([undefined, ['question_text']])
    for (const message of sent) {
      expect(new TextEncoder().encode(JSON.stringify(message)).byteLength).toBeLessThanOrEqual(MAX_MESSAGE_BYTES)
    }
  })
})

const large = (bytes: number): string => 'ü'.repeat(bytes / 2)

function enormous() {
  return anEvent('enormous', {
    decision: aDecision({
      signals: { chunkCount: 3, curves: { text: large(200_000) } } as never,
      findings: Array.from({ length: 500 }, (_, at) => ({
        gate: `gate ${at}`,
        stage: 'pre-generation' as const,
        outcome: 'pass' as const,
        code: aDecision().reason,
        message: large(2_000),
      })),
      evidenceIds: Array.from({ length: 500 }, (_, at) => `${at}-${large(2_000)}`),
      documentIds: Array.from({ length: 500 }, (_, at) => `${at}-${large(2_000)}`),
      answerSignals: answerSignalsOf({}),
    }),
    route: large(200_000),
    model: large(200_000),
    principalId: large(200_000),
    question: { hmac: 'h', keyId: 'k', text: large(200_000) },
    audit: [{ type: 'T', payload: large(200_000) }],
  })
}

describe('an event for a queue', () => {
  it('is unchanged when it fits', () => {
    const event = anEvent('small', { question: { hmac: 'h', keyId: 'k', text: 'Why?' } })
    expect(fitEvent(event)).toBe(event)
  })

  it('loses the least important field first, and names it', () => {
    const event = anEvent('texty', {
      decision: aDecision({ answerSignals: answerSignalsOf({}) }),
      question: { hmac: 'h', keyId: 'k', text: large(130_000) },
    })
    const fitted = fitEvent(event)
    expect(fitted).toEqual({ ...event, question: { hmac: 'h', keyId: 'k' }, cut: ['question_text'] })
    const measured = fitEvent(
      anEvent('m', { decision: aDecision({ signals: { chunkCount: 3, all: large(200_000) } as never }) }),
    )
    expect(measured.decision.signals).toEqual({ chunkCount: 3 })
    expect(measured.cut).toEqual(['signals'])
  })

  it('keeps what is counted, however large the rest is', () => {
    const event = enormous()
    const fitted = fitEvent(event)
    expect(fitted.cut).toEqual([
      'question_text',
      'audit',
      'answer_signals',
      'signals',
      'findings',
      'evidence_ids',
      'names',
    ])
    expect(fitted).toMatchObject({ id: event.id, atMs: event.atMs, cache: event.cache, timings: event.timings })
    expect(fitted.decision).toMatchObject({ verdict: 'pass', confidence: 0.8125, reason: 'passed', tenant: 'acme' })
    const twenty = Array.from({ length: 20 }, (_, at) => at)
    expect(fitted.decision.findings).toEqual(
      twenty.map((at) => ({
        gate: `gate ${at}`,
        stage: 'pre-generation',
        outcome: 'pass',
        code: 'passed',
        message: 'ü'.repeat(500),
      })),
    )
    const ids = twenty.map((at) => `${at}-${large(2_000)}`.slice(0, 500))
    expect([fitted.decision.evidenceIds, fitted.decision.documentIds]).toEqual([ids, ids])
    const { model: _, ...withoutModel } = event
    expect(fitEvent(withoutModel)).not.toHaveProperty('model')
  })
})
