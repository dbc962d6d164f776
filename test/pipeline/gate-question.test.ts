import { reranking } from '../../src/pipeline/reranking.ts'
import { describe, expect, it, vi } from 'vitest'
import { gradedRelevance } from '../../src/core/gates/graded-relevance.ts'
import { definePolicy, type Policy } from '../../src/core/policy/policy.ts'
import type { PassageFilter } from '../../src/core/evidence/passage-filter.ts'
import { judge } from '../../src/core/policy/judge.ts'
import { balanced } from '../../src/presets/balanced/balanced.ts'
import { twoTier } from '../../packages/presets/src/two-tier/two-tier.ts'
import { RagGateError } from '../../src/errors.ts'
import { gateQuestion } from '../../src/pipeline/gate-question.ts'
import type {
  QuestionRequest,
  QuestionPorts,
  QuestionSettings,
  GateWarning,
} from '../../src/pipeline/question-settings.ts'
import { plainCollection } from '../../src/ports/collections.ts'
import type { Reranker } from '../../src/ports/reranker.ts'
import type { Retriever } from '../../src/ports/retriever.ts'
import { ASKED as ASKED_OF_LAWS, SETTINGS as SETTINGS_OF_LAWS } from '../fixtures/answering.ts'
import { aRanking } from '../fixtures/evidence.ts'
import { rankingOf, STRONG } from '../fixtures/gate.ts'
import { buildLexicon } from '../fixtures/english.ts'

const SETTINGS: QuestionSettings = { ...SETTINGS_OF_LAWS, policy: () => balanced() }
const ASKED: QuestionRequest = {
  ...ASKED_OF_LAWS,
  question: 'How does the engine start?',
  collection: 'default',
  audience: 'public',
}

describe('an invalid collection from the application', () => {
  const whole = plainCollection({ tenant: 'default', id: 'default' })
  it.each([
    7,
    true,
    'default',
    [],
    {},
    { ...whole, id: 7 },
    { ...whole, corpusVersion: '1' },
    { ...whole, corpusVersion: Number.NaN },
    { ...whole, unpublishedChunkIds: undefined },
    { ...whole, unpublishedChunkIds: 'a' },
  ])('is a configuration error: %j', async (found) => {
    const { ports } = aSetting()
    const collections = { ...ports.collections, find: async () => found as never }
    await expect(gateQuestion({ ...ports, collections }, SETTINGS, ASKED)).rejects.toMatchObject({
      code: 'config_invalid',
      param: expect.stringMatching(/^collections\.find\.(?:id|corpusVersion|unpublishedChunkIds)$/),
    })
  })
})

/** The document of the only passage that is found. */
const rankedDocument = rankingOf([STRONG])[0]!.entries[0]!.passage.documentId

/** Ports that write down the order in which they are called. */
function aSetting(given: { readonly lexiconId?: string | null; readonly known?: boolean } = {}) {
  const { lexiconId = 'lexicon-1', known = true } = given
  const calls: string[] = []
  const clock = { atMs: 1_000_000, nowMs: () => clock.atMs }
  const ports: QuestionPorts = {
    clock,
    collections: {
      find: async (tenant, id) => {
        calls.push(`find ${tenant}/${id}`)
        if (!known) return null
        return plainCollection({ tenant, id, corpusVersion: 7, lexiconId })
      },
      lexicon: async (id) => {
        calls.push(`lexicon ${id}`)
        return buildLexicon([STRONG, 'Paint is blue.'])
      },
    },
    retriever: {
      retrieve: async ({ signal }) => {
        calls.push('retrieve')
        expect(signal.aborted).toBe(false)
        clock.atMs += 25
        return rankingOf([STRONG])
      },
    },
  }
  return { ports, calls, clock }
}

