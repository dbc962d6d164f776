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

  it('are empty without refusals', async () => {
    expect(await spots.contentGaps({ tenant: 'calm', fromMs: START_MS, toMs: START_MS + 1, limit: 5 })).toEqual([])
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
})
