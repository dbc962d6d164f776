import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { decisions, isolates } from '../../d1/schema.ts'
import { createD1DecisionStore } from '../../src/adapters/d1/decision-store.ts'
import { createDecisionConsumer } from '../../packages/cloudflare/src/decision-consumer.ts'
import { createQueueDecisionLog, type QueuedDecision } from '../../packages/cloudflare/src/queue-decision-log.ts'
import type { DecisionEvent, DecisionStore, NumberedEvent } from '../../src/ports/decision-log.ts'
import { countedGroups, sumOver } from '../fixtures/counted-groups.ts'
import { aDecision, anEvent, seededRandom } from '../fixtures/decision.ts'

const database = drizzle(env.DB)

/** A message as a queue delivers it, and what was said of it. */
function aMessage(body: unknown) {
  const said: string[] = []
  return {
    id: crypto.randomUUID(),
    timestamp: new Date(),
    attempts: 1,
    body,
    said,
    ack: () => void said.push('ack'),
    retry: ({ delaySeconds }: { delaySeconds: number }) => void said.push(`retry after ${delaySeconds} s`),
  }
}

function aBatch(messages: readonly ReturnType<typeof aMessage>[]) {
  return { queue: 'decisions', messages, ackAll: fail, retryAll: fail, metadata: {} } as unknown as MessageBatch
}

function fail(): never {
  throw new Error('Each message is answered by itself')
}

const queued = (numbered: NumberedEvent): QueuedDecision => ({ schema: 1, numbered })

function numbered(tenant: string, at: number, given: Parameters<typeof aDecision>[0] = {}): NumberedEvent {
  return {
    // A millisecond has room for 2,048.
    event: anEvent(`${tenant}-${at}`, { decision: aDecision({ tenant, ...given }), atMs: Date.UTC(2026, 5, 2) + at }),
    isolate: tenant,
    sequence: at + 1,
  }
}

const consumeWith = (store: (onRejected: (cause: unknown, rejected: NumberedEvent) => void) => DecisionStore) =>
  createDecisionConsumer({ store })
const consume = consumeWith((onRejected) => createD1DecisionStore({ db: env.DB, onRejected }))

it.each([0, 1.5, 43_201, Number.NaN])('rejects a retry delay of %d seconds', (retryAfterSeconds) => {
  expect(() => createDecisionConsumer({ store: fail, retryAfterSeconds })).toThrow(
    expect.objectContaining({ code: 'config_invalid', param: 'retryAfterSeconds' }),
  )
})

describe('a batch', () => {
  it('is stored and acknowledged message by message', async () => {
    const messages = Array.from({ length: 100 }, (_, at) => aMessage(queued(numbered('plain', at))))
    await consume(aBatch(messages))
    expect(messages.every(({ said }) => said.join() === 'ack')).toBe(true)
    expect(await database.$count(decisions, eq(decisions.tenant, 'plain'))).toBe(100)
  })

  it('with an invalid message stores all others, and retries only the invalid one', async () => {
    const poison = [
      { schema: 2, numbered: numbered('poisoned', 900) },
      'text',
      null,
      {},
      { schema: 1, numbered: { event: { id: 1 } } },
      // An event in shape, but no table takes it.
      queued({
        ...numbered('poisoned', 901),
        event: { ...numbered('poisoned', 901).event, route: undefined as never },
      }),
    ]
    const bodies: unknown[] = Array.from({ length: 99 }, (_, at) => queued(numbered('poisoned', at)))
    for (const [at, body] of poison.entries()) bodies.splice(at * 17, 0, body)
    const messages = bodies.map(aMessage)
    const onPoison = vi.fn<(count: number) => void>()
    const counting = createDecisionConsumer({
      store: (onRejected) => createD1DecisionStore({ db: env.DB, onRejected }),
      onPoison,
    })
    await counting(aBatch(messages))
    for (const { body, said } of messages)
      expect(said).toEqual([poison.includes(body as never) ? 'retry after 10 s' : 'ack'])
    expect(await database.$count(decisions, eq(decisions.tenant, 'poisoned'))).toBe(99)
    expect(onPoison.mock.calls).toEqual([[poison.length]])
    const [counted] = await database.select().from(isolates).where(eq(isolates.id, 'poisoned'))
    expect(counted?.rejected).toBe(1)
  })

  it('is retried whole when the database fails, before or after storing', async () => {
    for (const fails of ['before', 'after'] as const) {
      const tenant = `failed-${fails}`
      const make = () => Array.from({ length: 20 }, (_, at) => aMessage(queued(numbered(tenant, at))))
      const failing = consumeWith((onRejected) => {
        const store = createD1DecisionStore({ db: env.DB, onRejected })
        return {
          async write(events) {
            if (fails === 'before') throw new Error('D1_ERROR: overloaded')
            await store.write(events)
            throw new Error('D1_ERROR: Network connection lost')
          },
        }
      })
      const messages = make()
      await expect(failing(aBatch(messages))).resolves.toBeUndefined()
      expect(messages.every(({ said }) => said.join() === 'retry after 10 s')).toBe(true)
      await consume(aBatch(make()))
      expect((await countedGroups(env.DB, tenant)).map(({ counts }) => counts['decisions'])).toEqual([20, 20])
    }
  })
})

