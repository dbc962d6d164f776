import { env } from 'cloudflare:workers'
import { beforeEach, expect, it } from 'vitest'
import { createD1Feedback, type Label } from '../../../packages/console/src/d1/feedback.ts'
import { createD1DecisionStore } from '../../../src/adapters/d1/decision-store.ts'
import type { Decision } from '../../../src/core/policy/decision.ts'
import type { DecisionEvent } from '../../../src/ports/decision-log.ts'
import { aDecision, anEvent } from '../../fixtures/decision.ts'

const START_MS = Date.UTC(2026, 0, 2, 3, 4, 5)
const clock = { atMs: START_MS, nowMs: () => clock.atMs }
const feedback = createD1Feedback({ db: env.DB, clock })
const store = createD1DecisionStore({ db: env.DB, storeQuestions: { retentionDays: 30 } })
const PERIOD = { tenant: 'acme', fromMs: START_MS, toMs: START_MS + 1_000 }

beforeEach(async () => {
  clock.atMs = START_MS
  await env.DB.batch(['feedback', 'question_texts'].map((table) => env.DB.prepare(`DELETE FROM ${table}`)))
})

let made = 0
async function decide(id: string, decision: Partial<Decision> = {}, event: Partial<DecisionEvent> = {}): Promise<void> {
  const given = { decision: aDecision({ policyId: 'p@1', ...decision }), ...event }
  await store.write([{ event: anEvent(id, given), isolate: 'one', sequence: ++made }])
}

/** Stores a label, a millisecond after the one before. */
async function say(eventId: string, rating: Label['rating'], given: Partial<Label> = {}): Promise<void> {
  clock.atMs++
  await feedback.label({ tenant: 'acme', eventId, source: 'user', rating, principalId: 'ann', ...given })
}

it('labels are counted by policy and verdict, in the period, and can be filtered', async () => {
  await decide('counted-1')
  await decide('counted-2', { verdict: 'refuse' })
  await decide('counted-3', { verdict: 'refuse', policyId: 'q@1', collection: 'wiki' })
  await decide('counted-4', { verdict: 'advise' })
  await decide('counted-5', { tenant: 'globex' })
  await say('counted-1', 'right')
  await say('counted-1', 'wrong')
  await say('counted-2', 'right')
  await say('counted-3', 'wrong')
  await say('counted-4', 'right')
  await say('counted-4', 'wrong', { source: 'reviewer' })
  await say('counted-5', 'wrong', { tenant: 'globex' })
  await say('never', 'right')
  clock.atMs = START_MS + 999
  await say('counted-2', 'wrong', { source: 'reviewer' })
  const counts = async (given: object = {}) =>
    (await feedback.counts({ ...PERIOD, ...given })).map((each) => Object.values(each).join(' ')).sort()
  // A reviewer's label outside of the period still replaces the user's.
  expect(await counts()).toEqual(['p@1 advise 0 1', 'p@1 pass 0 1', 'q@1 refuse 0 1'])
  expect(await counts({ toMs: START_MS + 1_001 })).toEqual([
    'p@1 advise 0 1',
    'p@1 pass 0 1',
    'p@1 refuse 0 1',
    'q@1 refuse 0 1',
  ])
  expect(await counts({ fromMs: START_MS + 4 })).toEqual(['p@1 advise 0 1', 'q@1 refuse 0 1'])
  expect(await counts({ policyId: 'q@1' })).toEqual(['q@1 refuse 0 1'])
  expect(await counts({ collection: 'manual' })).toEqual(['p@1 advise 0 1', 'p@1 pass 0 1'])
})

