import { describe, expect, it, vi } from 'vitest'
import type { AssessedEvidence } from '../../src/pipeline/assess-evidence.ts'
import type { FoundAnswer, Lookup, QuestionCache } from '../../src/pipeline/gate-cache.ts'
import { gateQuestion } from '../../src/pipeline/gate-question.ts'
import type { QuestionPlace } from '../../src/pipeline/find-place.ts'
import { balanced } from '../../src/presets/balanced/balanced.ts'
import { answering, ASKED, SETTINGS } from '../fixtures/answering.ts'

const FOUND: FoundAnswer = {
  answer: {} as FoundAnswer['answer'],
  kind: 'hit',
  ageSeconds: 1,
  ttlSeconds: 9,
}
const UNREADABLE = 'What is the punishment? ⠓⠕⠺⠙⠕⠊⠃⠁⠅⠑⠃⠗⠑⠁⠙'

/** What an answer cache finds at each stage of a question; it writes down what it was asked. */
interface CacheFinds {
  readonly lookUp?: FoundAnswer | 'unused'
  readonly join?: FoundAnswer
  readonly lookUpEvidence?: FoundAnswer
  readonly standIn?: FoundAnswer
}

function gating(finds: CacheFinds, given: { readonly question?: string; readonly down?: Error } = {}) {
  const calls: string[] = []
  const stage = (name: string, lookup: Lookup, found?: FoundAnswer): Lookup => {
    calls.push(name)
    return { ...lookup, questionKey: `${lookup.questionKey}, ${name}`, ...(found && { found }) }
  }
  const stored = vi.fn<QuestionCache['store']>()
  const standIn = vi.fn<QuestionCache['standIn']>(() => finds.standIn)
  const judged = vi.fn<(assessed: AssessedEvidence, id: string) => void>()
  const cache: QuestionCache = {
    lookUp: async (place: QuestionPlace) => {
      if (finds.lookUp === 'unused') return undefined
      return stage('looked up', { place, questionKey: 'key' } as Lookup, finds.lookUp)
    },
    join: async (lookup) => lookup && stage('joined', lookup, finds.join),
    lookUpEvidence: async (lookup, assessed, { id }) => {
      judged(assessed, id)
      return stage('looked up by evidence', lookup, finds.lookUpEvidence)
    },
    standIn,
    contentOf: () => Promise.reject(new Error('nothing is sent')),
    store: stored,
    outcome: () => ({ state: 'miss' }),
  }
  const { ports } = answering()
  const { retriever } = ports
  const clock = { atMs: 1_000_000, nowMs: () => clock.atMs }
  const retrieve: typeof retriever.retrieve = async (request) => {
    calls.push('retrieved')
    clock.atMs += 25
    if (given.down) throw given.down
    return retriever.retrieve(request)
  }
  const settings = { ...SETTINGS, policy: () => balanced({ refuseBelow: 0, adviseBelow: 0 }) }
  const request = { ...ASKED, ...(given.question && { question: given.question }) }
  const gated = gateQuestion({ ...ports, clock, retriever: { retrieve } }, settings, request, cache)
  return { gated, calls, stored, standIn, judged }
}

describe('a question with an answer cache', () => {
  it('is answered from it before anything else is asked', async () => {
    const { gated, calls, stored } = gating({ lookUp: FOUND }, { question: UNREADABLE })
    expect(await gated).toMatchObject({
      kind: 'cached',
      found: FOUND,
      retrievals: 0,
      lookup: { questionKey: 'key, looked up' },
    })
    expect(await gated).not.toHaveProperty('timings')
    expect(calls).toEqual(['looked up'])
    expect(stored).not.toHaveBeenCalled()
  })

  it('that needs no retrieval to be refused does not wait for others', async () => {
    const { gated, calls } = gating({}, { question: UNREADABLE })
    expect(await gated).toMatchObject({ kind: 'judged', retrievals: 0, decision: { verdict: 'refuse' } })
    expect(await gated).not.toHaveProperty('lookup')
    expect(calls).toEqual(['looked up'])
  })

  it('gets the answer of a simultaneous caller without a retrieval', async () => {
    const { gated, calls } = gating({ join: FOUND })
    expect(await gated).toMatchObject({ kind: 'cached', found: FOUND, retrievals: 0 })
    expect(calls).toEqual(['looked up', 'joined'])
  })

  it('gets an answer to the same evidence after it was retrieved and judged, with the time that took', async () => {
    const { gated, calls, judged } = gating({ lookUpEvidence: FOUND })
    expect(await gated).toMatchObject({
      kind: 'cached',
      found: FOUND,
      retrievals: 1,
      timings: { retrievalMs: 25 },
      lookup: { questionKey: 'key, looked up, joined, looked up by evidence' },
    })
    expect(calls).toEqual(['looked up', 'joined', 'retrieved', 'looked up by evidence'])
    const [assessed] = judged.mock.calls[0]!
    expect(assessed.evidence.chunks.map(({ id }) => id)).toEqual(['IPC_302', 'IPC_34'])
  })

  it('is judged when nothing is found, and its look-ups go on to the answer', async () => {
    const { gated, stored, judged, standIn } = gating({})
    const result = await gated
    if (result.kind !== 'judged') throw new Error('Nothing was stored')
    expect(result.lookup?.questionKey).toBe('key, looked up, joined, looked up by evidence')
    expect(judged).toHaveBeenCalledExactlyOnceWith(expect.anything(), result.decision.id)
    expect([stored.mock.calls, standIn.mock.calls]).toEqual([[], []])
  })

  it('is judged without it when the cache is not used', async () => {
    const { gated, calls } = gating({ lookUp: 'unused' })
    expect(await gated).toMatchObject({ kind: 'judged', lookup: undefined, retrievals: 1 })
    expect(calls).toEqual(['retrieved'])
  })

  it('gets an expired answer when the retrieval fails', async () => {
    const { gated, stored, standIn } = gating({ standIn: FOUND }, { down: new Error('down') })
    expect(await gated).toMatchObject({
      kind: 'cached',
      found: FOUND,
      retrievals: 1,
      lookup: { questionKey: 'key, looked up, joined' },
    })
    const thrown = expect.objectContaining({ code: 'retriever_unavailable' })
    expect(standIn).toHaveBeenCalledExactlyOnceWith(expect.anything(), { by: 'retriever', thrown })
    expect(stored).not.toHaveBeenCalled()
  })

  it('without an expired answer fails with the retrieval, and tells those who wait for it', async () => {
    const { gated, stored } = gating({}, { down: new Error('down') })
    await expect(gated).rejects.toMatchObject({ code: 'retriever_unavailable' })
    const lookup = expect.objectContaining({ questionKey: 'key, looked up, joined' })
    expect(stored).toHaveBeenCalledExactlyOnceWith(lookup, { kind: 'failure' })
  })

  it('fails with the retrieval when the cache is not used, without an expired answer', async () => {
    const { gated, standIn } = gating({ lookUp: 'unused', standIn: FOUND }, { down: new Error('down') })
    await expect(gated).rejects.toMatchObject({ code: 'retriever_unavailable' })
    expect(standIn).not.toHaveBeenCalled()
  })
})