describe('gateQuestion', () => {
  it('asks in order: collection, lexicon, retriever', async () => {
    const { ports, calls } = aSetting()
    const gated = await gateQuestion(ports, SETTINGS, ASKED)
    expect(calls).toEqual(['find acme/default', 'lexicon lexicon-1', 'retrieve'])
    expect(gated).toMatchObject({
      kind: 'judged',
      timings: { retrievalMs: 25 },
      decision: { tenant: 'acme', collection: 'default', corpusVersion: 7, rankedBy: 'bm25', evidenceIds: ['chunk-0'] },
    })
  })

  it('fuses the rankings, and judges the best chunks', async () => {
    const { ports } = aSetting()
    const rankings = [
      aRanking('bm25', [4.4, 1.2, 0.5], ['strong', 'middle', 'other']),
      aRanking('cosine', [0.9, 0.5, 0.45, 0.1], ['near', 'middle', 'other', 'strong']),
    ]
    const retriever = { retrieve: () => Promise.resolve(rankings) }
    const retrieval = { ...SETTINGS.retrieval, topK: 3 }
    const gated = await gateQuestion({ ...ports, retriever }, { ...SETTINGS, retrieval }, ASKED)
    expect(gated).toMatchObject({
      kind: 'judged',
      decision: { rankedBy: 'convex', evidenceIds: ['strong', 'middle', 'near'] },
    })
  })

  it('asks nothing more for a collection that does not exist', async () => {
    const { ports, calls } = aSetting({ known: false })
    await expect(gateQuestion(ports, SETTINGS, ASKED)).rejects.toMatchObject({ code: 'collection_not_found' })
    expect(calls).toEqual(['find acme/default'])
  })

  it.each([
    ['another model', { model: 'b', dimension: 3 }, false],
    ['another dimension', { model: 'a', dimension: 4 }, false],
    ['the same', { model: 'a', dimension: 3 }, true],
  ])('searches a collection embedded with %s only if they match', async (_name, embedding, same) => {
    const { ports, calls } = aSetting()
    const collections: QuestionPorts['collections'] = {
      ...ports.collections,
      find: async (tenant, id) => ({ ...plainCollection({ tenant, id }), embeddingModel: 'a', dimension: 3 }),
    }
    const gating = gateQuestion(
      { ...ports, collections, retriever: { ...ports.retriever, embedding } },
      SETTINGS,
      ASKED,
    ).then(
      () => 'searched',
      ({ code }: RagGateError) => code,
    )
    expect(await gating).toBe(same ? 'searched' : 'embedding_mismatch')
    expect(calls.includes('retrieve')).toBe(same)
  })

  const embedded = (ports: QuestionPorts): QuestionPorts['collections'] => ({
    ...ports.collections,
    find: async (tenant, id) => {
      const found = await ports.collections.find(tenant, id)
      return found && { ...found, embeddingModel: 'a', dimension: 3 }
    },
  })

  it.each([
    ['another model', { model: 'b', dimension: 3 }, 'embedding_mismatch'],
    ['no model', { model: '', dimension: 3 }, 'embedding_mismatch'],
    ['another dimension', { model: 'a', dimension: 4 }, 'embedding_mismatch'],
    ['the same', { model: 'a', dimension: 3 }, 'judged'],
  ])('asks an index that embeds by itself, and with %s ends with: case %#', async (_name, now, outcome) => {
    const { ports } = aSetting()
    const retriever = { ...ports.retriever, embeddingNow: async () => now }
    const gating = gateQuestion({ ...ports, collections: embedded(ports), retriever }, SETTINGS, ASKED)
    const ended = await gating.then(
      ({ kind }) => kind,
      ({ code }: RagGateError) => code,
    )
    expect(ended).toBe(outcome)
  })

  it.each([
    ['nothing is known of its embedding', {}, balanced(), { model: 'b', dimension: 4 }, 0, 'judged'],
    ['only its model is known', { embeddingModel: 'a' }, balanced(), { model: 'a', dimension: 4 }, 1, 'judged'],
    ['only its dimension is known', { dimension: 3 }, balanced(), { model: 'b', dimension: 3 }, 1, 'judged'],
    ['it has another dimension', { dimension: 3 }, balanced(), { model: 'b', dimension: 4 }, 1, 'embedding_mismatch'],
    ['the policy needs its scores', {}, twoTier(), { model: 'b', dimension: 4 }, 1, 'judged'],
  ])('asks an index for its embedding where that matters: %s', async (_, known, policy, now, asks, outcome) => {
    const { ports } = aSetting()
    const embeddingNow = vi.fn<NonNullable<Retriever['embeddingNow']>>(async () => now)
    const find: QuestionPorts['collections']['find'] = async (tenant, id) => ({
      ...plainCollection({ tenant, id }),
      ...known,
    })
    const collections = { ...ports.collections, find }
    const retriever = { ...ports.retriever, embeddingNow }
    const gating = gateQuestion({ ...ports, collections, retriever }, { ...SETTINGS, policy: () => policy }, ASKED)
    const ended = await gating.then(
      ({ kind }) => kind,
      ({ code, message }: RagGateError) => {
        expect(message).toBe('Another model embedded the collection: ingest it again')
        return code
      },
    )
    expect([ended, embeddingNow.mock.calls.length]).toEqual([outcome, asks])
  })

  it('fails when the index cannot name its embedding model, and does not ask when none is recorded', async () => {
    const { ports } = aSetting()
    const retriever = {
      ...ports.retriever,
      embeddingNow: () => Promise.reject(new RagGateError('retriever_bad_response', 'no model')),
    }
    await expect(
      gateQuestion({ ...ports, collections: embedded(ports), retriever }, SETTINGS, ASKED),
    ).rejects.toMatchObject({ code: 'retriever_bad_response' })
    expect(await gateQuestion({ ...ports, retriever }, SETTINGS, ASKED)).toMatchObject({ kind: 'judged' })
  })

  it('fails when the retriever returned passages outside the filter', async () => {
    const { ports } = aSetting()
    const asks = (filter: PassageFilter | undefined) =>
      gateQuestion(ports, { ...SETTINGS, retrieval: { ...SETTINGS.retrieval, filter: () => filter } }, ASKED)
    await expect(asks({ 'metadata.team': 'edge' })).rejects.toMatchObject({
      code: 'retriever_misconfigured',
      message: 'The retriever ignored the filter',
    })
    await expect(asks({ documentId: rankedDocument })).resolves.toMatchObject({ kind: 'judged' })
    await expect(asks(undefined)).resolves.toMatchObject({ kind: 'judged' })
  })

  it('gives the retriever the filter, where there is one', async () => {
    const { ports } = aSetting()
    const retrieve = vi.fn<Retriever['retrieve']>((request) => ports.retriever.retrieve(request))
    const asks = (filter: PassageFilter | undefined) =>
      gateQuestion(
        { ...ports, retriever: { retrieve } },
        { ...SETTINGS, retrieval: { ...SETTINGS.retrieval, filter: () => filter } },
        ASKED,
      )
    await asks({ documentId: rankedDocument })
    await asks(undefined)
    const [filtered, whole] = retrieve.mock.calls
    expect(filtered?.[0]).toHaveProperty('filter', { documentId: rankedDocument })
    expect(whole?.[0]).not.toHaveProperty('filter')
  })

  it.each([[undefined], [{}], [[{ kind: 'bm25' }]]])('fails when the retriever returns %j', async (returned) => {
    const { ports } = aSetting()
    const retriever = { retrieve: async () => returned as never }
    await expect(gateQuestion({ ...ports, retriever }, SETTINGS, ASKED)).rejects.toMatchObject({
      code: 'retriever_bad_response',
      message: 'The retriever returned no rankings',
    })
  })

  it.each([[{}], [null], [{ team: 'edge' }], [{ source: "'" }]])(
    'does not retrieve with the filter %j',
    async (filter) => {
      const { ports, calls } = aSetting()
      const settings = {
        ...SETTINGS,
        retrieval: { ...SETTINGS.retrieval, filter: () => filter as unknown as PassageFilter },
      }
      await expect(gateQuestion(ports, settings, ASKED)).rejects.toMatchObject({ code: 'config_invalid' })
      expect(calls).toEqual(['find acme/default'])
    },
  )

  it('weights all terms equally for a collection without a lexicon', async () => {
    const { ports, calls } = aSetting({ lexiconId: null })
    const gated = await gateQuestion(ports, SETTINGS, ASKED)
    expect(calls).toEqual(['find acme/default', 'retrieve'])
    expect(gated.kind).toBe('judged')
  })

  it('ignores unpublished chunks of the index, and asks for as many more', async () => {
    const { ports } = aSetting()
    const asked: number[] = []
    const { retriever, collections } = ports
    const hiding: QuestionPorts = {
      ...ports,
      collections: {
        ...collections,
        find: async (tenant, id) => ({ ...(await collections.find(tenant, id))!, unpublishedChunkIds: ['chunk-0'] }),
      },
      retriever: {
        retrieve: (request) => {
          asked.push(request.topK)
          return retriever.retrieve(request)
        },
      },
    }
    const gated = await gateQuestion(hiding, SETTINGS, ASKED)
    expect(gated).toMatchObject({ decision: { verdict: 'refuse', evidenceIds: [] }, evidence: { chunks: [] } })
    expect(asked).toEqual([SETTINGS.retrieval.topK + 1])
  })

  it('names each document once, best first', async () => {
    const { ports } = aSetting()
    const [ranking] = rankingOf([STRONG, 'b', 'c'])
    const entries = ranking!.entries.map((entry, at) => ({
      ...entry,
      passage: { ...entry.passage, documentId: at === 1 ? 'two' : 'one' },
    }))
    const retriever = { retrieve: async () => [{ kind: 'bm25' as const, entries }] }
    const gated = await gateQuestion({ ...ports, retriever }, SETTINGS, ASKED)
    expect(gated).toMatchObject({
      decision: { documentIds: ['one', 'two'], evidenceIds: ['chunk-0', 'chunk-1', 'chunk-2'] },
    })
  })

  it.each([
    ['the retriever', 'The retrieval failed', { retriever: { retrieve: () => Promise.reject(new Error('down')) } }],
    [
      'the collections',
      'The database failed',
      {
        collections: {
          find: () => Promise.reject(new Error('down')),
          lexicon: () => Promise.reject(new Error('unused')),
        },
      },
    ],
  ])('never treats a failure of %s as missing evidence', async (_, message, broken) => {
    const { ports } = aSetting()
    await expect(gateQuestion({ ...ports, ...broken }, SETTINGS, ASKED)).rejects.toThrow(message)
  })

  it('aborts the search at its deadline', async () => {
    const { ports } = aSetting()
    const retriever: QuestionPorts['retriever'] = {
      retrieve: ({ signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true })),
    }
    const waiting = gateQuestion(
      { ...ports, retriever },
      { ...SETTINGS, retrieval: { ...SETTINGS.retrieval, timeoutMs: 10 } },
      ASKED,
    )
    await expect(waiting).rejects.toMatchObject({ code: 'retriever_timeout' })
  })

  it('does not wait longer for a search that ignores its signal', async () => {
    const { ports } = aSetting()
    const retriever: QuestionPorts['retriever'] = { retrieve: () => new Promise(() => undefined) }
    const waiting = gateQuestion(
      { ...ports, retriever },
      { ...SETTINGS, retrieval: { ...SETTINGS.retrieval, timeoutMs: 10 } },
      ASKED,
    )
    await expect(waiting).rejects.toMatchObject({ code: 'retriever_timeout' })
  })
})

