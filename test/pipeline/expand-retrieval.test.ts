import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Ranking } from '../../src/core/evidence/chunk.ts'
import { buildLexicon } from '../../src/core/text/lexicon.ts'
import { RagGateError } from '../../src/errors.ts'
import { expandRetrieval } from '../../src/pipeline/expand-retrieval.ts'
import { gateQuestion } from '../../src/pipeline/gate-question.ts'
import type { QuestionPorts, QuestionSettings } from '../../src/pipeline/question-settings.ts'
import { plainCollection } from '../../src/ports/collections.ts'
import type { QuestionRewriter } from '../../src/ports/question-rewriter.ts'
import { ASKED, SETTINGS } from '../fixtures/answering.ts'
import { aPassage } from '../fixtures/evidence.ts'
import { POLICY } from '../fixtures/gate.ts'

const QUESTION = 'How does the engine start?'
/** Holds one word of the question, and one that leads to `ANSWER`. */
const HINT = 'An engine has a starter motor.'
const ANSWER = 'To start the engine, the starter turns it.'

const rankings = (
  ...scored: readonly (readonly [id: string, text: string, bm25: number, cosine?: number])[]
): Ranking[] => [
  { kind: 'bm25', entries: scored.map(([id, text, score]) => ({ passage: aPassage(id, { text }), score })) },
  {
    kind: 'cosine',
    entries: scored.flatMap(([id, text, , score]) =>
      score === undefined ? [] : [{ passage: aPassage(id, { text }), score }],
    ),
  },
]

/** A gate whose index finds `ANSWER` only for words beyond the question's own. */
function expanding(
  settings: Partial<QuestionSettings> = {},
  given: Partial<QuestionPorts> & { readonly further?: (words: string) => Promise<readonly Ranking[]> } = {},
) {
  const asked: string[] = []
  const { further = async () => rankings(['answer', ANSWER, 30, 0.99], ['hint', HINT, 8, 0.5]), ...replaced } = given
  const clock = { atMs: 0, nowMs: () => clock.atMs }
  const ports: QuestionPorts = {
    clock,
    collections: {
      find: async (tenant, id) => plainCollection({ tenant, id, lexiconId: 'lexicon' }),
      lexicon: async () => buildLexicon([HINT, ANSWER, 'Paint is blue.', 'Tyres wear.']),
    },
    retriever: {
      retrieve: async ({ question }) => {
        asked.push(question)
        clock.atMs += 400
        return question === QUESTION ? rankings(['hint', HINT, 1.5, 0.4]) : further(question)
      },
    },
    ...replaced,
  }
  const gate = async (question = QUESTION) => {
    const gated = await gateQuestion(ports, { ...SETTINGS, policy: () => POLICY, ...settings }, { ...ASKED, question })
    if (gated.kind !== 'judged') throw new Error('nothing is cached here')
    return gated
  }
  return { gate, asked, clock }
}

const rewriterOf = (rewrite: QuestionRewriter['rewrite']): QuestionRewriter => ({ model: 'rewriter', rewrite })

