import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { createD1DecisionStore } from '../../../src/adapters/d1/decision-store.ts'
import { createD1WeakSpots } from '../../../packages/console/src/d1/weak-spots.ts'
import type { Decision } from '../../../src/core/policy/decision.ts'
import type { DecisionEvent } from '../../../src/ports/decision-log.ts'
import { aDecision, anEvent } from '../../fixtures/decision.ts'

const store = createD1DecisionStore({ db: env.DB, storeQuestions: { retentionDays: 30 } })
const spots = createD1WeakSpots({ db: env.DB })
const DAY_MS = 86_400_000
/** A Monday. */
const START_MS = Date.UTC(2026, 4, 4)

let made = 0
async function write(
  tenant: string,
  events: readonly (readonly [decision: Partial<Decision>, event: Partial<DecisionEvent>])[],
): Promise<void> {
  await store.write(
    events.map(([decision, event]) => ({
      event: anEvent(`${tenant}-${++made}`, { decision: aDecision({ tenant, ...decision }), ...event }),
      isolate: tenant,
      sequence: made,
    })),
  )
}

describe('content gaps', () => {
  const question = (hmac: string, text?: string) => ({ hmac, keyId: 'k1', ...(text === undefined ? {} : { text }) })

  it('are the most frequently refused questions, summed over days, with their text if stored', async () => {
    const refuse: Partial<Decision> = { verdict: 'refuse' }
    await write('gaps', [
      ...Array.from(
        { length: 3 },
        (_, day) =>
          [refuse, { atMs: START_MS + day * DAY_MS, question: question('often', 'Where is the moon?') }] as const,
      ),
      [refuse, { atMs: START_MS + 9, question: question('once') }],
      [
        { ...refuse, reason: 'no_evidence' as Decision['reason'] },
        { atMs: START_MS + 5, question: question('twice') },
      ],
      [{ ...refuse }, { atMs: START_MS + 4, question: question('twice') }],
      [{ verdict: 'advise' }, { atMs: START_MS + 6, question: question('twice') }],
      [{ verdict: 'pass' }, { atMs: START_MS, question: question('answered') }],
      [{ verdict: 'advise' }, { atMs: START_MS, question: question('advised only') }],
      [refuse, { atMs: START_MS + 40 * DAY_MS, question: question('later') }],
      [
        { ...refuse, collection: 'wiki' },
        { atMs: START_MS, question: question('often') },
      ],
    ])
    await write('gaps-of-others', [[refuse, { atMs: START_MS, question: question('foreign') }]])
    const period = { tenant: 'gaps', fromMs: START_MS + 1, toMs: START_MS + 7 * DAY_MS }
    const gaps = await spots.contentGaps({ ...period, limit: 10 })
    expect(
      gaps.map(({ questionHmac, collection, refused, advised }) => [questionHmac, collection, refused, advised]),
    ).toEqual([
      ['often', 'manual', 3, 0],
      ['twice', 'manual', 2, 1],
      ['once', 'manual', 1, 0],
      ['often', 'wiki', 1, 0],
    ])
    expect(gaps[0]).toMatchObject({ text: 'Where is the moon?', lastMs: START_MS + 2 * DAY_MS, hmacKeyId: 'k1' })
    expect(gaps[1]).toMatchObject({ text: null, lastMs: START_MS + 6, lastReason: 'passed' })
    expect(await spots.contentGaps({ ...period, limit: 1 })).toHaveLength(1)
    const wiki = await spots.contentGaps({ ...period, limit: 10, collection: 'wiki' })
    expect(wiki.map(({ questionHmac }) => questionHmac)).toEqual(['often'])
  })

  it('are empty without refusals, and without a period', async () => {
    expect(await spots.contentGaps({ tenant: 'calm', fromMs: START_MS, toMs: START_MS + 1, limit: 5 })).toEqual([])
    expect(await spots.contentGaps({ tenant: 'calm', fromMs: START_MS, toMs: START_MS, limit: 5 })).toEqual([])
  })

  it('add up the cautions of days, have the latest time and reason, and an order without ties', async () => {
    const ask = (verdict: 'refuse' | 'advise', hmac: string, afterMs: number, reason = 'passed') =>
      [
        { verdict, reason: reason as Decision['reason'] },
        { atMs: START_MS + afterMs, question: question(hmac) },
      ] as const
    await write('ordered', [
      ask('refuse', 'daily', 0),
      ask('advise', 'daily', 1),
      ask('refuse', 'daily', DAY_MS, 'no_evidence'),
      ask('advise', 'daily', DAY_MS + 1),
      ask('advise', 'daily', DAY_MS + 2, 'low_confidence'),
      ask('refuse', 'b', 5),
      ask('refuse', 'a', 5),
      ask('refuse', 'later', 6),
    ])
    const gaps = await spots.contentGaps({ tenant: 'ordered', fromMs: START_MS, toMs: START_MS + 2 * DAY_MS, limit: 9 })
    expect(gaps.map(({ questionHmac }) => questionHmac)).toEqual(['daily', 'later', 'a', 'b'])
    expect(gaps[0]).toMatchObject({
      refused: 2,
      advised: 3,
      lastMs: START_MS + DAY_MS + 2,
      lastReason: 'low_confidence',
    })
  })

  it('of a collection are found behind more frequent ones of others, of all the hundred most refused of a day', async () => {
    const refused = (collection: string, hmac: string, times: number) =>
      Array.from(
        { length: times },
        () =>
          [
            { verdict: 'refuse', collection },
            { atMs: START_MS, question: question(hmac) },
          ] as const,
      )
    const frequent = Array.from({ length: 110 }, (_, at) => refused('a-wiki', `frequent-${100 + at}`, 3)).flat()
    const rare = Array.from({ length: 110 }, (_, at) => refused('manual', `a-rare-${100 + at}`, 1)).flat()
    await write('crowded', [...frequent, ...rare, ...refused('manual', 'z-twice', 2)])
    const period = { tenant: 'crowded', fromMs: START_MS, toMs: START_MS + DAY_MS }
    const all = await spots.contentGaps({ ...period, limit: 500 })
    expect([all.length, all.every(({ refused: times }) => times === 3)]).toEqual([100, true])
    const manual = await spots.contentGaps({ ...period, collection: 'manual', limit: 500 })
    expect([manual.length, manual[0]!.questionHmac, manual[0]!.refused]).toEqual([100, 'z-twice', 2])
  })
})