describe('a message', () => {
  const whole = numbered('whole', 0)
  const { event } = whole
  const written: NumberedEvent[] = []
  const onPoison = vi.fn<(count: number) => void>()
  const consumeInMemory = createDecisionConsumer({
    store: () => ({ write: async (events) => void written.push(...events) }),
    onPoison,
    retryAfterSeconds: 5,
  })
  afterEach(() => {
    written.length = 0
    onPoison.mockClear()
  })

  it.each([
    ['event', { ...whole, event: 'text' }],
    ['id', { ...whole, event: { ...event, id: 7 } }],
    ['time', { ...whole, event: { ...event, atMs: '7' } }],
    ['decision', { ...whole, event: { ...event, decision: undefined } }],
    ['timings', { ...whole, event: { ...event, timings: null } }],
    ['isolate', { ...whole, isolate: undefined }],
    ['sequence', { ...whole, sequence: '1' }],
  ])('without a readable %s is no event: only it is retried, and no store sees it', async (_, unreadable) => {
    const messages = [aMessage({ schema: 1, numbered: unreadable }), aMessage(queued(whole))]
    await consumeInMemory(aBatch(messages))
    expect(messages.map(({ said }) => said)).toEqual([['retry after 5 s'], ['ack']])
    expect(written).toEqual([whole])
    expect(onPoison.mock.calls).toEqual([[1]])
  })

  it('that is no event is retried also when the database fails, because a queue acknowledges what is not answered', async () => {
    const failing = consumeWith(() => ({ write: () => Promise.reject(new Error('D1_ERROR: overloaded')) }))
    const messages = [aMessage('text'), aMessage(queued(whole))]
    await failing(aBatch(messages))
    expect(messages.map(({ said }) => said)).toEqual([['retry after 10 s'], ['retry after 10 s']])
  })

  it('of a batch without unreadable ones is not reported', async () => {
    await consumeInMemory(aBatch([aMessage(queued(whole))]))
    expect(onPoison).not.toHaveBeenCalled()
  })
})

/** What an event saves, if it does, added to the totals that are expected. */
function savingFrom(
  pick: <Value>(values: readonly Value[]) => Value,
  random: () => number,
  totals: Record<string, number>,
): Pick<DecisionEvent, 'saved'> {
  const by = pick(['refusal', 'cache', undefined] as const)
  if (by === undefined) return {}
  const add = (name: string, count: number): void => void (totals[name] = (totals[name] ?? 0) + count)
  add(by, 1)
  const how = pick(['measured', 'estimated', 'unknown'] as const)
  add(how, 1)
  if (how === 'unknown') return { saved: { by } }
  const [inputTokens, outputTokens] = [Math.floor(random() * 5_000), Math.floor(random() * 900)]
  add('input', inputTokens)
  add('output', outputTokens)
  const saved = { by, inputTokens, outputTokens, ...(how === 'estimated' ? { estimated: true as const } : {}) }
  if (random() < 0.5) return { saved }
  const [modelCost, retrievalCost] = [Math.floor(random() * 100) / 8, Math.floor(random() * 10) / 8]
  add('priced', 1)
  add('net', modelCost - retrievalCost)
  return { saved: { ...saved, modelCost, retrievalCost } }
}

