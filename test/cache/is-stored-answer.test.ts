/** What a store gives back is believed only where it is an answer of this cache. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createMemoryAnswerPurges } from '../../src/adapters/memory-answer-purges.ts'
import { isStoredAnswer } from '../../src/cache/is-stored-answer.ts'
import type { QuestionRequest } from '../../src/pipeline/question-settings.ts'
import type { AnswerCache, StoredAnswer } from '../../src/ports/answer-cache.ts'
import { aStoredAnswer } from '../fixtures/decision.ts'
import { aGate } from '../fixtures/gate.ts'

beforeEach(() => void vi.spyOn(console, 'warn').mockImplementation(() => undefined))
afterEach(() => void vi.restoreAllMocks())

/** A gate over a store that gives back what it was given, changed. */
function gateWith(changed: (answer: StoredAnswer) => unknown) {
  const entries = new Map<string, StoredAnswer>()
  const store: AnswerCache = {
    get: async (key) => {
      const answer = entries.get(key)
      return answer === undefined ? null : (changed(answer) as StoredAnswer)
    },
    put: async (key, answer) => void entries.set(key, answer),
    delete: () => Promise.reject(new Error('the gate deletes nothing')),
  }
  return aGate({ cache: { store, purges: createMemoryAnswerPurges() } })
}

it('an unchanged entry of the store is sent as a hit', async () => {
  const { ask } = gateWith((answer) => structuredClone(answer))
  await ask()
  expect((await ask()).headers.get('cache-status')).toBe('rag-gate; hit')
})

const changes: Readonly<Record<string, (answer: StoredAnswer) => unknown>> = {
  'a number': () => 5,
  'a list': () => [],
  nothing: () => undefined,
  'a body that is a number': (answer) => ({ ...answer, body: 5 }),
  'no body': (answer) => ({ ...answer, body: undefined }),
  'another form': (answer) => ({ ...answer, schema: 3 }),
  'another key': (answer) => ({ ...answer, key: `${answer.key}.` }),
  'status 999': (answer) => ({ ...answer, status: 999 }),
  'status 101': (answer) => ({ ...answer, status: 101 }),
  'a status without a body': (answer) => ({ ...answer, status: 204, body: '' }),
  'half a status': (answer) => ({ ...answer, status: 200.5 }),
  'an endless lifetime': (answer) => ({ ...answer, lifetimeSeconds: Infinity }),
  'a lifetime of a hundred years': (answer) => ({ ...answer, lifetimeSeconds: 100 * 365 * 86_400 }),
  'a lifetime that is a text': (answer) => ({ ...answer, lifetimeSeconds: '3600' }),
  'an endless window for faults': (answer) => ({ ...answer, staleIfErrorSeconds: Infinity }),
  'an age below 0': (answer) => ({ ...answer, ageSeconds: -1 }),
  'no time': (answer) => ({ ...answer, requestedAtMs: NaN }),
  'no number of a purge': (answer) => ({ ...answer, purgeEpoch: null }),
  'headers that are no pairs': (answer) => ({ ...answer, headers: [['content-type']] }),
  'headers that are an object': (answer) => ({ ...answer, headers: { 'content-type': 'text/html' } }),
  'a header that no response can have': (answer) => ({ ...answer, headers: [['no name', 'x']] }),
  'a header with a line break': (answer) => ({ ...answer, headers: [['content-language', 'a\r\nset-cookie: a=b']] }),
  'a header beyond bytes': (answer) => ({ ...answer, headers: [['content-language', 'ł']] }),
  'no decision': (answer) => ({ ...answer, decision: null }),
  'the decision of another tenant': (answer) => ({ ...answer, decision: { ...answer.decision, tenant: 'acme' } }),
  'that of another collection': (answer) => ({ ...answer, decision: { ...answer.decision, collection: 'other' } }),
  'a verdict that there is not': (answer) => ({ ...answer, decision: { ...answer.decision, verdict: 'yes' } }),
  'a confidence of 2': (answer) => ({ ...answer, decision: { ...answer.decision, confidence: 2 } }),
  'a band that there is not': (answer) => ({ ...answer, decision: { ...answer.decision, band: 'a\r\nb' } }),
  'a reason that begins a further parameter': (answer) => ({
    ...answer,
    decision: { ...answer.decision, reason: 'a;verdict=pass' },
  }),
  'a policy that ends its quotation': (answer) => ({
    ...answer,
    decision: { ...answer.decision, policyId: 'a";band=high;b="' },
  }),
  'an empty reason': (answer) => ({ ...answer, decision: { ...answer.decision, reason: '' } }),
  'a reason with a line break': (answer) => ({ ...answer, decision: { ...answer.decision, reason: 'a\r\nb: c' } }),
  'a policy beyond bytes': (answer) => ({ ...answer, decision: { ...answer.decision, policyId: 'ł@1' } }),
  'no signals': (answer) => ({ ...answer, decision: { ...answer.decision, signals: null } }),
  'documents that are no list': (answer) => ({ ...answer, decision: { ...answer.decision, documentIds: 'a' } }),
  'findings that are no list': (answer) => ({ ...answer, decision: { ...answer.decision, findings: {} } }),
  'a finding that is none': (answer) => ({ ...answer, decision: { ...answer.decision, findings: [null] } }),
  'a reference that is a number': (answer) => ({ ...answer, sameAs: 5 }),
  'a model that is a number': (answer) => ({ ...answer, model: 5 }),
  'a header of three texts': (answer) => ({ ...answer, headers: [['content-language', 'a', 'b']] }),
  'a header whose name is a number': (answer) => ({ ...answer, headers: [[5, 'a']] }),
  'an id that is a number': (answer) => ({ ...answer, decision: { ...answer.decision, id: 5 } }),
  'a cookie': (answer) => ({ ...answer, headers: [...answer.headers, ['set-cookie', 'a=b']] }),
  'a length of its own': (answer) => ({ ...answer, headers: [...answer.headers, ['content-length', '3']] }),
  'another place without a redirect': (answer) => ({ ...answer, headers: [['location', 'https://elsewhere.test/']] }),
  'no asker': (answer) => ({ ...answer, principalId: undefined }),
}

it.each(Object.entries(changes))('an entry with %s is a miss', async (_, changed) => {
  const { ask, journal } = gateWith(changed)
  await ask()
  const response = await ask()
  expect([response.status, response.headers.get('cache-status')]).toEqual([200, 'rag-gate; fwd=miss'])
  expect(journal.handled).toHaveLength(2)
})

it.each<[string, (answer: StoredAnswer) => object, string, unknown]>([
  ['itself', (answer) => answer, 'status', 999],
  ['decision', (answer) => answer.decision, 'verdict', 'yes'],
  ['headers', (answer) => answer.headers, '0', ['no name', 'x']],
  ['documents', (answer) => answer.decision.documentIds, '0', 5],
  ['evidence', (answer) => answer.decision.evidenceIds, '0', 5],
])('an entry in memory is checked again where its %s may have changed', (_, partOf, name, wrong) => {
  const answer = structuredClone(aStoredAnswer('key'))
  const { decision, headers } = answer
  const part = partOf(answer)
  for (const other of [answer, decision, headers, decision.documentIds, decision.evidenceIds])
    if (other !== part) Object.freeze(other)
  const request = { principal: { tenant: decision.tenant }, collection: decision.collection } as QuestionRequest
  expect(isStoredAnswer(answer, { request })).toBe(true)
  Reflect.set(part, name, wrong)
  expect(isStoredAnswer(answer, { request })).toBe(false)
})