describe('a reranker', () => {
  const TEXTS = [STRONG, 'Paint is blue.', 'Brakes squeal.']

  /** Gates a question whose evidence this reranker grades. */
  async function gateWith(
    rerank: Reranker['rerank'] | 'none',
    policy: Policy = twoTier(),
    settings: Partial<QuestionSettings> = {},
    onWarning: (warning: GateWarning) => void = () => undefined,
  ) {
    const { ports } = aSetting()
    const retriever = { retrieve: async () => rankingOf(TEXTS) }
    const reranker =
      rerank === 'none' ? {} : { reranker: reranking({ model: 'grader', kind: 'grade', rerank }, { timeoutMs: 10 }) }
    const gated = await gateQuestion(
      { ...ports, retriever, ...reranker, onWarning },
      { ...SETTINGS, policy: () => policy, ...settings },
      ASKED,
    )
    if (gated.kind !== 'judged') throw new Error('nothing was cached')
    return gated
  }

  it('is asked between fusion and measuring, and sets the order of the evidence', async () => {
    const seen: unknown[] = []
    const { decision, evidence } = await gateWith(async ({ question, passages }) => {
      seen.push(question, ...passages.map(({ text }) => text))
      return [1, 3, 2]
    })
    expect(seen).toEqual([ASKED.question, ...TEXTS])
    expect(decision).toMatchObject({ reranker: 'ok', rankedBy: 'grade', verdict: 'pass' })
    expect(decision.signals.curves?.grade?.scores).toEqual([3, 2, 1])
    expect(evidence.chunks.map(({ text }) => text)).toEqual([TEXTS[1], TEXTS[2], TEXTS[0]])
  })

  it('that grades everything irrelevant causes a refusal, whatever the retrieval scores', async () => {
    const { decision } = await gateWith(async () => [0, 0, 0])
    expect(decision).toMatchObject({ reranker: 'ok', verdict: 'refuse', reason: 'relevance_low' })
  })

  it.each<[string, Reranker['rerank'], string]>([
    ['throws', () => Promise.reject(new Error('down')), 'failed'],
    ['is turned away', () => Promise.reject(new RagGateError('reranker_misconfigured', 'no')), 'failed'],
    ['says that it took too long', () => Promise.reject(new RagGateError('reranker_timeout', 'late')), 'timeout'],
    ['forgets a passage', async () => [0, 0], 'failed'],
    ['grades with NaN', async () => [0, 0, Number.NaN], 'failed'],
    ['never answers', () => new Promise<never>(() => undefined), 'timeout'],
  ])('that %s gives no grades, and the retrieval scores decide', async (_name, rerank, outcome) => {
    const warned = vi.fn<(warning: GateWarning) => void>()
    const { decision } = await gateWith(rerank, twoTier({ minRatio: 1 }), {}, warned)
    expect(decision).toMatchObject({ reranker: outcome, rankedBy: 'bm25', verdict: 'pass' })
    expect(decision.findings).toMatchObject([{ code: 'not_graded' }, { code: 'passed' }])
    expect(warned).toHaveBeenCalledOnce()
    expect(warned.mock.calls[0]?.[0].message).toBe('The reranker failed: the evidence is judged as it was retrieved')
  })

  it('that failed under a policy with only grade gates causes a refusal, because every gate skips', async () => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    const grades = definePolicy({ ...twoTier(), name: 'grades-alone', gates: [gradedRelevance()] })
    const { decision } = await gateWith(() => Promise.reject(new Error('down')), grades)
    expect(decision).toMatchObject({ reranker: 'failed', verdict: 'refuse' })
    warned.mockRestore()
  })

  it('that is not configured is recorded as off, without a timing', async () => {
    const gated = await gateWith('none')
    expect(gated.decision).toMatchObject({ reranker: 'off' })
    expect(gated.timings).not.toHaveProperty('rerankMs')
  })

  it('is timed by itself', async () => {
    const { ports, clock } = aSetting()
    const rerank: Reranker['rerank'] = async () => {
      clock.atMs += 40
      return [3]
    }
    const gated = await gateQuestion(
      { ...ports, reranker: reranking({ model: 'grader', kind: 'grade', rerank }) },
      SETTINGS,
      ASKED,
    )
    expect(gated.timings).toEqual({ retrievalMs: 25, rerankMs: 40 })
  })

  it('that fails needs no onWarning', async () => {
    const rerank: Reranker['rerank'] = () => Promise.reject(new Error('down'))
    const gated = await gateQuestion(
      { ...aSetting().ports, reranker: reranking({ model: 'grader', kind: 'grade', rerank }) },
      SETTINGS,
      ASKED,
    )
    expect(gated).toMatchObject({ decision: { reranker: 'failed' } })
  })

  it('is not asked without chunks', async () => {
    const { ports } = aSetting()
    const retriever = { retrieve: async () => rankingOf([]) }
    const rerank = () => Promise.reject(new Error('asked'))
    const gated = await gateQuestion(
      { ...ports, retriever, reranker: reranking({ model: '', kind: 'grade', rerank }) },
      SETTINGS,
      ASKED,
    )
    expect(gated).toMatchObject({ decision: { reranker: 'ok', verdict: 'refuse' } })
  })
})

