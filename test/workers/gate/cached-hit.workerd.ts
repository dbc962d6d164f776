/** What a hit by the question key asks of the ready Worker's surroundings: nothing. */
import { env } from 'cloudflare:workers'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { GateBindings } from '../../../workers/gate/bindings.ts'
import { ADMIN, workerOver } from '../../worker-requests.ts'
import { metered } from '../../fixtures/metered-database.ts'

const QUESTION = 'How long are backups of the ledger kept?'
const COMPLETION = {
  model: 'm',
  choices: [{ finish_reason: 'stop', message: { role: 'assistant', content: 'Ninety days [1].' } }],
}

const database = metered(env.DB as never)
const counted = { flights: 0, model: 0 }

/** A namespace of objects whose stubs are counted when they are asked for. */
function countedNamespace<Namespace extends object>(namespace: Namespace): Namespace {
  return new Proxy(namespace, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property)
      if (typeof value !== 'function') return value
      return (...given: unknown[]) => {
        if (property === 'getByName') counted.flights++
        return Reflect.apply(value, target, given) as unknown
      }
    },
  })
}

/** One object: the composition of an isolate belongs to its bindings. */
const bindings: GateBindings = {
  ...env,
  DB: database.db as never,
  ANSWER_FLIGHTS: countedNamespace(env.ANSWER_FLIGHTS!),
  AUDIENCE: 'operator',
  LLM_BASE_URL: 'https://model.test/v1',
  LLM_API_KEY: 'key',
  LLM_MODEL: 'm',
}

const { post } = workerOver(bindings)

/** What was asked of D1, the flights and the model while it ran. */
async function costOf(question: string) {
  database.reset()
  Object.assign(counted, { flights: 0, model: 0 })
  const response = await post('/ask', { question })
  const { answer } = await response.json<{ answer: string }>()
  return { answer, said: response.headers.get('cache-status'), d1: database.queries(), ...counted }
}

beforeAll(async () => {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => {
    counted.model++
    return Response.json(COMPLETION)
  })
  const documents = [{ id: 'ledger', text: '# Ledger\n\nBackups of the ledger are kept for ninety days.' }]
  const response = await post('/v1/documents', { documents }, ADMIN)
  if (!response.ok) throw new Error(`The documents were not ingested: ${response.status}`)
})

afterAll(() => void vi.restoreAllMocks())

describe('an answer by the question key', () => {
  it('needs no query of D1, no coalescer and no model call before its response', async () => {
    const first = await costOf(QUESTION)
    expect(first).toMatchObject({ answer: 'Ninety days [1].', said: 'rag-gate; fwd=miss', flights: 1, model: 1 })
    expect(first.d1).toBeGreaterThan(0)
    for (let time = 0; time < 3; time++) {
      const hit = await costOf(QUESTION)
      expect(hit).toEqual({
        answer: first.answer,
        said: expect.stringMatching(/^rag-gate; hit; ttl=\d+$/) as string,
        d1: 0,
        flights: 0,
        model: 0,
      })
    }
  })
})

describe('a question answered with passages', () => {
  it('does not use the coalescer, which takes longer than sending them', async () => {
    const { LLM_BASE_URL: _, LLM_API_KEY: __, LLM_MODEL: ___, ...withoutModel } = bindings
    Object.assign(counted, { flights: 0, model: 0 })
    const response = await workerOver(withoutModel).post('/ask', { question: `${QUESTION} Please.` })
    expect(await response.json()).toMatchObject({
      answered_by: 'search',
      passages: [{ text: expect.stringContaining('ninety days') }],
    })
    expect(response.headers.get('cache-status')).toBe('rag-gate; fwd=miss')
    expect(counted).toMatchObject({ flights: 0, model: 0 })
  })
})