describe('ten thousand events', () => {
  it('delivered in thousands, a quarter twice, shuffled, split, with lost batches and acknowledgements, count exactly', async () => {
    const random = seededRandom(5)
    const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)]!
    const expected = new Map<string, number>()
    const saved = {
      refusal: 0,
      cache: 0,
      measured: 0,
      estimated: 0,
      unknown: 0,
      input: 0,
      output: 0,
      priced: 0,
      net: 0,
    }
    const count = env.TEST_DEEP ? 10_000 : 2500
    const events = Array.from({ length: count }, (_, at) => {
      const verdict = pick(['pass', 'advise', 'refuse'] as const)
      const tenant = pick(['exact-a', 'exact-b', 'exact-c'])
      const hour = Math.floor(random() * 5) * 3_600_000
      const event = anEvent(`exact-${at}`, {
        decision: aDecision({ tenant, verdict }),
        atMs: Date.UTC(2026, 5, 1) + hour + at,
        ...savingFrom(pick, random, saved),
      })
      const key = `${tenant} ${hour} ${verdict}`
      expected.set(key, (expected.get(key) ?? 0) + 1)
      return { event, isolate: `exact-${at % 4}`, sequence: Math.floor(at / 4) + 1 }
    })
    const deliveries = [...events, ...Array.from({ length: count / 4 }, () => pick(events))]
    for (let at = deliveries.length - 1; at > 0; at--) {
      const other = Math.floor(random() * (at + 1))
      ;[deliveries[at], deliveries[other]] = [deliveries[other]!, deliveries[at]!]
    }
    let lostBatches = 0
    let delivered = 0
    const store = createD1DecisionStore({ db: env.DB })
    const shaky = consumeWith(() => ({
      async write(batch) {
        const fate = random()
        if (fate < 0.1) throw new Error('D1_ERROR: lost before the commit')
        await store.write(batch)
        if (fate < 0.2) throw new Error('D1_ERROR: Network connection lost after the commit')
      },
    }))
    for (let waiting: NumberedEvent[] = deliveries; waiting.length > 0;) {
      const messages = waiting.splice(0, 1 + Math.floor(random() * 100)).map((each) => aMessage(queued(each)))
      delivered += messages.length
      await shaky(aBatch(messages))
      const again = messages.filter(({ said }) => said.includes('retry after 10 s'))
      if (again.length > 0) lostBatches++
      waiting.push(...again.map(({ body }) => (body as QueuedDecision).numbered))
    }
    expect(delivered).toBeGreaterThan(count + count / 4)
    expect(lostBatches).toBeGreaterThan(3)
    const groups = (
      await Promise.all(['exact-a', 'exact-b', 'exact-c'].map((tenant) => countedGroups(env.DB, tenant)))
    ).flat()
    const counted = new Map<string, number>()
    for (const { spanMs, startMs, tenant, verdict, counts } of groups) {
      const key = `${tenant} ${startMs - Date.UTC(2026, 5, 1)} ${verdict}`
      if (spanMs === 3_600_000) counted.set(key, (counted.get(key) ?? 0) + (counts['decisions'] ?? 0))
    }
    expect(counted).toEqual(expected)
    for (const spanMs of [3_600_000, 86_400_000]) {
      const sum = (name: string) => sumOver(groups, spanMs, name)
      const [measured, estimated] = [sum('savedMeasured'), sum('savedEstimated')]
      // Costs are sums of eighths, which binary numbers hold exactly.
      expect({
        refusal: sum('savedByRefusal'),
        cache: sum('savedByCache'),
        measured,
        estimated,
        unknown: sum('savedByRefusal') + sum('savedByCache') - measured - estimated,
        input: sum('savedMeasuredInput') + sum('savedEstimatedInput'),
        output: sum('savedMeasuredOutput') + sum('savedEstimatedOutput'),
        priced: sum('savedPriced'),
        net: sum('savedModelCost') - sum('savedRetrievalCost'),
      }).toEqual(saved)
    }
    expect(Math.min(...Object.values(saved))).toBeGreaterThan(count / 20)
    const gaps = await env.DB.prepare(
      `SELECT sum(highest_sequence - recorded) AS n FROM isolates WHERE id GLOB 'exact-*'`,
    ).first<{ n: number }>()
    expect(gaps?.n).toBe(0)
  })
})

describe('through a real local queue', () => {
  const counted = (tenant: string) => database.$count(decisions, eq(decisions.tenant, tenant))

  it('every event sent by the log arrives and counts once', async () => {
    const log = createQueueDecisionLog({ queue: env.TEST_QUEUE })
    await Promise.all(Array.from({ length: 500 }, async (_, at) => log.record(numbered('queued', at).event)))
    await vi.waitFor(async () => expect(await counted('queued')).toBe(500), { timeout: 15_000, interval: 100 })
    expect((await countedGroups(env.DB, 'queued')).map(({ counts }) => counts['decisions'])).toEqual([500, 500])
  })

  it('thousands of events, a quarter sent twice, shuffled, count exactly', { timeout: 120_000 }, async () => {
    const count = env.TEST_DEEP ? 10_000 : 400
    const random = seededRandom(9)
    const verdicts = ['pass', 'advise', 'refuse'] as const
    const expected = { pass: 0, advise: 0, refuse: 0 }
    const events = Array.from({ length: count }, (_, at) => {
      const verdict = verdicts[Math.floor(random() * verdicts.length)]!
      expected[verdict]++
      return numbered('queued-often', at, { verdict })
    })
    const sent = [...events, ...Array.from({ length: count / 4 }, () => events[Math.floor(random() * events.length)]!)]
    for (let at = sent.length - 1; at > 0; at--) {
      const other = Math.floor(random() * (at + 1))
      ;[sent[at], sent[other]] = [sent[other]!, sent[at]!]
    }
    for (let at = 0; at < sent.length; at += 100) {
      await env.TEST_QUEUE.sendBatch(sent.slice(at, at + 100).map((each) => ({ body: queued(each) })))
    }
    // One more, sent last.
    await env.TEST_QUEUE.send(queued(numbered('queued-last', 0)))
    await vi.waitFor(
      async () => expect([await counted('queued-often'), await counted('queued-last')]).toEqual([count, 1]),
      { timeout: 100_000, interval: 500 },
    )
    const sums = { pass: 0, advise: 0, refuse: 0 }
    for (const { verdict, counts } of await countedGroups(env.DB, 'queued-often'))
      sums[verdict] += counts['decisions'] ?? 0
    // By hour and by day.
    expect(sums).toEqual({ pass: 2 * expected.pass, advise: 2 * expected.advise, refuse: 2 * expected.refuse })
    const [isolate] = await database.select().from(isolates).where(eq(isolates.id, 'queued-often'))
    expect(isolate).toMatchObject({ recorded: count, highestSequence: count, rejected: 0 })
  })
})