describe('a question refused before retrieval', () => {
  const UNREADABLE = 'How does the engine start? ⠓⠕⠺⠙⠕⠊⠃⠁⠅⠑⠃⠗⠑⠁⠙'

  it.each([
    [UNREADABLE, 'question_unreadable'],
    ['how is it?', 'question_too_short'],
  ])('is not searched for: %j', async (question, reason) => {
    const { ports, calls } = aSetting()
    const gated = await gateQuestion(ports, SETTINGS, { ...ASKED, question })
    expect(gated).toMatchObject({
      kind: 'judged',
      retrievals: 0,
      decision: { verdict: 'refuse', reason, evidenceIds: [] },
    })
    expect(gated).not.toHaveProperty('timings')
    expect(calls).toEqual(['find acme/default'])
  })

  it('is still retrieved and judged in observe mode, and refused', async () => {
    const { ports } = aSetting()
    const gated = await gateQuestion(ports, { ...SETTINGS, mode: 'observe' }, { ...ASKED, question: UNREADABLE })
    expect(gated).toMatchObject({ kind: 'judged', decision: { verdict: 'refuse', reason: 'question_unreadable' } })
    expect(gated.kind === 'judged' && gated.decision.evidenceIds.length).toBeGreaterThan(0)
  })

  it('is refused only by a policy with those gates, also for a single term', async () => {
    const verdictOf = async (policy: Policy) => {
      const { ports } = aSetting()
      return gateQuestion(ports, { ...SETTINGS, policy: () => policy }, { ...ASKED, question: 'engine' })
    }
    expect(await verdictOf(balanced())).toMatchObject({
      decision: { verdict: 'refuse', reason: 'question_too_short' },
    })
    expect(await verdictOf(twoTier({ minScore: 0, minRatio: 0 }))).toMatchObject({ decision: { verdict: 'pass' } })
  })
})