describe('documents', () => {
  it('are sorted by confidence, requests or change, and consistently weak ones are named', async () => {
    const led = (document: string, confidence: number, week: number, count = 1) =>
      Array.from(
        { length: count },
        () =>
          [
            { documentIds: [document, 'strong'], confidence, verdict: confidence < 0.5 ? 'refuse' : 'pass' },
            { atMs: START_MS + week * 7 * DAY_MS + DAY_MS },
          ] as const,
      )
    await write('documents', [
      ...led('strong', 0.875, 0, 4),
      ...led('strong', 0.75, 1, 4),
      ...led('weak', 0.25, 0, 3),
      ...led('weak', 0.5, 1, 3),
      ...led('falling', 0.75, 0),
      ...led('falling', 0.25, 1),
    ])
    const query = {
      tenant: 'documents',
      fromMs: START_MS,
      toMs: START_MS + 14 * DAY_MS,
      limit: 10,
      weakBelow: 0.7,
      minDecisions: 1,
      sort: 'confidence',
    } as const
    const documents = await spots.documents(query)
    expect(documents.map(({ documentId }) => documentId)).toEqual(['weak', 'falling', 'strong'])
    expect(documents[0]).toEqual({
      documentId: 'weak',
      collection: 'manual',
      decisions: 6,
      refused: 3,
      advised: 0,
      meanConfidence: 0.375,
      change: 0.25,
      consistentlyWeak: true,
      weeks: [
        { weekMs: START_MS, decisions: 3, meanConfidence: 0.25 },
        { weekMs: START_MS + 7 * DAY_MS, decisions: 3, meanConfidence: 0.5 },
      ],
    })
    expect(documents.map(({ consistentlyWeak }) => consistentlyWeak)).toEqual([true, false, false])
    const by = async (given: object) =>
      (await spots.documents({ ...query, ...given })).map(({ documentId }) => documentId)
    expect(await by({ sort: 'change' })).toEqual(['falling', 'strong', 'weak'])
    expect(await by({ sort: 'decisions', limit: 1 })).toEqual(['strong'])
    expect(await by({ minDecisions: 3 })).toEqual(['weak', 'strong'])
    expect(await by({ collection: 'wiki' })).toEqual([])
    // The last moment of the first week asks for that week alone.
    const [first] = await spots.documents({ ...query, toMs: START_MS + 7 * DAY_MS })
    expect(first).toMatchObject({ documentId: 'weak', decisions: 3, change: null, consistentlyWeak: false })
    await write('documents', led('weak', 0.25, 0, 3))
    const [oneWeek] = await spots.documents({ ...query, toMs: START_MS + 7 * DAY_MS })
    expect(oneWeek).toMatchObject({ documentId: 'weak', decisions: 6, change: null, consistentlyWeak: false })
  })

  it('are judged by whole weeks, in an order without ties', async () => {
    const led = (documentId: string, confidence: number, week: number, count = 1) =>
      Array.from(
        { length: count },
        () => [{ documentIds: [documentId], confidence }, { atMs: START_MS + week * 7 * DAY_MS + 6 * DAY_MS }] as const,
      )
    await write('weekly', [
      ...led('weak', 0.25, 0, 2),
      ...led('weak', 0.75, 1, 1),
      ...led('weak', 0.5, 2, 2),
      ...led('few', 0.25, 0, 2),
      ...led('few', 0.25, 1, 2),
      ...led('mixed', 0.25, 0, 3),
      ...led('mixed', 0.875, 1, 3),
      ...led('single', 0.5, 1, 4),
    ])
    const query = {
      tenant: 'weekly',
      fromMs: START_MS,
      toMs: START_MS + 21 * DAY_MS,
      limit: 10,
      weakBelow: 0.76,
      minDecisions: 1,
      sort: 'confidence',
    } as const
    const read = async (given: Partial<Parameters<typeof spots.documents>[0]> = {}) =>
      spots.documents({ ...query, ...given })
    const names = async (given: Parameters<typeof read>[0]) => (await read(given)).map(({ documentId }) => documentId)
    const weak = (await read()).filter(({ consistentlyWeak }) => consistentlyWeak)
    expect(weak).toMatchObject([{ documentId: 'weak', decisions: 5, meanConfidence: 0.45, change: 0.25 }])
    expect((await read({ weakBelow: 0.75 })).some(({ consistentlyWeak }) => consistentlyWeak)).toBe(false)
    expect(await names({ minDecisions: 5 })).toEqual(['weak', 'mixed'])
    expect(await names({ sort: 'change' })).toEqual(['few', 'single', 'weak', 'mixed'])
    expect(await names({ sort: 'decisions' })).toEqual(['mixed', 'weak', 'few', 'single'])
    // From within a week on that week is whole.
    const later = await read({ fromMs: START_MS + 10 * DAY_MS })
    expect(later.map(({ documentId, weeks }) => [documentId, weeks.length])).toEqual([
      ['few', 1],
      ['single', 1],
      ['weak', 2],
      ['mixed', 1],
    ])
    expect(later[2]!.weeks.map(({ weekMs }) => weekMs)).toEqual([START_MS + 7 * DAY_MS, START_MS + 14 * DAY_MS])
  })

  it('of the same confidence are listed by their decisions', async () => {
    const led = (documentId: string, count: number) =>
      Array.from({ length: count }, () => [{ documentIds: [documentId], confidence: 0.5 }, { atMs: START_MS }] as const)
    await write('tied', [...led('one', 1), ...led('three', 3), ...led('two', 2)])
    const query = { tenant: 'tied', fromMs: START_MS, toMs: START_MS + 1, limit: 9, weakBelow: 0.7, minDecisions: 1 }
    const documents = await spots.documents({ ...query, sort: 'confidence' })
    expect(documents.map(({ documentId }) => documentId)).toEqual(['three', 'two', 'one'])
  })
})