describe('a question whose first judgement is not confident', () => {
  beforeEach(() => void vi.spyOn(console, 'warn').mockImplementation(() => undefined))
  afterEach(() => vi.restoreAllMocks())

  test.each([
    [{ below: 1.1 }, 'below'],
    [{ below: Number.NaN }, 'below'],
    [{ below: 0.5, rewriteTimeoutMs: 0 }, 'rewriteTimeoutMs'],
  ])('needs a threshold and a deadline within their ranges: %j', (options, param) => {
    expect(() => expandRetrieval(options)).toThrow(expect.objectContaining({ code: 'config_invalid', param }))
  })

  test('is not retrieved again by default', async () => {
    const { gate, asked } = expanding()
    const { decision } = await gate()
    expect(asked).toEqual([QUESTION])
    expect(decision).not.toHaveProperty('expansion')
  })

  test('is searched without words of courtesy in both rounds', async () => {
    const { gate, asked } = expanding({
      retrieval: { ...SETTINGS.retrieval, expansion: expandRetrieval({ below: 0.7 }) },
    })
    await gate(`Hello everybody! ${QUESTION} Thanks for your help.`)
    expect(asked[0]).toBe(QUESTION)
    expect(asked[1]).toMatch(/^How does the engine start\? /)
    expect(asked[1]).not.toMatch(/hello|thanks|help/i)
  })

  test('is retrieved once more with words of the best passages, and judged for itself over both', async () => {
    const { gate, asked } = expanding({
      retrieval: { ...SETTINGS.retrieval, expansion: expandRetrieval({ below: 0.7 }) },
    })
    const { decision, timings } = await gate()
    expect(asked).toHaveLength(2)
    expect(asked[1]).toMatch(/^How does the engine start\? .*motor/)
    expect([...decision.evidenceIds].sort()).toEqual(['answer', 'hint'])
    expect(decision.expansion).toEqual({
      expanded: true,
      firstConfidence: expect.any(Number) as number,
      retrievals: 1,
      keptOfEach: 0,
    })
    expect(decision.expansion?.firstConfidence).toBeLessThan(0.7)
    expect(decision.confidence).toBeGreaterThan(decision.expansion?.firstConfidence ?? 1)
    expect(decision.signals.questionTermCount).toBe(2)
    expect(timings.retrievalMs).toBe(800)
  })

  test('is judged without the scores for those other words', async () => {
    const { gate } = expanding({ retrieval: { ...SETTINGS.retrieval, expansion: expandRetrieval({ below: 0.7 }) } })
    const { decision, evidence } = await gate()
    expect(decision.signals.curves.bm25?.scores).toEqual([1.5])
    expect(decision.signals.curves.cosine?.scores).toEqual([0.4])
    expect(evidence.chunks.find(({ id }) => id === 'answer')?.scores).toEqual({ rounds: 0.5 })
  })

  test('stays refused where the second round finds no more: nothing is looser for it', async () => {
    const nothing = async () => rankings(['paint', 'Paint is blue.', 9, 0.9])
    const policy = () => POLICY
    const first = await expanding({ policy }, { further: nothing }).gate()
    const { decision } = await expanding(
      { policy, retrieval: { ...SETTINGS.retrieval, expansion: expandRetrieval({ below: 1 }) } },
      { further: nothing },
    ).gate()
    expect(decision.expansion?.expanded).toBe(true)
    expect(decision.confidence).toBeLessThanOrEqual(first.decision.confidence)
    expect(decision.verdict).toBe(first.decision.verdict)
  })

  test('is not retrieved again when it is confident enough, nor when there are no words to add', async () => {
    const confident = expanding({ retrieval: { ...SETTINGS.retrieval, expansion: expandRetrieval({ below: 0 }) } })
    await confident.gate()
    const wordless = expanding(
      { retrieval: { ...SETTINGS.retrieval, expansion: expandRetrieval({ below: 1 }) } },
      { retriever: { retrieve: async () => rankings() } },
    )
    expect([confident.asked.length, (await wordless.gate()).decision.expansion]).toEqual([1, undefined])
  })

  test('is asked in the words of a rewriter, those that differ, at most three of them', async () => {
    const seen: unknown[] = []
    const rewriter = rewriterOf(async (question, { chunks }) => {
      seen.push(
        question,
        chunks.map(({ id }) => id),
      )
      return ['  Starting   an engine ', QUESTION, '', 'Starting an engine', 'b\ud800', 'c', 'd', 'e']
    })
    const { gate, asked } = expanding(
      { retrieval: { ...SETTINGS.retrieval, expansion: expandRetrieval({ below: 0.7 }) } },
      { rewriter },
    )
    const { decision } = await gate()
    expect(seen).toEqual([QUESTION, ['hint']])
    expect(asked).toEqual([QUESTION, 'Starting an engine', 'c', 'd'])
    expect(decision.expansion?.retrievals).toBe(3)
  })

  test.each<[string, Partial<QuestionSettings>, Parameters<typeof expanding>[1]]>([
    ['a retriever that throws', {}, { further: () => Promise.reject(new RagGateError('retriever_unavailable', 'no')) }],
    [
      'a retriever that hangs',
      { retrieval: { ...SETTINGS.retrieval, expansion: expandRetrieval({ below: 1 }), timeoutMs: 420 } },
      { further: () => new Promise(() => undefined) },
    ],
    ['a rewriter that throws', {}, { rewriter: rewriterOf(() => Promise.reject(new Error('no'))) }],
    [
      'a rewriter that hangs',
      { retrieval: { ...SETTINGS.retrieval, expansion: expandRetrieval({ below: 1, rewriteTimeoutMs: 10 }) } },
      { rewriter: rewriterOf(() => new Promise(() => undefined)) },
    ],
    ['a rewriter that writes nonsense', {}, { rewriter: rewriterOf(async () => 'no list' as unknown as string[]) }],
  ])('is judged by the first round after %s, and the decision says so', async (_name, settings, given) => {
    const first = await expanding().gate()
    const { decision } = await expanding(
      { retrieval: { ...SETTINGS.retrieval, expansion: expandRetrieval({ below: 0.7 }) }, ...settings },
      given,
    ).gate()
    expect(decision.expansion).toMatchObject({ expanded: false, firstConfidence: first.decision.confidence })
    expect(decision).toMatchObject({ verdict: first.decision.verdict, evidenceIds: first.decision.evidenceIds })
  })

  test('has one deadline for both rounds', async () => {
    const startedMs = performance.now()
    const { gate } = expanding(
      { retrieval: { ...SETTINGS.retrieval, expansion: expandRetrieval({ below: 0.7 }), timeoutMs: 440 } },
      { further: () => new Promise(() => undefined) },
    )
    expect((await gate()).decision.expansion?.expanded).toBe(false)
    // The clock says that the first round took 400 of them.
    expect(performance.now() - startedMs).toBeLessThan(300)
  })

  test('keeps more of the best of each method where the two disagree', async () => {
    const texts = [...'abcdefghijkl'].map((id) => [id, `Passage ${id}.`] as const)
    const first = rankings(...texts.slice(0, 4).map(([id, text], at) => [id, text, 9 - at, 0.1 + at / 10] as const))
    const second = rankings(...texts.slice(4).map(([id, text]) => [id, text, 9, 0.9] as const))
    const { gate } = expanding(
      { retrieval: { ...SETTINGS.retrieval, expansion: expandRetrieval({ below: 1 }), topK: 12 } },
      { retriever: { retrieve: async ({ question }) => (question === QUESTION ? first : second) } },
    )
    expect((await gate()).decision.expansion?.keptOfEach).toBe(3)
  })

  test('is reranked again over both rounds, for the question as it was asked', async () => {
    const seen: (readonly [string, number])[] = []
    const reranker: NonNullable<QuestionPorts['reranker']> = {
      model: 'grader',
      kind: 'grade',
      rerank: async ({ question, passages }) => {
        seen.push([question, passages.length])
        return passages.map(() => 2)
      },
    }
    const { decision } = await expanding(
      { retrieval: { ...SETTINGS.retrieval, expansion: expandRetrieval({ below: 0.7 }) } },
      { reranker },
    ).gate()
    expect(seen).toEqual([
      [QUESTION, 1],
      [QUESTION, 2],
    ])
    expect(decision.signals.curves.grade?.scores).toEqual([2, 2])
  })
})