it.each([
  ['Thanks for your help! How does the engine start?', 'How does the engine start?'],
  ['I run a Diesel X200. Which parts wear out first?', 'I run a Diesel X200. Which parts wear out first?'],
])(
  'is searched for without small talk, but with statements, which may name the topic: %j',
  async (question, searched) => {
    const { ports } = aSetting()
    const asked: string[] = []
    const retriever: Retriever = {
      retrieve: async (search) => {
        asked.push(search.question)
        return rankingOf([STRONG])
      },
    }
    await gateQuestion({ ...ports, retriever }, SETTINGS, { ...ASKED, question })
    expect(asked).toEqual([searched])
  },
)

describe('a question of two parts', () => {
  it('is refused when one part has no support, and records the signals of each part', async () => {
    const one = await gateQuestion(aSetting().ports, SETTINGS, ASKED)
    const two = await gateQuestion(aSetting().ports, SETTINGS, {
      ...ASKED,
      question: `${ASKED.question} Which recipe suits sourdough bread from Vienna?`,
    })
    expect(one).toMatchObject({ decision: { verdict: 'pass' } })
    expect(two).toMatchObject({ decision: { verdict: 'refuse' } })
    if (two.kind !== 'judged') throw new Error('There is no cache')
    const { signals, confidence, verdict, reason } = two.decision
    expect(signals.parts).toHaveLength(2)
    // As a record brings it back.
    const replayed = judge(balanced(), JSON.parse(JSON.stringify(signals)) as typeof signals)
    expect(replayed).toMatchObject({ confidence, verdict, reason })
  })
})