it('the latest labels are listed with their decision, also of one that arrives later or is removed', async () => {
  await say('late', 'right', { comment: 'good' })
  await say('listed', 'wrong')
  await decide('listed', { verdict: 'refuse' })
  const list = () => feedback.latest(PERIOD, 10)
  const listed = { eventId: 'listed', source: 'user', rating: 'wrong', comment: null, atMs: START_MS + 2 }
  const late = { eventId: 'late', source: 'user', rating: 'right', comment: 'good', atMs: START_MS + 1 }
  const none = { verdict: null, policyId: null, collection: null }
  const refused = { verdict: 'refuse', policyId: 'p@1', collection: 'manual' }
  expect(await list()).toEqual([
    { ...listed, ...refused },
    { ...late, ...none },
  ])
  await decide('late')
  // Of another tenant.
  await decide('listed', { tenant: 'globex' })
  expect((await list())[1]).toEqual({ ...late, ...refused, verdict: 'pass' })
  await env.DB.prepare(`DELETE FROM decisions WHERE id = 'listed'`).run()
  await say('listed', 'right')
  expect((await list())[0]).toEqual({ ...listed, ...refused, rating: 'right', atMs: START_MS + 3 })
  expect(await feedback.latest(PERIOD, 1)).toHaveLength(1)
  expect(await feedback.counts(PERIOD)).toContainEqual({ policyId: 'p@1', verdict: 'refuse', right: 1, wrong: 0 })
})

it('questions without a digest are each listed', async () => {
  for (const id of ['blank-1', 'blank-2']) await decide(id)
  for (const id of ['blank-1', 'blank-2']) await say(id, 'right')
  const blank = { question: null, answerable: true, collection: 'manual', source: 'user' }
  expect(await feedback.questions(PERIOD)).toEqual([blank, blank])
})

it('a rating in observe mode is of the answer, also before its decision arrives and after that was removed', async () => {
  await say('sent', 'right')
  await decide('sent', { verdict: 'refuse' }, { mode: 'observe' })
  const wrong = { policyId: 'p@1', verdict: 'refuse', right: 0, wrong: 1 }
  expect(await feedback.counts(PERIOD)).toEqual([wrong])
  await env.DB.prepare(`DELETE FROM decisions WHERE id = 'sent'`).run()
  expect(await feedback.counts(PERIOD)).toEqual([wrong])
  await say('sent', 'wrong')
  expect(await feedback.counts(PERIOD)).toEqual([{ ...wrong, right: 1, wrong: 0 }])
})

it('questions are listed once each with who said it, whose label comes first, and the latest', async () => {
  const asked = (hmac: string, text?: string): Partial<DecisionEvent> => ({
    question: { hmac, keyId: 'k', ...(text === undefined ? {} : { text }) },
  })
  for (const at of [1, 2, 3]) await decide(`again-${at}`, {}, asked('again', 'Again?'))
  await decide('other', { collection: 'wiki', verdict: 'refuse' }, asked('again', 'Again?'))
  await decide('observed', { verdict: 'refuse' }, { ...asked('seen', 'Seen?'), mode: 'observe' })
  await decide('passed', {}, { ...asked('passed', 'Passed?'), mode: 'observe' })
  await say('again-1', 'wrong', { source: 'reviewer' })
  await say('again-2', 'right', { source: 'reviewer' })
  await say('again-3', 'wrong')
  await say('other', 'right')
  await say('observed', 'right')
  await say('passed', 'right')
  const expected = [
    { question: 'Again?', collection: 'manual', answerable: true, source: 'reviewer' },
    { question: 'Passed?', collection: 'manual', answerable: true, source: 'user' },
    { question: 'Seen?', collection: 'manual', answerable: true, source: 'user' },
    { question: 'Again?', collection: 'wiki', answerable: false, source: 'user' },
  ]
  expect(await feedback.questions(PERIOD)).toEqual(expected)
  await say('observed', 'right', { source: 'reviewer' })
  await say('passed', 'wrong', { source: 'reviewer' })
  expect(await feedback.questions(PERIOD)).toEqual([
    { ...expected[1], answerable: false, source: 'reviewer' },
    { ...expected[2], answerable: false, source: 'reviewer' },
    expected[0],
    expected[3],
  ])
})
